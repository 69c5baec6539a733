"""Which neurons of a small model follow made-up places and times (wesg52/world-models at a572f16)."""

import sys
import types

import numpy
import pandas
import torch
from made_up import script
from transformers import LlamaConfig, LlamaForCausalLM

count = 12
for name in ("utils", "save_activations", "feature_datasets", "feature_datasets.common", "probe_experiment"):
    sys.modules[name] = types.ModuleType(name)
states = types.SimpleNamespace(dequantize=lambda: torch.rand(count, 8))
places = pandas.DataFrame({"latitude": numpy.random.rand(count), "longitude": numpy.random.rand(count)})
sys.modules["utils"].timestamp = str
sys.modules["save_activations"].load_activation_probing_dataset = lambda *_: states
sys.modules["feature_datasets.common"].load_entity_data = lambda _: places
sys.modules["probe_experiment"].get_target_values = lambda *_: numpy.random.rand(count)
sizes = {"hidden_size": 8, "intermediate_size": 32, "num_attention_heads": 2, "vocab_size": 10}
LlamaForCausalLM.from_pretrained = lambda *_, **__: LlamaForCausalLM(LlamaConfig(num_hidden_layers=3, **sizes))
sys.modules["transformers"].AutoModelForCausalLM = LlamaForCausalLM
for kind in ("world_place", "art"):
    script("model_composition.py", f"--entity_type={kind}")
