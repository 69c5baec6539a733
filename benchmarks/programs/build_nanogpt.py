"""The first cells of the notebook, with a small model (karpathy/build-nanogpt at 6104ab1)."""

import json
import sys
import types
from unittest import mock

import matplotlib
import transformers

matplotlib.use("agg")
sys.modules["tiktoken"] = mock.MagicMock()
sizes = {"n_embd": 300, "n_layer": 2, "n_head": 2, "n_positions": 64, "vocab_size": 50257}
model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes))
sys.modules["transformers"].GPT2LMHeadModel = types.SimpleNamespace(from_pretrained=lambda *_: model)
sys.modules["transformers"].pipeline = mock.MagicMock()
with open("play.ipynb") as file:
    cells = ["".join(one["source"]) for one in json.load(file)["cells"] if one["cell_type"] == "code"]
names = {}
for cell in cells[:8]:
    exec("\n".join(line for line in cell.splitlines() if not line.startswith("%")), names)
