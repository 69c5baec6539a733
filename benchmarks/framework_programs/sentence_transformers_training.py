"""sentence-transformers: training on a GPU, and a ranker."""

import tempfile

import torch
from common import dataset, saved_bert
from sentence_transformers import (
    CrossEncoder,
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.losses import MultipleNegativesRankingLoss

torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    saved_bert(folder)
    model = SentenceTransformer(folder).to("cuda")
    pairs = dataset({"anchor": ["a cat", "a dog"] * 4, "positive": ["cat sat", "dog ran"] * 4})
    args = SentenceTransformerTrainingArguments(folder, max_steps=2, report_to=[], save_strategy="no")
    loss = MultipleNegativesRankingLoss(model)
    trainer = SentenceTransformerTrainer(model, args, train_dataset=pairs, loss=loss)
    assert trainer.train().global_step == 2
    assert model.encode(["a cat"], convert_to_tensor=True).shape == (1, 16)
with tempfile.TemporaryDirectory() as folder:
    saved_bert(folder, num_labels=1)
    ranker = CrossEncoder(folder, device="cuda")
    assert ranker.predict([("a cat", "cat sat")], convert_to_tensor=True).shape == (1,)
