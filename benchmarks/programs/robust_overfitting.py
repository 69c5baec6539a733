"""Attacks of two norms on a small network, by scripts for two data sets (locuslab/robust_overfitting at c47a25c)."""

import importlib

import torch
from made_up import stand_in

stand_in("torchvision", "apex")

for name in ("train_cifar100", "train_svhn"):
    program = importlib.import_module(name)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 8 * 8, 10))
    images, labels = program.normalize(torch.rand(4, 3, 8, 8)), torch.arange(4)
    for norm in ("l_inf", "l_2"):
        found = program.attack_pgd(model, images, labels, 0.1, 0.05, 2, 2, norm)
        model(images + found).sum().backward()
