"""Two epochs on a made-up graph."""

import pygcn.utils
import torch
from made_up import labels, script

parts = torch.arange(0, 10), torch.arange(10, 15), torch.arange(15, 20)
pygcn.utils.load_data = lambda *_, **__: (torch.eye(20).to_sparse(), torch.rand(20, 8), labels(20, 3), *parts)
script("pygcn/train.py", "--epochs", "2")
