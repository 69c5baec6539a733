"""transformers: a classifier, its batch, and the time that it takes."""

import time

import torch
from transformers import BatchEncoding, BertConfig, BertForSequenceClassification

torch.manual_seed(0)
config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=32)
model = BertForSequenceClassification(config).to("cuda").eval()
ones = torch.ones(2, 5, dtype=torch.long)
batch = BatchEncoding({"input_ids": ones, "attention_mask": ones})
batch = batch.to("cuda")
with torch.inference_mode():
    torch.cuda.synchronize()
    start = time.perf_counter()
    logits = model(**batch).logits
    torch.cuda.synchronize()
    print(f"{time.perf_counter() - start:.3f} s")
assert logits.shape == (2, 2)
torch.cuda.empty_cache()
