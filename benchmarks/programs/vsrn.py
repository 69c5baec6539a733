"""Pictures and what is said of them brought together, two steps on made-up data (KunpengLi1994/VSRN at 777ae74)."""

import sys
from types import SimpleNamespace
from unittest import mock

import torch
from made_up import labels, old_scalars, stand_in

stand_in("torchvision")
old_scalars()
torch.Tensor.view = torch.Tensor.reshape  # type: ignore[method-assign,assignment]
sys.modules["misc.rewards"] = mock.MagicMock()
import model  # noqa: E402

model.clip_grad_norm = torch.nn.utils.clip_grad_norm_
picture = {"data_name": "made_precomp", "img_dim": 12, "embed_size": 8, "finetune": False, "cnn_type": ""}
text = {"vocab_size": 9, "word_dim": 6, "num_layers": 1, "max_len": 5, "dim_vid": 8, "dim_hidden": 8, "dim_word": 8}
layers = {"bidirectional": False, "input_dropout_p": 0.1, "rnn_type": "gru", "rnn_dropout_p": 0.0, "no_imgnorm": False}
layers["use_abs"] = False
loss = {"grad_clip": 2.0, "margin": 0.2, "measure": "cosine", "max_violation": True, "learning_rate": 1e-3}
net = model.VSRN(SimpleNamespace(**picture, **text, **layers, **loss))
net.logger = mock.MagicMock()
net.train_start()
said = labels(15, 9).view(3, 5)
for _ in range(2):
    net.train_emb(torch.rand(3, 4, 12), said, [5, 4, 3], [0, 1, 2], said, torch.ones(3, 5))
