"""The main directions of made-up activations (HoagyC/sparse_coding)."""

import sys
import types
from collections import defaultdict

import torch
from made_up import stand_in

stand_in("torchopt", "optree", "transformer_lens", "sklearn", "datasets", "transformers", "dotenv", "wandb")
shapes = sys.modules["torchtyping"] = types.ModuleType("torchtyping")
shapes.TensorType = defaultdict(lambda: torch.Tensor)  # type: ignore[attr-defined]
from autoencoders import pca  # noqa: E402

seen = torch.rand(8, 4)
pca.calc_mean(seen, batch_size=4)
pca.calc_pca(seen, batch_size=4)
