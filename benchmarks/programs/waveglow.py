"""One step of training on made-up audio, and inference with the denoiser."""

import torch
from made_up import MadeUp, stand_in

stand_in("librosa", "tensorboardX", "apex", "tacotron2")
import train  # noqa: E402

small = {"n_layers": 2, "n_channels": 16, "kernel_size": 3}
train.waveglow_config = {
    "n_mel_channels": 80,
    "n_flows": 4,
    "n_group": 8,
    "n_early_every": 2,
    "n_early_size": 2,
    "WN_config": small,
}
train.data_config, train.dist_config = {}, {}
MadeUp.item = (torch.randn(80, 8), torch.randn(2048))
train.Mel2Samp = MadeUp
train.train(1, 0, "", "out", 1, 1e-4, 1.0, 100, 2, 1, False, "", False)
model = train.WaveGlow(**train.waveglow_config)
model = model.remove_weightnorm(model).eval()
with torch.no_grad():
    model.infer(torch.randn(1, 80, 8))
