"""What joins the names in a made-up text, an epoch and its test (thunlp/DocRED at 64622e6)."""

import json
import os
import sys

import numpy
from made_up import script

os.chdir("code")
sys.path.insert(0, ".")
os.makedirs("prepro_data", exist_ok=True)
import config  # noqa: E402

names = [[{"pos": [0, 2]}], [{"pos": [4, 5]}], [{"pos": [7, 9]}]]
label = {"h": 0, "t": 1, "r": 2, "indev_train": False}
text = {"vertexSet": names, "labels": [label], "na_triple": [[1, 2]], "title": "made"}
for name in ("dev_train", "dev_dev"):
    for kind, shape in {"word": (2, 12), "pos": (2, 12), "ner": (2, 12), "char": (2, 12, 16)}.items():
        numpy.save(f"prepro_data/{name}_{kind}.npy", numpy.ones(shape, "int64"))
    with open(f"prepro_data/{name}.json", "w") as file:
        json.dump([text] * 2, file)
with open("prepro_data/rel2id.json", "w") as file:
    json.dump({str(number): number for number in range(97)}, file)
for name in ("vec", "char_vec"):
    numpy.save(f"prepro_data/{name}.npy", numpy.random.default_rng(0).random((9, 8)))


class Small(config.Config):
    """Settings for a small text."""

    def set_max_epoch(self, _):
        """One epoch, and then a test."""
        self.max_epoch = self.test_epoch = 1
        self.batch_size = self.test_batch_size = 2
        self.max_length, self.h_t_limit, self.test_relation_limit = 12, 8, 8


config.Config = Small
script("train.py", "--save_name", "made")
