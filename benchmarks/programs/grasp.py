"""A network pruned before it learns, and an epoch of what is left (alecwangcq/GraSP at f17d87a)."""

import logging
from unittest import mock

import torch
from made_up import MadeUp, script, stand_in
from torch.utils.data import DataLoader

stand_in("torchvision", "tensorboardX", "pprint", "dotmap", "easydict")
torch.nn.init.xavier_normal = torch.nn.init.xavier_normal_
torch.nn.init.kaiming_normal = torch.nn.init.kaiming_normal_
made = script("main_prune_non_imagenet.py", name="made")


class Images(MadeUp):
    """Images of two classes."""

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), index % 2


class Settings(dict):
    """Settings that are asked for as attributes."""

    __getattr__ = dict.__getitem__


settings = made["main"].__globals__
settings["get_dataloader"] = lambda *_: (DataLoader(Images(), 4), DataLoader(Images(), 4))
settings["init_logger"] = lambda _: (logging.getLogger(), mock.MagicMock())
settings["get_network"] = lambda *_, **__: torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 10)
)
settings["GraSP"].__globals__["GraSP_fetch_data"].__defaults__ = ()
named = {"network": "vgg", "depth": 19, "dataset": "cifar10", "batch_size": 4, "checkpoint_dir": ".", "iterations": 1}
numbers = {"target_ratio": 0.5, "normalize": False, "exception": "9", "samples_per_class": 2}
plan = {"learning_rate": "0.1", "weight_decay": "0.0005", "epoch": "1"}
fetch = settings["GraSP"].__globals__["GraSP_fetch_data"]
settings["GraSP"].__globals__["GraSP_fetch_data"] = lambda loader, *_: fetch(list(loader) * 3, 2, 2)
made["main"](Settings(**named, **numbers, **plan))
