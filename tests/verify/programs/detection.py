"""Boxes, anchors, overlap and masks: indexing, sorting and scatter on the device."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(20)


def overlap(a, b):
    low, high = torch.max(a[:, None, :2], b[None, :, :2]), torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (high - low).clamp(min=0).prod(2)
    area = lambda x: (x[:, 2:] - x[:, :2]).prod(1)  # noqa: E731
    return inter / (area(a)[:, None] + area(b)[None] - inter)


centres = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij"), -1).reshape(-1, 2).float()
anchors = torch.cat([centres, centres + 1.5], 1).cuda()
head = nn.Conv2d(8, 5, 1).cuda()
optimizer = torch.optim.SGD(head.parameters(), lr=0.05)
for step in range(4):
    features = torch.randn(1, 8, 4, 4).cuda()
    corner = torch.rand(3, 2) * 3
    truth = torch.cat([corner, corner + torch.rand(3, 2) + 0.5], 1).cuda()
    best, which = overlap(anchors, truth).max(dim=1)
    which[best < 0.1] = -1
    positive = (which >= 0).nonzero(as_tuple=True)[0]
    output = head(features).permute(0, 2, 3, 1).reshape(-1, 5)
    target = torch.zeros(16).cuda()
    target[positive] = 1
    loss = F.binary_cross_entropy_with_logits(output[:, 0], target)
    if len(positive):
        loss = loss + F.l1_loss(output[positive, 1:], truth[which[positive]])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scores, order = output[:, 0].detach().sort(descending=True)
    keep = order[: int((scores > 0).sum())]
    print(step, loss.item(), positive.tolist(), keep.cpu().numpy().tolist())
