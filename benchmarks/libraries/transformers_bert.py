"""transformers: BertForSequenceClassification in training."""

from common import DEVICE, torch, train
from transformers import BertConfig, BertForSequenceClassification

config = BertConfig(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37)
model = BertForSequenceClassification(config).to(DEVICE)
ids = torch.randint(1, 99, (2, 10)).to(DEVICE)
labels = torch.tensor([0, 1], device=DEVICE)
train(model.parameters(), lambda: model(input_ids=ids, labels=labels).loss)
