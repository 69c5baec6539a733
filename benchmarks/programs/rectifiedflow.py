"""Pictures along straight lines, by a made-up network (gnobitab/RectifiedFlow)."""

import sys
import types
from types import SimpleNamespace

import torch
from made_up import stand_in

stand_in("torchvision", "matplotlib", "scipy", "lpips", "ml_collections", "tensorflow", "jax")
sys.path.insert(0, "ImageGeneration")
models = sys.modules["models"] = types.ModuleType("models")
names = "from_flattened_numpy", "to_flattened_numpy", "get_score_fn"
models.utils = SimpleNamespace(**dict.fromkeys(names), get_model_fn=lambda model, **_: model)  # type: ignore[attr-defined]
sys.modules["models.utils"] = models.utils  # type: ignore[attr-defined,assignment]
import sampling  # noqa: E402

flow = SimpleNamespace(T=1.0, sample_N=2, noise_scale=1.0, sigma_t=lambda t: 0.1, use_ode_sampler="euler")
flow.get_z0 = lambda batch, **_: torch.randn_like(batch)
draw = sampling.get_rectified_flow_sampler(flow, (2, 3, 4, 4), lambda x: x)
draw(lambda x, t: x * t.view(-1, 1, 1, 1))
