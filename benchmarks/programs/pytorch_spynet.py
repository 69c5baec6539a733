"""What moves between the two pictures of the program, by made-up weights (sniklaus/pytorch-spynet)."""

import torch
from made_up import script

SIZES = [8, 32, 64, 32, 16, 2]


def weights(**_):
    """Made-up weights of all levels."""
    made = {}
    for level in range(6):
        for layer in range(5):
            name = f"moduleBasic.{level}.moduleBasic.{2 * layer}"
            made[f"{name}.weight"] = torch.rand(SIZES[layer + 1], SIZES[layer], 7, 7) / 1000
            made[f"{name}.bias"] = torch.zeros(SIZES[layer + 1])
    return made


torch.hub.load_state_dict_from_url = weights
script("run.py", "--out", "made.flo")
