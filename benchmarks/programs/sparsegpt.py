"""A made-up language model pruned to half its weights, and tested (IST-DASLab/sparsegpt at 147d215)."""

import sys

import torch
import transformers
from made_up import script, stand_in

stand_in("datasets")
sys.path.insert(0, ".")
import datautils  # noqa: E402

config = transformers.OPTConfig(
    vocab_size=50,
    hidden_size=16,
    num_hidden_layers=2,
    ffn_dim=32,
    max_position_embeddings=8,
    num_attention_heads=2,
    word_embed_proj_dim=16,
)
model = transformers.OPTForCausalLM(config)
for layer in model.model.decoder.layers:
    forward = layer.forward
    layer.forward = lambda *given, _forward=forward, **named: (
        result if isinstance(result := _forward(*given, **named), tuple) else (result,)
    )
transformers.OPTForCausalLM.from_pretrained = lambda *_, **__: model
tokens = torch.randint(3, 50, (1, 16))
text = type("Tokens", (), {"input_ids": tokens})()
datautils.get_loaders = lambda *_, **__: ([(tokens[:, :8], tokens[:, :8])] * 2, text)
script("opt.py", "made", "wikitext2", "--nsamples", "2", "--sparsity", "0.5")
