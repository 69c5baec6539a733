"""The value that writes a fact into a made-up model (kmeng01/memit)."""

from types import SimpleNamespace

import torch
from made_up import stand_in
from torch import nn

stand_in("datasets", "dotenv", "transformers")
from memit import compute_z  # noqa: E402


class Words(dict):
    """Tokens that can be moved."""

    def to(self, device):
        """The same on the device."""
        return Words({name: value.to(device) for name, value in self.items()})


class Tokenizer:
    """Every text is four tokens."""

    def __call__(self, texts, **_):
        count = len(texts) if isinstance(texts, list) else 1
        return Words(input_ids=torch.arange(4).repeat(count, 1), attention_mask=torch.ones(count, 4, dtype=torch.long))

    def decode(self, _):
        """Some text."""
        return " made up"


class Layer(nn.Module):
    """One layer, that gives a tuple."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        """The next state."""
        return (self.linear(x).clone(),)


class Model(nn.Module):
    """A model of two layers."""

    def __init__(self):
        super().__init__()
        self.config = SimpleNamespace(n_embd=8, vocab_size=16)
        self.words = nn.Embedding(16, 8)
        self.layers = nn.ModuleList([Layer(), Layer()])
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 16)

    def forward(self, input_ids, **_):
        """What comes next."""
        x = self.words(input_ids)
        for layer in self.layers:
            x = layer(x)[0]
        return SimpleNamespace(logits=self.head(self.norm(x)))


steps = {"v_num_grad_steps": 2, "v_lr": 0.1, "v_loss_layer": 1, "v_weight_decay": 0.5, "clamp_norm_factor": 4}
names = {"lm_head_module": "head", "ln_f_module": "norm", "layer_module_tmp": "layers.{}", "fact_token": "last"}
model = Model()
model.cuda() if torch.cuda.is_available() else None
request = {"prompt": "{} is", "subject": "it", "target_new": {"str": "made up"}}
compute_z.find_fact_lookup_idx = lambda *_, **__: 1
hparams = SimpleNamespace(**steps, **names, kl_factor=0.1)
compute_z.compute_z(model, Tokenizer(), request, hparams, 0, [["{}"]])
