"""An epoch of sharpening made-up pictures, with its test (SeungjunNah/DeepDeblur-PyTorch at 26047f7)."""

import sys

import torch
from made_up import MadeUp, old_loaders, stand_in
from torch.utils.data import DataLoader

stand_in("imageio", "skimage", "matplotlib", "torchvision")
old_loaders()
sys.path.insert(0, "src")
sizes = ["--n_feats=8", "--n_resblocks=1", "--patch_size=16", "--batch_size=2", "--end_epoch=1", "--metric=None"]
sys.argv = ["src/main.py", *sizes, "--n_scales=1", "--save_results=none", "--do_test=false", "--validate_every=1"]
import data  # noqa: E402


class Pictures(MadeUp):
    """Blurred pictures and sharp ones."""

    item = [torch.rand(3, 16, 16)], [torch.rand(3, 16, 16)], 0, "a"


class Loaders:
    """The loaders of both parts."""

    def __init__(self, _):
        self.loaders = {part: DataLoader(Pictures(), 2) for part in ("train", "val", "test")}

    def get_loader(self):
        return self.loaders


data.Data = Loaders
import main  # noqa: E402
import option  # noqa: E402

main.main_worker(0, option.args)
