"""A step of training against an adversary, in both norms, on made-up images (yaodongyu/TRADES at 6e8e11b)."""

import torch
from made_up import labels
from trades import trades_loss

model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for distance in ("l_inf", "l_2"):
    loss = trades_loss(model, torch.rand(4, 3, 2, 2), labels(4, 3), optimizer, perturb_steps=2, distance=distance)
    loss.backward()
    optimizer.step()
