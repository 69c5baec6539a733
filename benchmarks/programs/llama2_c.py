"""Two steps of training a small model on made-up tokens (karpathy/llama2.c)."""

import torch
from made_up import script, stand_in

stand_in("sentencepiece")
import tinystories  # noqa: E402


def batches(batch_size, max_seq_len, device, **_):
    """Tokens, and those that follow."""
    while True:
        tokens = torch.randint(0, 64, (batch_size, max_seq_len + 1)).to(device)
        yield tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


tinystories.Task.iter_batches = staticmethod(batches)
size = "--dim=16 --n_layers=1 --n_heads=2 --n_kv_heads=2 --max_seq_len=8 --batch_size=2 --vocab_size=64"
run = "--max_iters=2 --eval_iters=1 --vocab_source=custom --compile=False --dtype=float32 --out_dir=made"
script("train.py", *size.split(), *run.split())
