"""A fact written into a small language model, with statistics of made-up texts (kmeng01/rome at 0874014)."""

import torch
from made_up import stand_in
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

stand_in("datasets")
from rome import compute_u, layer_stats, rome_main  # noqa: E402

words = "pad unk the a is in plays lives Anna Bert Rome Oslo chess golf".split()
known = Tokenizer(models.WordLevel({one: at for at, one in enumerate(words)}, unk_token="unk"))
known.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=known, pad_token="pad", unk_token="unk")
sizes = {"n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 16, "vocab_size": len(words)}
model = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=0)).eval()
if torch.cuda.is_available():
    model.cuda()
model.config._name_or_path = "made"
texts = {"train": [{"text": " ".join(words[2:] * 2)} for _ in range(200)]}
layer_stats.load_dataset = lambda *_: texts
stats = layer_stats.layer_stats
compute_u.layer_stats = lambda *rest, **named: stats(*rest, **named, download=False, batch_tokens=16)
rome_main.CONTEXT_TEMPLATES_CACHE = ["{}", "in Oslo . {}"]
steps = {"v_num_grad_steps": 2, "v_lr": 0.5, "v_loss_layer": 1, "v_weight_decay": 0.5, "clamp_norm_factor": 3}
names = {"rewrite_module_tmp": "transformer.h.{}.mlp.c_proj", "layer_module_tmp": "transformer.h.{}"}
names |= {"mlp_module_tmp": "transformer.h.{}.mlp", "attn_module_tmp": "transformer.h.{}.attn"}
names |= {"ln_f_module": "transformer.ln_f", "lm_head_module": "transformer.wte", "mom2_dataset": "wikipedia"}
ways = {"fact_token": "subject_last", "kl_factor": 0.1, "mom2_adjustment": True, "context_template_length_params": []}
settings = rome_main.ROMEHyperParams(layers=[0], mom2_n_samples=200, mom2_dtype="float32", **steps, **names, **ways)
fact = {"prompt": "{} lives in the", "subject": "Anna", "target_new": {"str": "Rome"}}
rome_main.apply_rome_to_model(model, tokenizer, [fact], settings, return_orig_weights=True)
