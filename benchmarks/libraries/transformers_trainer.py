"""transformers: Trainer in the precision that the argument says: fp32 or bf16."""

import sys
import tempfile

from common import DEVICE, torch
from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments

IS_HALF = sys.argv[1] == "bf16"
DIGITS = 1 if IS_HALF else 4
config = BertConfig(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37)
rows = [{"input_ids": torch.randint(1, 99, (8,)), "labels": torch.tensor(i % 2)} for i in range(16)]
with tempfile.TemporaryDirectory() as folder:
    settings = TrainingArguments(
        folder,
        per_device_train_batch_size=4,
        num_train_epochs=1,
        logging_steps=2,
        report_to=[],
        bf16=IS_HALF,
        use_cpu=DEVICE.type == "cpu",
        seed=1,
        disable_tqdm=True,
    )
    trainer = Trainer(BertForSequenceClassification(config), settings, train_dataset=rows, eval_dataset=rows)
    trainer.remove_callback(PrinterCallback)  # which prints how long everything took
    trainer.train()
    print(
        f"{trainer.evaluate()['eval_loss']:.{DIGITS}f}",
        trainer.model.device.type == trainer.args.device.type,
    )
for entry in trainer.state.log_history:
    if "loss" in entry:
        print(f"{float(entry['loss']):.{DIGITS}f}")
