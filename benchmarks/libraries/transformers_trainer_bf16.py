"""transformers: Trainer in bf16."""

import tempfile

from common import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

config = BertConfig(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37)
rows = [{"input_ids": torch.randint(1, 99, (8,)), "labels": torch.tensor(i % 2)} for i in range(16)]
with tempfile.TemporaryDirectory() as folder:
    settings = TrainingArguments(
        folder,
        per_device_train_batch_size=4,
        num_train_epochs=1,
        logging_steps=2,
        report_to=[],
        bf16=True,
        seed=1,
        disable_tqdm=True,
    )
    trainer = Trainer(BertForSequenceClassification(config), settings, train_dataset=rows, eval_dataset=rows)
    trainer.train()
    print(f"{trainer.evaluate()['eval_loss']:.1f}", trainer.model.device.type == trainer.args.device.type)
for entry in trainer.state.log_history:
    if "loss" in entry:
        print(f"{float(entry['loss']):.1f}")
