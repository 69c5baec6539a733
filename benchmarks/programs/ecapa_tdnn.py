"""One epoch of speaker recognition on made-up sound, with its evaluation (TaoRuijie/ECAPA-TDNN at 4904fda)."""

import os

import numpy
import torch
from made_up import MadeUp, script, stand_in

stand_in("torchaudio", "soundfile")
import soundfile  # noqa: E402
import torchaudio.transforms  # noqa: E402


class MelSpectrogram(torch.nn.Module):
    """Frames of sound in the place of spectrograms."""

    def __init__(self, **_):
        super().__init__()

    def forward(self, sound):
        """Eighty values each time."""
        return sound[:, : sound.shape[1] // 80 * 80].reshape(len(sound), -1, 80).transpose(1, 2)[..., :20].abs()


torchaudio.transforms.MelSpectrogram = MelSpectrogram
numpy.float = float  # the program was written for an older numpy
soundfile.read = lambda *_: (numpy.random.rand(16000), 16000)
import dataLoader  # noqa: E402

MadeUp.item = (torch.rand(3200), 1)
dataLoader.train_loader = MadeUp
os.mkdir("made")
with open("made/list.txt", "w") as file:
    file.write("1 a b\n0 a c\n")
sizes = ["--C", "16", "--n_class", "4", "--batch_size", "2", "--n_cpu", "0"]
try:
    script("trainECAPAModel.py", "--eval_list", "made/list.txt", "--save_path", "made", "--max_epoch", "1", *sizes)
except NameError as end:
    if "quit" not in str(end):
        raise
