"""A DataLoader with workers and pinned memory feeds the device."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        x = torch.linspace(0, 1, 6) * (i % 7)
        return x, (x * x).sum().unsqueeze(0)


if __name__ == "__main__":
    torch.manual_seed(17)
    loader = DataLoader(Squares(), batch_size=8, shuffle=True, num_workers=2, pin_memory=True, drop_last=True)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(2):
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            loss = nn.functional.smooth_l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(epoch, loss.item())
