"""An epoch of what made-up skeletons do, with its test (lshiwjx/2s-AGCN at 953c14f)."""

import functools

import torch
import yaml
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("tensorboardX")
old_loaders()
torch.autograd.Variable = lambda data, **_: data  # type: ignore[assignment,misc]
import feeders.feeder  # noqa: E402


class Skeletons(MadeUp):
    """Two people of 25 joints."""

    sample_name = "abcd"

    def __getitem__(self, index):
        return torch.rand(3, 8, 25, 2), index, index

    def top_k(self, score, count):
        return 0.5


feeders.feeder.Feeder = Skeletons
with open("config/nturgbd-cross-view/train_joint.yaml") as file:
    settings = yaml.safe_load(file)
settings.update(num_epoch=1, batch_size=2, test_batch_size=2, device=[0], work_dir="made", model_saved_name="made/run")
settings["train_feeder_args"]["debug"] = True
with open("made.yaml", "w") as file:
    yaml.safe_dump(settings, file)
yaml.load = functools.partial(yaml.load, Loader=yaml.SafeLoader)
script("main.py", "--config=made.yaml")
