"""What made-up people like and why, two epochs (huangtinglin/Knowledge_Graph_based_Intent_Network at 0e43517)."""

import os
import sys
import types

import numpy
import torch
from made_up import script, stand_in


def scatter_mean(src, index, dim_size, dim):
    """The mean of the rows of each index."""
    sums = src.new_zeros(dim_size, *src.shape[1:]).index_add(dim, index, src)
    return sums / torch.bincount(index, minlength=dim_size).clamp(1)[:, None]


stand_in("prettytable")
sys.modules["torch_scatter"] = types.ModuleType("torch_scatter")
sys.modules["torch_scatter"].scatter_mean = scatter_mean  # type: ignore[attr-defined]
numpy.asfarray = lambda numbers: numpy.asarray(numbers, float)  # which NumPy had
os.makedirs("data/last-fm", exist_ok=True)
likes = "".join(f"{user} {user} {user + 2}\n" for user in range(6))
facts = "".join(f"{item} {item % 2} {item + 10}\n" for item in range(10))
for name, text in {"train": likes, "test": likes, "kg_final": facts}.items():
    with open(f"data/last-fm/{name}.txt", "w") as file:
        file.write(text)
options = "--epoch 2 --batch_size 4 --test_batch_size 4 --dim 4 --channel 4 --context_hops 1 --Ks [2]"
script("main.py", *options.split())
