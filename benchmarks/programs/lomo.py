"""A step of training that keeps no gradients (OpenLMLab/LOMO)."""

import torch
from lomo_optim import AdaLomo

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 3)).to(device)
optimizer = AdaLomo(network)
loss = network(torch.rand(2, 4, device=device)).square().mean()
optimizer.fused_backward(loss, 1e-3)
