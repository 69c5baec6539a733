"""A made-up model without its small weights (locuslab/wanda)."""

from types import SimpleNamespace

import torch
from made_up import stand_in

stand_in("transformers", "datasets")
from lib import prune  # noqa: E402

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layers = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 4)).to(device)])
model = SimpleNamespace(model=SimpleNamespace(layers=layers))
prune.prune_magnitude(SimpleNamespace(sparsity_ratio=0.5), model, None)
