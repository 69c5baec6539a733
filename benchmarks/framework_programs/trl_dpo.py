"""trl: training from preferences, with a reference model."""

import tempfile

import torch
from common import dataset, gpt2, tokenizer_in
from trl import DPOConfig, DPOTrainer

torch.manual_seed(0)
torch.cuda.manual_seed_all(0)
with tempfile.TemporaryDirectory() as folder:
    model, reference = gpt2().to("cuda"), gpt2().to("cuda")
    rows = dataset({"prompt": ["a cat"] * 4, "chosen": [" sat"] * 4, "rejected": [" ran"] * 4})
    args = DPOConfig(folder, max_steps=2, per_device_train_batch_size=2, report_to=[], save_strategy="no", bf16=False)
    trainer = DPOTrainer(
        model=model, ref_model=reference, args=args, train_dataset=rows, processing_class=tokenizer_in(folder)
    )
    assert trainer.train().global_step == 2
    assert trainer.accelerator.gather(torch.ones(2, device="cuda")).sum().item() == 2
