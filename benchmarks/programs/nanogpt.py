"""Two steps of training on made-up text, and text from what came out (karpathy/nanoGPT at 3adf61e)."""

import os

import numpy
from made_up import script, stand_in

os.makedirs("data/made")
for part in ("train", "val"):
    (numpy.arange(400) % 50).astype("uint16").tofile(f"data/made/{part}.bin")
sizes = ["--n_layer=1", "--n_head=1", "--n_embd=8", "--block_size=8", "--batch_size=2"]
steps = ["--max_iters=2", "--eval_iters=1", "--eval_interval=1", "--gradient_accumulation_steps=1", "--compile=False"]
script("train.py", "--dataset=made", "--always_save_checkpoint=True", *sizes, *steps)
stand_in("tiktoken")
import tiktoken  # noqa: E402

tiktoken.get_encoding("gpt2").encode = lambda *_, **__: [1, 2, 3]
tiktoken.get_encoding("gpt2").decode = str
script("sample.py", "--num_samples=1", "--max_new_tokens=4", "--dtype=float32")
