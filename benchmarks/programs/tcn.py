"""One epoch of adding numbers, and of a model of words on made-up text."""

import functools
import os
import pathlib
import sys

import torch
from made_up import script

torch.load = functools.partial(torch.load, weights_only=False)  # the program was written for an older torch

home = pathlib.Path.cwd()
os.chdir("TCN/adding_problem")
sys.path[:0] = [str(home), "."]
script("add_test.py", "--epochs", "1", "--seq_len", "20", "--nhid", "4", "--levels", "2", "--batch_size", "500")
for module in ("utils", "model"):
    sys.modules.pop(module, None)
os.chdir(home / "TCN/word_cnn")
folder = pathlib.Path("made/penn")
folder.mkdir(parents=True)
for part in ("train", "valid", "test"):
    (folder / f"{part}.txt").write_text("a made up text of words\n" * 200)
sizes = ["--emsize", "8", "--nhid", "8", "--levels", "2", "--batch_size", "2", "--seq_len", "40", "--validseqlen", "20"]
script("word_cnn_test.py", "--epochs", "1", "--data", "made/penn", "--corpus", *sizes)
