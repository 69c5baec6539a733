"""One made-up voice in another's voice (jjery2243542/adaptive_voice_conversion at d1cad9f)."""

import functools
import os
import pickle
import sys
import types

import numpy
import torch
import yaml
from made_up import old_loaders, script, stand_in

stand_in("editdistance", "librosa", "tensorboardX")
old_loaders()
voice = numpy.random.rand(64, 512).astype("f4")
read = types.ModuleType("preprocess.tacotron.utils")
read.get_spectrograms = lambda _: (voice, voice)
read.melspectrogram2wav = lambda _: numpy.zeros(8, "f4")
sys.modules["preprocess.tacotron.utils"] = read
with open("config.yaml") as file:
    settings = yaml.safe_load(file)
yaml.load = functools.partial(yaml.load, Loader=yaml.FullLoader)
from model import AE  # noqa: E402

os.makedirs("made")
torch.save(AE(settings).state_dict(), "made/model.ckpt")
with open("made/attr.pkl", "wb") as file:
    pickle.dump({"mean": numpy.float32(0), "std": numpy.float32(1)}, file)
paths = ["-a=made/attr.pkl", "-c=config.yaml", "-m=made/model.ckpt", "-s=made.wav", "-t=made.wav", "-o=made/out.wav"]
script("inference.py", *paths)
