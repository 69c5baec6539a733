"""A small model adapted to made-up images of three classes (gaopengcuhk/Tip-Adapter at d0e2d6f)."""

import sys
from unittest import mock

import torch
import yaml
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("gdown")
sys.modules["ftfy"] = mock.MagicMock(fix_text=str)
for name in ("torchvision", "torchvision.transforms", "torchvision.datasets"):
    sys.modules[name] = mock.MagicMock()
old_loaders()


class Clip(nn.Module):
    """A small model in half precision in the place of the large one."""

    dtype = torch.float16

    def __init__(self):
        super().__init__()
        self.image = nn.Linear(12, 8).half()
        self.text = nn.Embedding(60000, 8).half()

    def encode_image(self, images):
        return self.image(images.half().flatten(1))

    def encode_text(self, texts):
        return self.text(texts).mean(1)


class Images(MadeUp):
    """Images of three classes."""

    size = 6
    train_x = val = test = [(torch.rand(3, 2, 2), one % 3) for one in range(6)]
    classnames = ("cat", "dog", "made_up")
    template = ("a photo of a {}.", "a drawing of a {}.")


keys = {"dataset": "made", "root_path": ".", "backbone": "RN50", "shots": 2, "load_cache": False}
numbers = {"augment_epoch": 2, "init_beta": 1, "init_alpha": 1, "lr": 0.001, "train_epoch": 2}
search = {"load_pre_feat": False, "search_hp": True, "search_scale": [2, 2], "search_step": [3, 3]}
with open("made.yaml", "w") as file:
    yaml.dump({**keys, **numbers, **search}, file)
made = script("main.py", name="made")
settings = made["main"].__globals__
settings["clip"].load = lambda _: (Clip(), None)
share = lambda output, target: 100 * (output.argmax(1) == target).float().mean().item()  # noqa: E731
settings["cls_acc"] = settings["search_hp"].__globals__["cls_acc"] = share
settings["build_dataset"] = lambda *_: Images()
settings["build_data_loader"] = lambda data_source, **_: torch.utils.data.DataLoader(data_source, 3)
sys.argv = ["main.py", "--config", "made.yaml"]
made["main"]()
