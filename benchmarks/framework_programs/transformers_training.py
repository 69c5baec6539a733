"""transformers: Trainer, a model that is read again, and generate under autocast."""

import tempfile

import torch
from common import gpt2
from torch.utils.data import Dataset
from transformers import GPT2LMHeadModel, Trainer, TrainingArguments


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        ids = torch.arange(8) % 7
        return {"input_ids": ids, "labels": ids}


torch.manual_seed(0)
model = gpt2().cuda()
with tempfile.TemporaryDirectory() as folder:
    args = TrainingArguments(folder, max_steps=2, per_device_train_batch_size=2, report_to=[], save_strategy="no")
    trainer = Trainer(model=model, args=args, train_dataset=Numbers())
    assert trainer.train().training_loss > 0
    model.save_pretrained(folder)
    again = GPT2LMHeadModel.from_pretrained(folder, device_map="cuda")
ids = torch.ones(1, 4, dtype=torch.long).to("cuda")
with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
    assert again(ids).logits.shape[:2] == ids.shape
assert again.generate(ids, max_new_tokens=2, do_sample=False).shape[0] == 1
