"""transformers: greedy search, beam search and sampling with a cache."""

from common import DEVICE, torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(
    vocab_size=99, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, pad_token_id=0
)
model = LlamaForCausalLM(config).to(DEVICE).eval()
ids = torch.randint(1, 99, (2, 5)).to(DEVICE)
for options in ({"do_sample": False}, {"num_beams": 3, "do_sample": False}, {"do_sample": True, "top_k": 10}):
    print(model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, **options).tolist())
