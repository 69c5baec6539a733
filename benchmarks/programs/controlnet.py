"""A picture drawn in four steps by a made-up network (lllyasviel/ControlNet at ed85cd1)."""

import types

import torch
from cldm.ddim_hacked import DDIMSampler

BETAS = torch.linspace(1e-4, 2e-2, 100)
KEPT = torch.cumprod(1 - BETAS, 0)
model = types.SimpleNamespace(num_timesteps=100, betas=BETAS, alphas_cumprod=KEPT, parameterization="eps")
model.alphas_cumprod_prev = torch.cat([torch.ones(1), KEPT[:-1]])
model.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.apply_model = lambda x, t, c: 0.1 * x + 0 * t.view(-1, 1, 1, 1)
sampler = DDIMSampler(model)
drawn, _ = sampler.sample(4, 2, (4, 8, 8), {"c_concat": [torch.zeros(2, 4)]}, eta=0.5, verbose=False)
assert drawn.shape == (2, 4, 8, 8)
