"""transformers: T5ForConditionalGeneration in training."""

from common import DEVICE, torch, train
from transformers import T5Config, T5ForConditionalGeneration

config = T5Config(vocab_size=99, d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4, decoder_start_token_id=0)
model = T5ForConditionalGeneration(config).to(DEVICE)
ids = torch.randint(1, 99, (2, 10)).to(DEVICE)
labels = ids
train(model.parameters(), lambda: model(input_ids=ids, labels=labels).loss)
