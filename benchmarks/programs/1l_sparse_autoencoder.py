"""Three steps of finding what a made-up model thinks (neelnanda-io/1L-Sparse-Autoencoder at bcae013)."""

import functools
import json
import pathlib
import pprint
import random
import sys
import types

import numpy
import torch
import tqdm
from made_up import script, stand_in
from torch import nn

stand_in("neel_plotly", "wandb")
NAME = "blocks.0.hook_mlp_out"


class Model(nn.Module):
    """A language model of one table."""

    cfg = types.SimpleNamespace(n_layers=1, d_model=512, n_heads=1, d_head=512, d_mlp=512, d_vocab=9)

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 512)

    @classmethod
    def from_pretrained(cls, _):
        """A new one."""
        return cls()

    def forward(self, tokens, **_):
        """How wrong it is, about the tokens, which it moves to where it is."""
        return self.table(tokens.to(self.table.weight.device)).mean()

    def run_with_cache(self, tokens, **_):
        """Also what it thinks."""
        return None, {NAME: self.table(tokens.to(self.table.weight.device))}

    def run_with_hooks(self, tokens, fwd_hooks, **_):
        """How wrong it is with other thoughts."""
        for _, hook in fwd_hooks:
            thoughts = hook(self.run_with_cache(tokens)[1][NAME], None)
        return thoughts.mean()


imports = sys.modules["neel.imports"] = types.ModuleType("neel.imports")
sys.modules["neel"] = types.ModuleType("neel")
vars(imports).update(torch=torch, nn=nn, F=nn.functional, np=numpy, json=json, random=random, pprint=pprint, tqdm=tqdm)
vars(imports).update(get_ipython=lambda: None, HookedTransformer=Model, partial=functools.partial)
vars(imports).update(utils=types.SimpleNamespace(get_act_name=lambda *_: NAME), Path=lambda _: pathlib.Path("made"))
pathlib.Path("made").mkdir(exist_ok=True)
torch.load = lambda *_, **__: torch.randint(9, (200, 4))
options = {"batch_size": 8, "seq_len": 4, "buffer_mult": 32, "num_tokens": 24, "dict_mult": 2}
script("train.py", *(str(part) for name, value in options.items() for part in (f"--{name}", value)))
