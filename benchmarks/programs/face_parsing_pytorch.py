"""A step of training a parser of made-up faces (zllrunning/face-parsing.PyTorch at d2e684c)."""

import torch
from made_up import stand_in

stand_in("torchvision")
from torch.utils import model_zoo  # noqa: E402

model_zoo.load_url = lambda *_, **__: {}
from loss import OhemCELoss  # noqa: E402
from model import BiSeNet  # noqa: E402

network, criterion = BiSeNet(n_classes=5), OhemCELoss(thresh=0.7, n_min=8)
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
out, *_ = network(torch.rand(2, 3, 64, 64))
criterion(out, torch.randint(0, 5, (2, 64, 64))).backward()
optimizer.step()
