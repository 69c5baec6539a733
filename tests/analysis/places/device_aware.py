"""A program that is written for every device, whose ``device=`` a test deletes one by one."""

from __future__ import annotations

PROGRAM = """\
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def causal_mask(length, device):
    rows = torch.arange(length, device=device)
    columns = torch.arange(length, device=device)
    return rows[:, None] >= columns[None, :]


def grid(points: torch.Tensor):
    height, width = points.shape[-2:]
    ys = torch.linspace(-1, 1, height, device=points.device)
    xs = torch.linspace(-1, 1, width, device=points.device)
    mesh = torch.meshgrid(ys, xs, indexing="ij")
    return points + torch.stack(mesh).sum(0)


def joined(features: torch.Tensor, count):
    parts = [features]
    for _ in range(count):
        parts.append(torch.zeros(features.shape, device=features.device))
    return torch.cat(parts)


def segments(kinds, device):
    found = []
    for kind in kinds:
        if kind:
            found.append(torch.arange(kind, device=device))
        else:
            found.append(torch.full((3,), -1, device=device))
    return torch.cat(found)


def levels(sizes, device):
    basis = torch.cumprod(torch.tensor([1] + sizes, device=device), dim=0)
    steps = torch.arange(math.prod(sizes), device=device).unsqueeze(-1)
    return steps // basis


def first(x: torch.Tensor, count):
    return x[torch.arange(count, device=x.device)]


def scaled(x: torch.Tensor):
    return x * torch.tensor(2.0, device=x.device)


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(512, 8)

    def forward(self, x):
        return self.table(torch.arange(x.shape[1], device=x.device))


class Kinds(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(2, 8)

    def forward(self, ids, kinds=None):
        return self.table(kinds)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 8)
        self.positions = Positions()
        self.kinds = Kinds()
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, 4)

    def start(self, x):
        return torch.zeros(1, x.shape[0], 8, device=x.device)

    def forward(self, ids, labels=None):
        kinds = torch.zeros(ids.shape, dtype=torch.long, device=ids.device)
        x = self.words(ids) + self.positions(ids) + self.kinds(ids, kinds=kinds)
        x, _ = self.rnn(x, self.start(x))
        if self.training:
            x = x + torch.randn(x.shape, device=x.device) * 0.1
        logits = self.out(x)
        mask = torch.ones(ids.shape, dtype=torch.bool, device=ids.device)
        logits = logits.masked_fill(~mask[..., None], 0.0)
        weights = torch.linspace(0.0, 1.0, 4, device=ids.device)
        return F.cross_entropy(logits.transpose(1, 2), labels, weight=weights)
"""

HARMLESS = frozenset({"x[torch.arange(count, device=x.device)]", "x * torch.tensor(2.0, device=x.device)"})
"""Lines in which a tensor on the CPU does no harm: an index, and a number without dimensions."""
