"""A step of training and a test of an autoencoder with a memory, on made-up frames (cvlab-yonsei/MNAD at 4e108a8)."""

import torch
from model.Reconstruction import convAE

model = convAE(n_channel=3, memory_size=10)
frames, memory = torch.rand(2, 3, 32, 32), torch.nn.functional.normalize(torch.rand(10, 512), dim=1)
output, *_, memory, _, _, separateness, compactness = model(frames, memory, True)
(((output - frames) ** 2).mean() + separateness + compactness).backward()
model.eval()
model(frames, memory.detach(), False)
