"""Two epochs of translating made-up sentences (jadore801120/attention-is-all-you-need-pytorch)."""

import sys
from types import SimpleNamespace

import torch
from made_up import script, stand_in

sys.path.insert(0, ".")
stand_in("torchtext")
made = script("train.py", name="made")
sentences = SimpleNamespace(src=torch.randint(1, 9, (6, 2)), trg=torch.randint(1, 9, (7, 2)))


def loaders(opt, _):
    """Loaders of made-up sentences, and what the program notes of their words."""
    opt.max_token_seq_len, opt.src_pad_idx, opt.trg_pad_idx = 10, 0, 0
    opt.src_vocab_size = opt.trg_vocab_size = 9
    return [sentences] * 2, [sentences]


made["main"].__globals__["prepare_dataloaders"] = loaders
sizes = ["-d_model", "16", "-d_inner_hid", "16", "-n_head", "2", "-n_layers", "1", "-d_k", "8", "-d_v", "8"]
sys.argv = ["train.py", "-data_pkl", "none", "-output_dir", "made", "-epoch", "2", "-label_smoothing", *sizes]
made["main"]()
