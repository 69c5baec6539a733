"""One epoch of a vocoder, on made-up sound (descriptinc/melgan-neurips at 6488045)."""

import sys
from pathlib import Path

import numpy
import torch
from made_up import MadeUp, script, stand_in

stand_in("librosa", "tensorboard")
import librosa.filters  # noqa: E402
import tensorboardX  # noqa: E402

sys.modules["torch.utils.tensorboard"] = tensorboardX
librosa.filters.mel = lambda rate, size, bands, *_: numpy.ones((bands, size // 2 + 1))
STFT = torch.stft


def older_stft(*given, **named):
    """Give real and imaginary parts, as torch did when this was written."""
    return torch.view_as_real(STFT(*given, **named, return_complex=True))


torch.stft = older_stft
import mel2wav.dataset  # noqa: E402
import mel2wav.utils  # noqa: E402


class Sound(MadeUp):
    """Sound without labels."""

    def __getitem__(self, index):
        return torch.rand(1, 8192) - 0.5


mel2wav.dataset.AudioDataset = Sound
mel2wav.utils.save_sample = lambda *_: None
tensorboardX.SummaryWriter.add_audio = lambda *_, **__: None
SMALL = ["--ngf", "4", "--n_residual_layers", "1", "--num_D", "1", "--batch_size", "2"]
Path("made").mkdir(exist_ok=True)
script(
    "scripts/train.py", "--save_path", "made", "--data_path", "made", "--epochs", "1", "--save_interval", "2", *SMALL
)
