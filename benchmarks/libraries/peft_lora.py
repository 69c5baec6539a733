"""peft: LoRA on a language model."""

from common import DEVICE, torch, train
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4)).to(DEVICE)
model = get_peft_model(model, LoraConfig(r=4, target_modules=["c_attn"], task_type="CAUSAL_LM")).to(DEVICE)
ids = torch.randint(1, 99, (2, 10)).to(DEVICE)
train((one for one in model.parameters() if one.requires_grad), lambda: model(input_ids=ids, labels=ids).loss)
print(f"{model.merge_and_unload()(ids).logits.sum().item():.4f}")
