"""Two steps of learning a made-up table (yandex-research/tab-ddpm)."""

import sys
import types

import numpy
import torch
from made_up import stand_in

stand_in("zero", "rtdl", "catboost", "optuna", "icecream", "skorch", "category_encoders", "lib", "tomli", "tomli_w")
sys.path.insert(0, "scripts")
utils = types.ModuleType("utils_train")
utils.get_model = lambda *_, **__: Network()  # type: ignore[attr-defined]
utils.update_ema = lambda *_, **__: None  # type: ignore[attr-defined]
utils.make_dataset = lambda *_, **__: Table()  # type: ignore[attr-defined]
sys.modules["utils_train"] = utils
import train  # noqa: E402


class Network(torch.nn.Module):
    """One layer in the place of the network."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, timesteps, y=None):
        """The noise."""
        return self.layer(x) + timesteps.view(-1, 1)


class Table:
    """A table of three numbers."""

    X_num = {"train": numpy.zeros((4, 3))}

    def get_category_sizes(self, _):
        """There are no categories."""
        return []


def rows():
    """The same rows for ever."""
    while True:
        yield torch.rand(4, 3), torch.zeros(4)


train.lib.prepare_fast_dataloader = lambda *_, **__: rows()
transformations = {"cat_encoding": None}
train.train(".", steps=2, model_params={"num_classes": 2, "is_y_cond": True}, num_timesteps=4, T_dict=transformations)
