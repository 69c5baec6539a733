"""Small methods of a module, one for each construct of the tables: what meets in them, and what may."""

from __future__ import annotations

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


def shifted(n):
    return torch.arange(n) + 1


def added(one, other):
    return one + other


class Steps:
    def __init__(self, n):
        self.counts = torch.arange(n)
        self.later = torch.ones(n)
        self.moved = torch.ones(n)

    def move(self, device):
        self.moved = self.moved.to(device)


class Weights(Steps):
    def __init__(self, n, device=None):
        super().__init__(n)
        self.values = torch.ones(n, device=device)

    def grow(self):
        self.values = torch.cat([self.values, torch.zeros_like(self.values)])


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, bias=None):
        y = self.layer(x)
        return y if bias is None else y + bias


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(8, 4)
        self.lin = nn.Linear(4, 4)
        self.rnn = nn.LSTM(4, 3, batch_first=True)
        self.norm = nn.LayerNorm(4)
        self.block = Block()
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.loss = nn.MSELoss()
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("scale", torch.ones(4))

    def made(self, n):
        return torch.ones(n)

    def chosen(self, kinds=None):
        if kinds is None:
            kinds = self.scale.new_zeros(2).long()
        return self.emb(kinds)

    def forward(self, x):
"""

MEET = [
    "return x + torch.ones(4)",
    "return torch.ones(2, 4) * x",
    "y = torch.arange(4)\nreturn x / y[None, :]",
    "return x @ torch.eye(4)",
    "return x > torch.zeros(2, 4)",
    "x -= torch.ones(4)\nreturn x",
    "return self.emb(torch.arange(4))",
    "return self.emb(torch.tensor(1))",
    "return self.lin(torch.ones(2, 4))",
    "return self.norm(torch.rand(2, 4))",
    "return self.rnn(x[None], (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3)))",
    "return self.weight * torch.linspace(0, 1, 4)",
    "return self.scale + torch.full((4,), 2.0)",
    "return torch.cat([x, torch.zeros(1, 4)])",
    "return torch.stack([x, torch.zeros(2, 4)], dim=1)",
    "parts = [x]\nparts.append(torch.zeros(2, 4))\nreturn torch.cat(parts)",
    "return torch.where(x > 0, x, torch.zeros(2, 4))",
    "return torch.matmul(x, torch.ones(4, 3))",
    "return torch.einsum('ab,bc->ac', x, torch.ones(4, 3))",
    "return torch.maximum(x, torch.zeros(2, 4))",
    "return torch.meshgrid(x[0], torch.arange(3.0), indexing='ij')",
    "return torch.gather(x, 1, torch.zeros(2, 1, dtype=torch.long))",
    "return x.index_select(0, torch.tensor([0, 1]))",
    "return x.scatter(1, torch.zeros(2, 1, dtype=torch.long), x)",
    "return x.masked_fill(torch.zeros(2, 4, dtype=torch.bool), 0.0)",
    "return x.masked_scatter(torch.ones(2, 4, dtype=torch.bool), x)",
    "return torch.arange(4)[x[0].long()]",
    "return F.embedding(torch.arange(3), self.emb.weight)",
    "return F.linear(x, torch.ones(3, 4))",
    "return F.mse_loss(x, torch.zeros(2, 4))",
    "return self.loss(x, torch.zeros(2, 4))",
    "return F.cross_entropy(x, torch.zeros(2, dtype=torch.long))",
    "return F.scaled_dot_product_attention(x, x, x, attn_mask=torch.zeros(2, 2))",
    "return x * torch.from_numpy(__import__('numpy').ones(4))",
    "return x * torch.FloatTensor([1.0, 2.0, 3.0, 4.0])",
    "return x + torch.arange(4).float().unsqueeze(0).expand(2, -1)",
    "return x + torch.tensor([1.0, 2.0, 3.0, 4.0])",
    "return x + torch.tril(torch.ones(2, 4))",
    "return x + shifted(4)",
    "return x + self.made(4)",
    "return added(x, torch.ones(4))",
    "return self.block(x, torch.ones(4))",
    "for block in self.blocks:\n    x = block(x, bias=torch.ones(4))\nreturn x",
    "def inner(y):\n    return y + torch.ones(4)\nreturn inner(x)",
    "return [x + one for one in (torch.ones(4), torch.zeros(4))]",
    "tensors = {'a': torch.ones(4)}\nreturn x + tensors['a']",
    "y = torch.ones(4) if self.training else None\nreturn x if y is None else x + y",
    "y, z = torch.ones(4), x\nreturn y + z",
    "x[x > 0] = torch.ones(8)\nreturn x",
    "return (lambda y: y + torch.ones(4))(x)",
    "return self.blocks[0](torch.zeros(2, 4))",
    "return torch.addmm(x[:, :3], x, torch.ones(4, 3))",
    "return torch.isin(x, torch.ones(3))",
    "return x.lerp(torch.zeros(2, 4), 0.5)",
    "return torch.bmm(x[None], torch.ones(1, 4, 2))",
    "return x + torch.tensor([1.0] + [2.0, 3.0, 4.0])",
    "parts = []\nfor one in (True, False):\n    if one:\n        parts.append(torch.ones(2, 4))\n    else:\n"
    "        parts.append(x)\nreturn torch.cat(parts)",
    "y = torch.ones(4) * (2.0 if self.training else torch.tensor(1.0))\nreturn y + x",
    "return x + Steps(4).counts",
    "y = self.scale\nif self.training:\n    y = torch.ones(4)\n    y = y.unsqueeze(0)\nreturn x + y",
    "steps = Weights(4, x.device)\nreturn steps.values * steps.counts",
    "return x + Steps(4).later.unsqueeze(0)",
    "return self.chosen(kinds=torch.zeros(2, dtype=torch.long))",
    "total = torch.tensor(0.0)\ntotal += x.sum()\nreturn total",
    "total = torch.zeros(())\nfor row in x:\n    total += row.sum()\nreturn total",
    "total = torch.tensor(0.0)\ntotal.add_(x.sum())\nreturn total",
    "return torch.stack([x.sum(), torch.tensor(0.0)])",
    "return x if torch.equal(x, torch.tensor(1.0)) else x + 1",
]
"""Each fails on a GPU, because of a tensor that is made on the CPU."""

APART = [
    "return x + torch.tensor(2.0)",
    "return x * torch.ones(())",
    "return x + torch.ones(4).sum()",
    "return x[torch.arange(2)]",
    "return x[:, torch.tensor([0, 1])]",
    "x[torch.tensor([0, 1])] = 1.0\nreturn x",
    "x[0] = torch.ones(4)\nreturn x",
    "return x.copy_(torch.ones(2, 4))",
    "return x + torch.zeros_like(x)",
    "return x + x.new_ones(4)",
    "return x + torch.ones(4, device=x.device)",
    "return x + torch.ones(4).to(x.device)",
    "return x + torch.ones(4).to(x)",
    "return x + torch.ones(4).type_as(x)",
    "device = x.device\nreturn x + torch.ones(4, device=device)",
    "return x.cpu() + torch.ones(4)",
    "return x + len(torch.ones(4))",
    "return x + torch.ones(4)[0].item()",
    "return x.view(torch.ones(4, 2).shape)",
    "return x.expand_as(torch.ones(2, 4))",
    "y = torch.ones(4)\ny = y.to(x.device)\nreturn x + y",
    "with torch.device(x.device):\n    y = torch.ones(4)\nreturn x + y",
    "return torch.broadcast_tensors(x, torch.ones(4))",
    "return torch.where(x > 0, x, torch.tensor(0.0))",
    "return torch.ones(4) + torch.zeros(4)",
    "return x + torch.as_tensor(x)",
    "return torch.result_type(x, torch.ones(4))",
    "return x.split(torch.tensor([1, 1]).tolist())",
    "return x + torch.empty_like(x).normal_()",
    "return nn.Linear(4, 4).to(x.device)(x)",
    "return x + nn.Linear(4, 4)(torch.ones(2, 4)).to(x.device)",
    "return x + torch.trace(torch.ones(4, 4))",
    "return x * torch.sqrt(torch.tensor(x.shape[0]))",
    "return x + torch.arange(4).to(x.device.type)",
    "return x + torch.eye(4)[0].type(x.type())",
    "y = torch.empty(0)\nfor number in range(2):\n    y = x if number == 0 else torch.cat([y, x])\nreturn y",
    "y = torch.ones(4) if x.device.type == 'cpu' else x\nreturn x + y",
    "y = torch.ones(4)\nif x.is_cuda:\n    y = y.cuda()\nreturn x + y",
    "y = torch.ones(4)\nif y.device != x.device:\n    y = y.to(x.device)\nreturn x + y",
    "y = torch.ones(4)\ny = y.to(x.device) if x.is_cuda else y\nreturn x + y",
    "return x + Weights(4, x.device).values",
    "return x[:, Steps(4).counts]",
    "steps = Steps(4)\nsteps.move(x.device)\nreturn x + steps.moved",
    "steps = Steps(4)\nsteps.later = x\nreturn x + steps.later",
    "if x.is_cuda:\n    y = x\nelse:\n    y = torch.ones(4)\nreturn x + y",
    "total = torch.tensor(0.0)\nfor row in x:\n    total = total + row.sum()\ntotal += x.sum()\nreturn total",
    "y = x.sum()\ny += torch.tensor(1.0)\nreturn y",
    "y = torch.tensor(0.0)\ny.copy_(x.sum())\nreturn y",
    "return torch.stack([torch.tensor(0.0), torch.tensor(1.0)])",
]
"""None fails on a GPU for that reason."""


def program(body: str) -> str:
    """A module whose ``forward`` has this body."""
    return HEAD + "".join(f"        {line}\n" for line in body.splitlines())


RUN = """

net = Net().cuda()
try:
    net(torch.ones(2, 4).cuda())
except Exception as error:
    print(type(error).__name__, error)
"""
"""Runs the module on a GPU, and prints how it fails."""
