"""transformers: GPT2LMHeadModel in training."""

from common import DEVICE, torch, train
from transformers import GPT2Config, GPT2LMHeadModel

config = GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4)
model = GPT2LMHeadModel(config).to(DEVICE)
ids = torch.randint(1, 99, (2, 10)).to(DEVICE)
labels = ids
train(model.parameters(), lambda: model(input_ids=ids, labels=labels).loss)
