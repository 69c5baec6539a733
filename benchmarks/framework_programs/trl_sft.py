"""trl: supervised training, and the model under autocast."""

import tempfile

import torch
from common import dataset, gpt2, tokenizer_in
from trl import SFTConfig, SFTTrainer

torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    tokenizer = tokenizer_in(folder)
    model = gpt2().cuda()
    rows = dataset({"text": ["a cat sat", "a dog ran"] * 4})
    args = SFTConfig(folder, max_steps=2, per_device_train_batch_size=2, report_to=[], save_strategy="no", bf16=False)
    trainer = SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
    assert trainer.train().global_step == 2
    ids = tokenizer("a cat", return_tensors="pt").input_ids.to("cuda")
    with torch.inference_mode(), torch.autocast("cuda", dtype=torch.bfloat16):
        assert model(ids).logits.shape[:2] == ids.shape
    torch.cuda.synchronize()
