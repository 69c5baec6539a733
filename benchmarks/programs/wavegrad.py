"""Two epochs of made-up sounds from noise, and their test (ivanvovk/WaveGrad at 721c37c)."""

import json
import sys
import types
from unittest import mock

import numpy
import torch
from made_up import MadeUp, old_loaders, script
from torch import nn

old_loaders()
numpy.product = numpy.prod


class Sounds(MadeUp):
    """Sounds of 1200 numbers."""

    def __getitem__(self, index):
        return torch.rand(1200)

    def sample_test_batch(self, count):
        return [torch.rand(1200) for _ in range(count)]


class Spectrogram(nn.Module):
    """A spectrogram of a kind."""

    def __init__(self, **_):
        super().__init__()
        self.register_buffer("window", torch.ones(8, 1))

    def forward(self, sound):
        sound = sound.view(1, -1) if sound.dim() < 2 else sound
        return nn.functional.avg_pool1d(sound.unsqueeze(1), 300) * self.window


data = types.ModuleType("data")
data.AudioDataset, data.MelSpectrogramFixed = Sounds, Spectrogram
logger = types.ModuleType("logger")
logger.Logger = mock.MagicMock()
sys.modules.update(data=data, logger=logger)
with open("configs/default.json") as file:
    config = json.load(file)
config["data_config"]["n_mels"] = 8
config["model_config"].update(
    upsampling_preconv_out_channels=8,
    upsampling_out_channels=[8] * 5,
    downsampling_preconv_out_channels=32,
    downsampling_out_channels=[8] * 4,
)
config["training_config"].update(batch_size=2, segment_length=1200, n_epoch=2, n_samples_to_test=1)
config["training_config"]["test_noise_schedule"]["n_iter"] = 3
with open("made.json", "w") as file:
    json.dump(config, file)
script("train.py", "-c", "made.json", "-v", "false")
