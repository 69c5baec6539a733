"""Gradient accumulation, parameter groups, and a cosine schedule with warm-up."""

import math

import torch
import torch.nn as nn

torch.manual_seed(14)
model = nn.Sequential(nn.Linear(10, 20), nn.LayerNorm(20), nn.GELU(), nn.Linear(20, 4)).cuda()
decay = [p for p in model.parameters() if p.dim() > 1]
rest = [p for p in model.parameters() if p.dim() == 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=0.01)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: min((i + 1) / 3, 0.5 * (1 + math.cos(i / 4))))
running = torch.zeros(1).cuda()
for i in range(12):
    x, y = torch.randn(6, 10).cuda(), torch.randint(0, 4, (6,)).cuda()
    loss = nn.functional.cross_entropy(model(x), y) / 3
    loss.backward()
    running += loss.detach()
    if (i + 1) % 3 == 0:
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        print(i, running.item(), norm.item(), schedule.get_last_lr())
        running.zero_()
