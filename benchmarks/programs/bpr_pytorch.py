"""One epoch of ranking on made-up ratings, with its evaluation (guoyang9/BPR-pytorch at a21fbcd)."""

import os

import config
from made_up import script

os.makedirs("made")
config.train_rating, config.test_negative, config.model_path = "made/train", "made/test", "made/"
with open("made/train", "w") as file:
    file.writelines(f"{i % 5}\t{(3 * i + 1) % 7}\n" for i in range(20))
with open("made/test", "w") as file:
    file.writelines(f"({i}, {i + 1})\t{i + 2}\t{i}\n" for i in range(5))
sizes = ["--batch_size", "8", "--factor_num", "4", "--num_ng", "1", "--test_num_ng", "2", "--top_k", "2"]
script("main.py", "--epochs", "1", *sizes)
