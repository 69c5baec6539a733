"""Features of classes that nobody has seen, an epoch and its test (Hanzy1996/CE-GZSL at 7bf5358)."""

import numpy
import scipy.io
from made_up import script

made = numpy.random.default_rng(0)
features = {"features": made.random((8, 12)), "labels": numpy.arange(12)[:, None] % 4 + 1}
features["image_files"] = numpy.arange(12)
kinds = {"trainval": [1, 2, 3, 5, 6, 7], "train": [1, 2], "val": [3, 7]}
kinds |= {"test_seen": [9, 10, 11], "test_unseen": [4, 8, 12]}
splits = {f"{name}_loc": numpy.array(places)[:, None] for name, places in kinds.items()}
scipy.io.loadmat = lambda path: {**splits, "att": made.random((6, 4))} if "splits" in path else features
sizes = {"resSize": 8, "attSize": 6, "nz": 6, "embedSize": 8, "outzSize": 4, "ngh": 8, "ndh": 8, "nhF": 8}
counts = {"nclass_all": 4, "nclass_seen": 3, "batch_size": 4, "nepoch": 1, "syn_num": 4, "critic_iter": 2}
script("CE_GZSL.py", *(f"--{name}={value}" for name, value in {**sizes, **counts}.items()))
