"""Walks foretold from made-up ones (cunjunyu/STAR at d2dd113)."""

import functools
import os

import numpy
import yaml
from made_up import script

yaml.load = functools.partial(yaml.load, Loader=yaml.FullLoader)
for folder, _, files in os.walk("data"):
    if "true_pos_.csv" in files:
        frames = range(0, 250, 6 if folder.endswith("eth/univ") else 10)
        walks = [[frame, walker, walker + frame / 60 + 1, frame / 60 + 1] for walker in range(3) for frame in frames]
        numpy.savetxt(f"{folder}/true_pos_.csv", numpy.array(walks).T, delimiter=",")
os.makedirs("output/hotel/star")
script("trainval.py", "--phase=test", "--sample_num=2", "--batch_around_ped=7", "--test_set=hotel")
