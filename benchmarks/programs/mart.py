"""A step of training against an adversary on made-up images (YisenWang/MART at 2d83e17)."""

import importlib.util

import torch
from made_up import labels

spec = importlib.util.spec_from_file_location("mart_of_program", "mart.py")  # this file has the name of the program's
mart = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mart)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
mart.mart_loss(model, torch.rand(4, 3, 2, 2), labels(4, 3), optimizer, perturb_steps=2).backward()
optimizer.step()
