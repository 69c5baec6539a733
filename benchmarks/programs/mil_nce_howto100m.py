"""A step of the loss between made-up videos and texts (antoine77340/MIL-NCE_HowTo100M at b282b15)."""

import torch
from loss import MILNCELoss

videos, texts = torch.nn.Linear(6, 4), torch.nn.Linear(5, 4)
optimizer = torch.optim.Adam([*videos.parameters(), *texts.parameters()])
MILNCELoss()(videos(torch.rand(3, 6)), texts(torch.rand(6, 5))).backward()
optimizer.step()
