"""Two episodes of a fighter in a made-up game (uvipen/Street-fighter-A3C-ICM-pytorch at 6381908)."""

import sys
import types

import numpy
import torch
from made_up import script, stand_in

stand_in("cv2", "MAMEToolkit", "tensorboardX")
train = script("train.py", name="made")
from src import process  # noqa: E402

picture = numpy.ones((1, 3, 168, 168), dtype=numpy.float32)
game = types.SimpleNamespace(reset=lambda *_: picture, step=lambda _: (picture, 1.0, False, False, False))
process.create_train_env = lambda index: (game, 3, 5)
sys.argv = ["train.py", "--num_local_steps", "2", "--num_global_steps", "4"]
options = train["get_args"]()
options.num_global_steps = 4
fighter, curiosity = process.ActorCritic(3, 5), process.IntrinsicCuriosityModule(3, 5)
optimizer = torch.optim.Adam([*fighter.parameters(), *curiosity.parameters()], lr=options.lr)
process.local_train(0, options, fighter, curiosity, optimizer)
