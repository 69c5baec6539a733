"""transformers: a text-classification pipeline on a device."""

import os
import tempfile

from common import DEVICE
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer, pipeline

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "vocab.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join("[PAD] [UNK] [CLS] [SEP] [MASK] a good bad film".split()))
    tokenizer = BertTokenizer(path)
config = BertConfig(vocab_size=9, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37)
classify = pipeline(
    "text-classification", model=BertForSequenceClassification(config), tokenizer=tokenizer, device=DEVICE
)
for answer in classify(["a good film", "a bad film"]):
    print(answer["label"], f"{answer['score']:.6f}")
