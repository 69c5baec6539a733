"""How likely a made-up answer is, and an answer (ML-GSAI/LLaDA)."""

from types import SimpleNamespace

import torch
from made_up import stand_in
from torch import nn

stand_in("transformers", "datasets")
import generate  # noqa: E402
import get_log_likelihood  # noqa: E402


class Model(nn.Module):
    """A model of one layer."""

    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(126400, 4), nn.Linear(4, 8)
        self.device = torch.device("cpu")

    def to(self, *given, **named):
        """Remember where it is."""
        super().to(*given, **named)
        self.device = self.head.weight.device
        return self

    def forward(self, tokens, **_):
        """What each token is."""
        return SimpleNamespace(logits=self.head(self.words(tokens)))


class Tokenizer:
    """Every text is three tokens."""

    padding_side = "left"
    pad_token_id = 0

    def __call__(self, texts, **_):
        if isinstance(texts, str):
            return {"input_ids": [1, 2, 3]}
        rows = torch.tensor([[1, 2, 3]] * len(texts))
        return {"input_ids": rows, "attention_mask": torch.ones_like(rows)}

    def apply_chat_template(self, *_, **__):
        """Some text."""
        return "made up"

    def batch_decode(self, *_, **__):
        """Some texts."""
        return ["made up"] * 9


for program in (generate, get_log_likelihood):
    program.AutoModel = SimpleNamespace(from_pretrained=lambda *_, **__: Model())
    program.AutoTokenizer = SimpleNamespace(from_pretrained=lambda *_, **__: Tokenizer())
likely = get_log_likelihood.get_log_likelihood
get_log_likelihood.get_log_likelihood = lambda *given, **named: likely(
    *given, **{**named, "mc_num": 2, "batch_size": 1}
)
answer = generate.generate
few = {"steps": 2, "gen_length": 4, "block_length": 2}
generate.generate = lambda *given, **named: answer(*given, **{**named, **few})
get_log_likelihood.main()
generate.main()
