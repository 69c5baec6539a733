"""Made-up things seen from somewhere else, two steps (vsitzmann/scene-representation-networks at 8165b50)."""

import argparse
import sys
from types import SimpleNamespace
from unittest import mock

import torch
from made_up import MadeUp, script, stand_in
from torch import nn


class Layers(nn.Sequential):
    """Layers, as the package that is not there makes them."""

    def __init__(self, hidden_ch, num_hidden_layers, in_features, out_features, outermost_linear=False):
        sizes = [in_features, *[hidden_ch] * (num_hidden_layers + 1)]
        inner = [nn.Sequential(nn.Linear(*pair), nn.ReLU()) for pair in zip(sizes, sizes[1:])]
        super().__init__(*inner, nn.Linear(hidden_ch, out_features))


class Things(MadeUp):
    """Things, as they are seen from a place."""

    num_instances = 2

    def set_img_sidelength(self, _):
        """All pictures are small."""

    def collate_fn(self, _):
        """Two things, and the pictures of them."""
        rows = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
        lens = torch.tensor([[4.0, 0, 2, 0], [0, 4, 2, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        place = {"pose": torch.eye(4).repeat(2, 1, 1), "uv": torch.stack(rows, -1).view(1, 16, 2).repeat(2, 1, 1)}
        seen = {"instance_idx": torch.tensor([0.0, 1.0]), "intrinsics": lens.repeat(2, 1, 1), **place}
        return seen, {"rgb": torch.rand(2, 16, 3)}


class Options(argparse.ArgumentParser):
    """Options without files of settings."""

    def add(self, *_, **__):
        """There is no such file."""


stand_in("torchvision")
package = mock.MagicMock(FCBlock=Layers)
sys.modules["pytorch_prototyping"] = SimpleNamespace(pytorch_prototyping=package)  # type: ignore[assignment]
sys.modules["configargparse"] = SimpleNamespace(ArgumentParser=Options)  # type: ignore[assignment]
sys.modules["torch.utils.tensorboard"] = mock.MagicMock()
import dataio  # noqa: E402
import torchvision.utils  # noqa: E402
import util  # noqa: E402

util.show_images = print
torchvision.utils.make_grid = lambda images, **_: images[0]
dataio.SceneClassDataset = Things
steps = "--data_root made --no_validation --tracing_steps 2 --embedding_size 8 --max_steps_per_img_sidelength 1"
script("train.py", *steps.split(), "--batch_size_per_img_sidelength", "2")
