"""peft: LoRA trained in mixed precision, saved and read again."""

import tempfile

import torch
from common import gpt2
from peft import LoraConfig, PeftModel, get_peft_model

torch.manual_seed(0)
model = get_peft_model(gpt2(), LoraConfig(r=2, target_modules=["c_attn"], fan_in_fan_out=True)).to("cuda")
ids = torch.ones(1, 4, dtype=torch.long, device="cuda")
scaler = torch.cuda.amp.GradScaler()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
with torch.cuda.amp.autocast():
    loss = model(input_ids=ids, labels=ids).loss
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
assert loss.item() > 0
with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    again = PeftModel.from_pretrained(gpt2(), folder, torch_device="cuda").cuda()
assert again(input_ids=ids).logits.shape[:2] == ids.shape
