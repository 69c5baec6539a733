"""Two voices taken apart in a made-up recording (JusperLee/Dual-Path-RNN-Pytorch at 87b6301)."""

import os
import sys

import torch
from made_up import stand_in

stand_in("torchaudio", "librosa")
sys.path.insert(0, ".")
import dualrnn_test  # noqa: E402
from model.model_rnn import Dual_RNN_model  # noqa: E402

sizes = {"in_channels": 8, "out_channels": 8, "hidden_channels": 8, "kernel_size": 2, "num_layers": 1, "K": 10}
sizes |= {"bidirectional": True, "rnn_type": "LSTM", "norm": "ln", "dropout": 0, "num_spks": 2}
os.makedirs("made", exist_ok=True)
model = Dual_RNN_model(**sizes)
torch.save({"model_state_dict": model.state_dict(), "epoch": 1}, "made/best.pt")
logger = {"name": "made", "path": "made", "screen": True, "tofile": False}
dualrnn_test.parse = lambda *_: {"Dual_Path_RNN": sizes, "logger": logger}
dualrnn_test.AudioReader = lambda *_, **__: [("one.wav", torch.rand(200))]
dualrnn_test.write_wav = lambda name, sound, rate: torch.save(sound, name)
sys.argv = ["dualrnn_test.py", "-model", "made/best.pt", "-save_path", "made"]
dualrnn_test.main()
