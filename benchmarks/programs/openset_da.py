"""Two epochs of telling known from unknown digits (YU1ut/openset-DA at 7106fa6)."""

import sys
import types

import models
import torch
from made_up import labels, script

models.grad_reverse = lambda x, lambd=1.0: x * 1.0
source = torch.utils.data.TensorDataset(torch.rand(12, 3, 32, 32), labels(12, 6))
made = types.ModuleType("datasets.get_dataset")
made.get_dataset = lambda task: (source, source)
sys.modules["datasets"] = types.ModuleType("datasets")
sys.modules["datasets.get_dataset"] = made
script("train.py", "--batch-size=6", "--epochs=2")
