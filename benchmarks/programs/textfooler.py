"""Made-up texts put in classes, two epochs and their tests (jind11/TextFooler at 6a56cb1)."""

import dataloader
import numpy
from made_up import script

texts = [["a", "b", "c", "a", "b"], ["b", "c"], ["c", "a", "b"], ["a"]]
dataloader.read_corpus = lambda _: (texts, [0, 1, 0, 1])
dataloader.load_embedding = lambda _: (["a", "b", "c"], numpy.random.default_rng(0).random((3, 4)))
for net in ("--cnn", "--lstm"):
    script("train_classifier.py", net, "--embedding", "made", "--max_epoch", "1", "--batch", "2", "--d", "4")
