"""Sound from a made-up voice, as in training (yl4579/StyleTTS2)."""

import random

import torch
from made_up import stand_in

stand_in("librosa", "matplotlib")
from Modules.istftnet import Decoder  # noqa: E402

sizes = {"upsample_rates": [2, 2], "upsample_kernel_sizes": [4, 4], "upsample_initial_channel": 512}
network = Decoder(dim_in=512, style_dim=8, resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1, 3, 5]], **sizes)
network.train()
network.cuda() if torch.cuda.is_available() else None
device = next(network.parameters()).device
random.randint = lambda _, last: last
pitch = torch.rand(1, 16, device=device)
network(torch.rand(1, 512, 8, device=device), pitch, pitch, torch.rand(1, 8, device=device)).mean().backward()
