"""Three steps of finding depth in made-up pairs of pictures (princeton-vl/RAFT-Stereo)."""

import sys

import torch
from made_up import batches, script, stand_in

sys.path[:0] = [".", "core"]
stand_in("torchvision", "skimage", "imageio", "opt_einsum")
sys.modules["torch.utils.tensorboard"] = type(sys)("torch.utils.tensorboard")
from unittest import mock  # noqa: E402

sys.modules["torch.utils.tensorboard"].SummaryWriter = mock.MagicMock()  # type: ignore[attr-defined]
from core import stereo_datasets  # noqa: E402

left, right = torch.rand(2, 1, 3, 64, 128) * 255
pair = "name", left, right, -torch.rand(1, 1, 64, 128), torch.ones(1, 64, 128)
stereo_datasets.fetch_dataloader = lambda _: batches(2, *pair)
script("train_stereo.py", "--num_steps", "2", "--batch_size", "1", "--train_iters", "2", "--mixed_precision")
