"""Epochs of made-up sentences, with tests, in two ways (harvardnlp/urnng at b1eeffa)."""

import functools
import pickle

import torch
from made_up import script

torch.load = functools.partial(torch.load, weights_only=False)
spans, actions = [(0, 1), (0, 2)], [0, 0, 1, 0, 1]
other = [["a b c", ["x"] * 3, actions, actions, actions, spans]] * 2
words = dict(enumerate(["<s>", "a", "</s>", "b", "c", "<unk>"]))
made = {"source": [[0, 1, 3, 4, 2], [0, 3, 1, 1, 2]], "other_data": other, "source_l": [5], "batch_l": [2]}
made |= {"batch_idx": [0], "vocab_size": [6], "word2idx": {word: key for key, word in words.items()}, "idx2word": words}
with open("made.pkl", "wb") as file:
    pickle.dump(made, file)
paths = ["--train_file=made.pkl", "--val_file=made.pkl", "--gpu=0", "--w_dim=4", "--h_dim=4", "--num_epochs=1"]
for mode in ("supervised", "unsupervised"):
    script("train.py", *paths, f"--mode={mode}", "--q_dim=4", "--samples=2", "--mc_samples=2", f"--save_path={mode}.pt")
script("train_lm.py", *paths, "--save_path=lm.pt")
