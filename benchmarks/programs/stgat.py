"""Where made-up people walk, an epoch and its test (huang-xx/STGAT at 11d23b3)."""

import os
import sys
from unittest import mock

import torch
from made_up import script, stand_in

stand_in("IPython")
sys.modules["torch.utils.tensorboard"] = mock.MagicMock()
os.chdir("STGAT")
sys.path.insert(0, ".")
from data import loader  # noqa: E402

seen, coming = torch.rand(8, 4, 2), torch.rand(12, 4, 2)
batch = [seen, coming, seen / 9, coming / 9, torch.zeros(4), torch.ones(4, 20), torch.tensor([[0, 2], [2, 4]])]
loader.data_loader = lambda *_: (None, [batch])
script("train.py", "--start-epoch", "249", "--num_epochs", "250", "--best_k", "2")
