"""A probe of made-up hidden states, with its test (collin-burns/discovering_latent_knowledge at be10d7b)."""

import numpy
from made_up import script, stand_in

stand_in("torchvision", "promptsource", "transformers", "datasets")
import utils  # noqa: E402

states = numpy.random.rand(12, 4, 2).astype("float32")
truth = numpy.arange(12) % 2
utils.load_all_generations = lambda _: (states, states[::-1] + 1, truth)
probe = utils.CCS(states[:, :, 0], states[:, :, 1], nepochs=3, ntries=2)
probe.repeated_train()
probe.get_acc(states[:, :, 0], states[:, :, 1], truth)
script("evaluate.py")
