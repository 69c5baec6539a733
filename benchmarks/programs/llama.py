"""An answer of a made-up model (meta-llama/llama)."""

import sys
import types
from types import SimpleNamespace

import torch
from made_up import stand_in
from torch import nn

stand_in("sentencepiece", "fairscale")
parallel = sys.modules["fairscale.nn.model_parallel.layers"] = types.ModuleType("fairscale.nn.model_parallel.layers")


class Linear(nn.Linear):
    """A layer that is on one machine."""

    def __init__(self, one, two, bias=True, **_):
        super().__init__(one, two, bias)


class Embedding(nn.Embedding):
    """Vectors that are on one machine."""

    def __init__(self, one, two, **_):
        super().__init__(one, two)


parallel.ColumnParallelLinear = parallel.RowParallelLinear = Linear  # type: ignore[attr-defined]
parallel.ParallelEmbedding = Embedding  # type: ignore[attr-defined]
from llama import generation, model  # noqa: E402

model.fs_init.get_model_parallel_world_size = lambda: 1
sizes = {"dim": 16, "n_layers": 1, "n_heads": 2, "multiple_of": 8, "max_batch_size": 2, "max_seq_len": 16}
network = model.Transformer(model.ModelArgs(vocab_size=32, **sizes))
network.cuda() if torch.cuda.is_available() else None
tokenizer = SimpleNamespace(pad_id=0, eos_id=1)
generation.Llama(network, tokenizer).generate([[2, 3], [4, 5, 6]], max_gen_len=4)
