"""Registration of two made-up volumes by the two first levels of a pyramid (cwmok/LapIRN at c17fb75)."""

import sys

import torch
from made_up import stand_in

stand_in("nibabel")
sys.path.insert(0, "Code")

from miccai2020_model_stage import (  # noqa: E402
    Miccai2020_LDR_laplacian_unit_add_lvl1,
    Miccai2020_LDR_laplacian_unit_add_lvl2,
)

first = Miccai2020_LDR_laplacian_unit_add_lvl1(2, 3, 2, imgshape=(4, 4, 4))
second = Miccai2020_LDR_laplacian_unit_add_lvl2(2, 3, 2, imgshape=(8, 8, 8), model_lvl1=first)
displacement, *_ = second(torch.rand(1, 1, 16, 16, 16), torch.rand(1, 1, 16, 16, 16))
displacement.sum().backward()
