"""Two towers with shared weights and a contrastive loss module of its own."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(9)


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=2.0):
        super().__init__()
        self.margin = margin

    def forward(self, one, two, label):
        distance = F.pairwise_distance(one, two)
        return torch.mean((1 - label) * distance.pow(2) + label * torch.clamp(self.margin - distance, min=0.0).pow(2))


tower = nn.Sequential(
    nn.ReflectionPad2d(1), nn.Conv2d(1, 4, 3), nn.ReLU(), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(4 * 64, 5)
).cuda()
criterion = ContrastiveLoss()
optimizer = torch.optim.Adam(tower.parameters(), lr=5e-3)
for step in range(5):
    one, two, label = (
        torch.randn(8, 1, 8, 8).cuda(),
        torch.randn(8, 1, 8, 8).cuda(),
        torch.randint(0, 2, (8,)).float().cuda(),
    )
    optimizer.zero_grad()
    loss = criterion(tower(one), tower(two), label)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
print(F.pairwise_distance(tower(one), tower(two)).cpu().detach().numpy().sum())
