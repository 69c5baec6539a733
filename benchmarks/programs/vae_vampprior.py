"""Draw grey pictures point by point (jmtomczak/vae_vampprior)."""

import os
import sys
from types import SimpleNamespace

import numpy
import torch
from made_up import stand_in

stand_in("scipy", "matplotlib")
sys.path[:0] = [os.path.abspath("models")]
numpy.prod = lambda sizes: int(numpy.multiply.reduce(sizes))
from models.PixelHVAE_2level import VAE  # noqa: E402

sizes = {"z1_size": 4, "z2_size": 4, "input_size": [1, 28, 28], "number_components": 4, "pseudoinputs_std": 0.1}
kinds = {"dataset_name": "made", "input_type": "gray", "prior": "standard", "pseudoinputs_mean": 0.0}
args = SimpleNamespace(**sizes, **kinds, use_training_data_init=False, cuda=torch.cuda.is_available(), activation=None)
network = VAE(args)
network.args.input_size = [1, 28, 28]
with torch.no_grad():
    network.generate_x(1)
