"""A made-up text spoken by a small model (NVIDIA/flowtron)."""

import torch
from flowtron import Flowtron

model = Flowtron(
    n_speakers=1, n_speaker_dim=8, n_text=20, n_text_dim=16, n_flows=2, n_mel_channels=80, n_hidden=16,
    n_attn_channels=16, n_lstm_layers=1, use_gate_layer=True, mel_encoder_n_hidden=16, n_components=0,
    fixed_gaussian=True, mean_scale=0.0, dummy_speaker_embedding=False, use_cumm_attention=False,
).eval()  # fmt: skip
with torch.no_grad():
    sizes = torch.randn(1, 80, 6), torch.zeros(1, 1, dtype=torch.long), torch.arange(9)[None]
    print(model.infer(*sizes)[0].shape)
