"""transformers: LlamaForCausalLM in training."""

from common import DEVICE, torch, train
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(vocab_size=99, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
model = LlamaForCausalLM(config).to(DEVICE)
ids = torch.randint(1, 99, (2, 10)).to(DEVICE)
labels = ids
train(model.parameters(), lambda: model(input_ids=ids, labels=labels).loss)
