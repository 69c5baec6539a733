"""A straight-through estimator and a fused activation as autograd functions."""

import torch
import torch.nn as nn


class Binarize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1).type_as(grad)


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        sigmoid = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, sigmoid)
        ctx.beta = beta
        return x * sigmoid

    @staticmethod
    def backward(ctx, grad):
        x, sigmoid = ctx.saved_tensors
        return grad * (sigmoid + ctx.beta * x * sigmoid * (1 - sigmoid)), None


torch.manual_seed(12)
one, two = nn.Linear(6, 10).cuda(), nn.Linear(10, 1).cuda()
optimizer = torch.optim.Adagrad([*one.parameters(), *two.parameters()], lr=0.1)
for step in range(6):
    x = torch.randn(16, 6).cuda()
    y = x[:, :1].sign()
    loss = (two(Swish.apply(one(Binarize.apply(x)), 1.5)) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), one.weight.grad.norm().item())
