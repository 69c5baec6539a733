"""Steps of training on made-up sound, resumed, and a sound (lmnt-com/diffwave at 0594106)."""

import sys
from argparse import Namespace
from unittest import mock

import torch
from made_up import stand_in

stand_in("torchaudio")
sys.modules["torch.utils.tensorboard"] = mock.MagicMock()
sys.path.insert(0, "src")
sys.modules.pop("diffwave", None)
from diffwave import inference, learner  # noqa: E402
from diffwave.__main__ import main  # noqa: E402
from diffwave.params import params  # noqa: E402

params.update(residual_layers=2, residual_channels=4, n_mels=80, noise_schedule=[0.1, 0.2, 0.3])
one = {"audio": torch.rand(2, 2048), "spectrogram": torch.rand(2, 80, 8)}
learner.from_path = lambda *_: [one, one]
for steps in (2, 4):
    main(Namespace(model_dir="made", data_dirs=["made"], max_steps=steps, fp16=False))
inference.predict(torch.rand(80, 4), "made")
