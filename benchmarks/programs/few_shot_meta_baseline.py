"""An epoch of episodes of made-up pictures (yinboc/few-shot-meta-baseline)."""

import os
import pathlib
import sys
import types

import torch
from made_up import MadeUp, stand_in

stand_in("torchvision", "tensorboardX", "PIL")
import datasets  # noqa: E402
import models  # noqa: E402

sys.argv = ["train_meta.py"]
source = pathlib.Path("train_meta.py").read_text()


class Pictures(MadeUp):
    """Four classes of pictures."""

    n_classes, size = 4, 24
    label = [index % 4 for index in range(24)]

    def __getitem__(self, index):
        return torch.rand(3, 16, 16), index % 4


class Encoder(torch.nn.Module):
    """One layer in the place of the network."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 8)

    def forward(self, x):
        """One vector for each picture."""
        return self.layer(x.mean((2, 3)))


datasets.make = lambda *_, **__: Pictures()
models.models.models["made"] = Encoder
loader = torch.utils.data.DataLoader.__init__


def here(self, *given, num_workers=0, **named):
    """Load in this process."""
    loader(self, *given, **named)


torch.utils.data.DataLoader.__init__ = here  # type: ignore[method-assign]
program = types.ModuleType("train_meta")
exec(compile(source, "train_meta.py", "exec"), program.__dict__)
program.args = types.SimpleNamespace(name="made", tag=None)
program.__file__ = "train_meta.py"
program.utils.ensure_path = lambda path: os.makedirs(path, exist_ok=True)
data = {f"{part}_dataset{kind}": {} for part in ("train", "val") for kind in ("", "_args")}
episodes = {"n_way": 2, "n_shot": 1, "n_query": 1, "train_batches": 2, "max_epoch": 1}
network = {"model": "meta-baseline", "model_args": {"encoder": "made"}}
program.main({**data, **episodes, **network, "optimizer": "sgd", "optimizer_args": {"lr": 0.1}})
