"""Two epochs of a language model on made-up sentences (yikangshen/Ordered-Neurons at 46d63cd)."""

import functools
import os

import torch
from made_up import script

torch.load = functools.partial(torch.load, weights_only=False)
fill = torch.Tensor.masked_fill
torch.Tensor.masked_fill = lambda self, mask, value: fill(self, mask.bool(), value)

os.makedirs("data/penn", exist_ok=True)
for name in ("train", "valid", "test"):
    with open(f"data/penn/{name}.txt", "w") as file:
        file.write("the cat sat on the mat\n" * 60)
sizes = ["--emsize=8", "--nhid=8", "--chunk_size=2", "--batch_size=4", "--bptt=8", "--nlayers=2"]
script("main.py", "--epochs=2", "--save=made.pt", *sizes)
