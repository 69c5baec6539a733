"""One epoch of forecasting made-up prices, with its tests (cure-lab/SCINet at 02e6b0a)."""

import os
import sys
import types
from unittest import mock

import numpy
from made_up import old_scalars, script, stand_in

old_scalars()
stand_in("seaborn")
sys.modules["torch.utils.tensorboard"] = types.ModuleType("torch.utils.tensorboard")
sys.modules["torch.utils.tensorboard"].SummaryWriter = lambda *_, **__: mock.MagicMock()
sys.path.insert(0, ".")
os.makedirs("made", exist_ok=True)
os.makedirs("datasets/financial", exist_ok=True)
numpy.savetxt("datasets/financial/exchange_rate.txt", numpy.random.default_rng(0).random((220, 8)), delimiter=",")
sizes = ["--window_size", "16", "--horizon", "4", "--levels", "2", "--batch_size", "8", "--hidden-size", "0.5"]
script("run_financial.py", "--epochs", "1", "--save_path", "made/", *sizes)
