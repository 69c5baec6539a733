"""Two made-up tasks learned one after the other, with masks (joansj/hat at 6fd0b9d)."""

import sys
from types import SimpleNamespace

import torch

sys.path.insert(0, "src")
from approaches import hat
from networks import mlp_hat

torch.nn.utils.clip_grad_norm = torch.nn.utils.clip_grad_norm_
torch.autograd.Variable = lambda data, **_: data  # type: ignore[assignment,misc]
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tasks, options = [(0, 2), (1, 2)], SimpleNamespace(parameter="")
x, y = torch.rand(8, 1, 4, 4, device=device), (torch.arange(8) % 2).to(device)
net = mlp_hat.Net((1, 4, 4), tasks, nhid=8).to(device)
learner = hat.Appr(net, nepochs=2, sbatch=4, args=options)
for task, _ in tasks:
    learner.train(task, x, y, x, y)
    learner.eval(task, x, y)
