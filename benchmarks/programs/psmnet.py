"""How far away made-up pairs of pictures are (JiaRenChang/PSMNet)."""

import torch
from models.stackhourglass import PSMNet

network = PSMNet(16)
network.cuda() if torch.cuda.is_available() else None
device = next(network.parameters()).device
left, right = torch.rand(2, 3, 256, 256, device=device), torch.rand(2, 3, 256, 256, device=device)
sum(one.mean() for one in network(left, right)).backward()
