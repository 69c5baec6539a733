"""A training step of the attention in a segmentation of made-up images (speedinghzl/CCNet at 1fae6c6)."""

import torch
from cc_attention import CrissCrossAttention

attention = CrissCrossAttention(16)
optimizer = torch.optim.SGD(attention.parameters(), 0.01)
loss = attention(torch.rand(2, 16, 5, 6)).square().mean()
loss.backward()
optimizer.step()
