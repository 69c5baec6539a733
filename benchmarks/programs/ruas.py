"""Dark pictures made lighter by layers that a search found (KarelZhang/RUAS at f621bb1)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "PIL", "matplotlib")
import multi_read_data  # noqa: E402
import utils  # noqa: E402


class Dark(MadeUp):
    """Dark pictures."""

    def __getitem__(self, _):
        return torch.rand(3, 16, 16) / 4


def enough(*_):
    """Nothing is saved: some steps are enough."""
    raise StopIteration


utils.save = enough
multi_read_data.MemoryFriendlyLoader = Dark
try:
    script("train.py", "--report_freq", "2")
except StopIteration:
    print("two steps")
