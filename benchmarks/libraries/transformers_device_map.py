"""transformers: from_pretrained with a device map."""

import tempfile

from common import DEVICE, torch
from transformers import GPT2Config, GPT2LMHeadModel

with tempfile.TemporaryDirectory() as folder:
    GPT2LMHeadModel(GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4)).save_pretrained(folder)
    model = GPT2LMHeadModel.from_pretrained(folder, device_map="auto" if DEVICE.type == "cuda" else "cpu")
    assert model.device.type == DEVICE.type
    with torch.no_grad():
        print(f"{model(torch.arange(9)[None].to(DEVICE)).logits.sum().item():.5f}")
