"""Made-up pictures made by a network that a search found, an epoch and its test (VITA-Group/AutoGAN at a5eeef0)."""

import os
import sys
from types import SimpleNamespace
from unittest import mock

import torch
from made_up import batches, script, stand_in

stand_in("torchvision", "imageio")
scores = {"get_inception_score": lambda *_: (1.0, 0.1), "calculate_fid_given_paths": lambda *_, **__: 1.0}
for name in ("fid_score", "inception_score"):
    sys.modules[f"utils.{name}"] = mock.MagicMock(**scores)
sys.modules["tensorboardX"] = mock.MagicMock()
import datasets  # noqa: E402

add = torch.Tensor.add_  # whose factor stood first
torch.Tensor.add_ = lambda self, *given: add(self, given[-1], alpha=given[0] if len(given) > 1 else 1)  # type: ignore[method-assign,assignment]
datasets.ImageDataset = lambda _: SimpleNamespace(train=batches(2, torch.rand(2, 3, 32, 32), torch.zeros(2)))
os.makedirs("fid_stat", exist_ok=True)
open("fid_stat/fid_stats_cifar10_train.npz", "w").close()
nets = "--gen_model autogan_cifar10_a --dis_model autogan_cifar10_a --latent_dim 8 --gf_dim 8 --df_dim 8"
sizes = "--gen_batch_size 2 --dis_batch_size 2 --eval_batch_size 2 --num_eval_imgs 4 --max_iter 2 --exp_name made"
script("train.py", *nets.split(), *sizes.split())
