"""One epoch of a vocoder on made-up sound (jik876/hifi-gan at 4769534)."""

import json
import os
import sys

import numpy
import torch
from made_up import script, stand_in
from scipy.io import wavfile

stand_in("librosa", "tensorboardX")
import librosa.filters  # noqa: E402
import librosa.util  # noqa: E402
import tensorboardX  # noqa: E402

sys.modules["torch.utils.tensorboard"] = tensorboardX
librosa.util.normalize = lambda sound: sound
librosa.filters.mel = lambda rate, n_fft, num_mels, *_: numpy.ones((num_mels, n_fft // 2 + 1))
stft = torch.stft  # the program was written for an older torch
torch.stft = lambda *given, **named: torch.view_as_real(stft(*given, **named, return_complex=True))
os.mkdir("made")
wavfile.write("made/a.wav", 22050, (numpy.random.rand(9000) * 1000).astype("int16"))
for name in ("training", "validation"):
    with open(f"made/{name}.txt", "w") as file:
        file.write("a|made up\n")
with open("config_v3.json") as file:
    config = json.load(file)
config.update(batch_size=1, segment_size=2048, upsample_initial_channel=16, num_workers=0)
with open("made/config.json", "w") as file:
    json.dump(config, file)
files = ["--input_training_file", "made/training.txt", "--input_validation_file", "made/validation.txt"]
folders = ["--input_wavs_dir", "made", "--checkpoint_path", "made/out", "--config", "made/config.json"]
script("train.py", "--training_epochs", "1", *files, *folders)
