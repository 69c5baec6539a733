"""An exponential moving average of the weights, and distillation from it."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(15)
student = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)).cuda()
teacher = copy.deepcopy(student).cuda().eval()
for p in teacher.parameters():
    p.requires_grad = False
shadow = {name: p.data.clone() for name, p in student.named_parameters() if p.requires_grad}
optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9, nesterov=True)
for step in range(6):
    x = torch.randn(10, 8).cuda()
    with torch.no_grad():
        soft = F.softmax(teacher(x + 0.1 * torch.randn(10, 8).cuda()) / 2, 1)
    loss = F.kl_div(F.log_softmax(student(x) / 2, 1), soft, reduction="batchmean") + F.cross_entropy(
        student(x), soft.argmax(1)
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.mul_(0.9).add_(s, alpha=0.1)
        for name, p in student.named_parameters():
            shadow[name] = 0.9 * shadow[name] + 0.1 * p.data
    print(step, loss.item(), sum(v.double().sum().item() for v in shadow.values()))
