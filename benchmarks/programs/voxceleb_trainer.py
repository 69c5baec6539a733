"""Epochs on made-up voices, resumed, with tests (clovaai/voxceleb_trainer at f51bab8)."""

import sys
import types

import torch
from made_up import MadeUp, old_loaders, script, stand_in
from torch import nn

stand_in("soundfile", "torchaudio")
old_loaders()
sys.modules.pop("utils", None)
sys.path.insert(0, ".")
import DatasetLoader  # noqa: E402


class Network(nn.Module):
    """A small network in the place of the large one."""

    def __init__(self, nOut, **_):
        super().__init__()
        self.layer = nn.Linear(20, nOut)

    def forward(self, x):
        return self.layer(x)


class Voices(MadeUp):
    """Voices, and who speaks."""

    def __init__(self, **_):
        super().__init__()

    def __getitem__(self, index):
        return torch.rand(1, 20), index % 2


class Heard(MadeUp):
    """Parts of what is in a file."""

    size = 2

    def __init__(self, files, *_, **__):
        super().__init__()
        self.files = files

    def __getitem__(self, index):
        return torch.rand(10, 20), self.files[index]


class Order(torch.utils.data.SequentialSampler):
    """The order of the voices."""

    def __init__(self, data, **_):
        super().__init__(data)

    def set_epoch(self, _):
        """It is always the same."""


sys.modules["models.Made"] = types.SimpleNamespace(MainModel=Network)
DatasetLoader.train_dataset_loader, DatasetLoader.test_dataset_loader = Voices, Heard
DatasetLoader.train_dataset_sampler = Order
with open("made.txt", "w") as file:
    file.write("1 a.wav a.wav\n0 a.wav b.wav\n")
sizes = ["--model=Made", "--trainfunc=softmax", "--nOut=4", "--nClasses=2", "--batch_size=2", "--test_interval=1"]
for epochs in (1, 2):
    script("trainSpeakerNet.py", *sizes, "--test_list=made.txt", "--save_path=made", f"--max_epoch={epochs}")
script("trainSpeakerNet.py", *sizes, "--test_list=made.txt", "--save_path=made", "--eval")
