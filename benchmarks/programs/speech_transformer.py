"""One epoch of speech recognition on made-up features (kaituoxu/Speech-Transformer at 43d83ea)."""

import json
import os
import sys

import numpy
from made_up import script, stand_in

stand_in("kaldi_io")
import kaldi_io  # noqa: E402

kaldi_io.read_mat = lambda _: numpy.random.rand(24, 8).astype("float32")
sys.path[:0] = [f"src/{part}" for part in ("data", "solver", "transformer", "utils", "optim", "loss")]
os.mkdir("made")
with open("made/words.txt", "w") as file:
    file.writelines(
        f"{word} {number}\n" for number, word in enumerate(["<blank>", "<unk>", "<sos>", "<eos>", "a", "b"])
    )
said = {"shape": [4, 6], "tokenid": "4 5 4 5", "text": "abab", "token": "a b a b"}
utterances = {f"u{i}": {"input": [{"shape": [24, 8], "feat": ""}], "output": [said]} for i in range(4)}
with open("made/data.json", "w") as file:
    json.dump({"utts": utterances}, file)
files = ["--train-json", "made/data.json", "--valid-json", "made/data.json", "--dict", "made/words.txt"]
sizes = ["--d_input", "8", "--n_layers_enc", "1", "--n_layers_dec", "1", "--n_head", "2", "--d_k", "4", "--d_v", "4"]
sizes += ["--d_model", "8", "--d_inner", "8", "--d_word_vec", "8", "--batch-size", "2", "--num-workers", "0"]
script("src/bin/train.py", "--epochs", "1", "--save-folder", "made", *files, *sizes)
