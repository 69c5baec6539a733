"""opacus: DP-SGD with gradients of each sample."""

import warnings

from common import DEVICE, torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(2, (32,))), batch_size=8)
model, optimizer, data = PrivacyEngine().make_private(
    module=model, optimizer=optimizer, data_loader=data, noise_multiplier=1.0, max_grad_norm=1.0, poisson_sampling=False
)
for inputs, labels in data:
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs.to(DEVICE)), labels.to(DEVICE))
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}")
