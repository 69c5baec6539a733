"""One epoch of a language model on made-up text."""

import functools
import pathlib

import torch
from made_up import script

torch.load = functools.partial(torch.load, weights_only=False)  # the program was written for an older torch

folder = pathlib.Path("made")
folder.mkdir()
for part in ("train", "valid", "test"):
    (folder / f"{part}.txt").write_text("a made up text of words <unk>\n" * 40)
sizes = ["--emsize", "8", "--nhid", "8", "--nlayers", "2", "--batch_size", "2", "--bptt", "10"]
script("main.py", "--data", "made", "--epochs", "1", "--wdrop", "0", "--log-interval", "5", "--nonmono", "50", *sizes)
