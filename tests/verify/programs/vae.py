"""A variational auto-encoder: the reparametrisation trick draws on the device."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(4)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.mu, self.var = nn.Linear(30, 20), nn.Linear(20, 5), nn.Linear(20, 5)
        self.fc3, self.fc4 = nn.Linear(5, 20), nn.Linear(20, 30)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        mu, logvar = self.mu(h), self.var(h)
        std = torch.exp(0.5 * logvar)
        z = mu + torch.randn_like(std) * std
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(6):
    data = torch.rand(16, 30).to(device)
    optimizer.zero_grad()
    recon, mu, logvar = model(data)
    loss = F.binary_cross_entropy(recon, data, reduction="sum") - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    loss.backward()
    optimizer.step()
    print(step, loss.item())
with torch.no_grad():
    sample = torch.randn(4, 5).to(device)
    print(torch.sigmoid(model.fc4(F.relu(model.fc3(sample)))).cpu().double().sum().item())
