"""Two steps of learning made-up scenes (vsitzmann/scene-representation-networks)."""

import argparse
import sys

import torch
from made_up import script, stand_in

sys.path.insert(0, ".")
stand_in("torchvision", "skimage", "imageio", "mpl_toolkits", "matplotlib", "pandas")
sys.modules["torch.utils.tensorboard"] = type(sys)("torch.utils.tensorboard")
from unittest import mock  # noqa: E402

sys.modules["torch.utils.tensorboard"].SummaryWriter = mock.MagicMock()  # type: ignore[attr-defined]


class Parser(argparse.ArgumentParser):
    """A parser of options that may be in a file."""

    def add(self, *names, is_config_file, **rest):
        """Define an option."""
        return self.add_argument(*names, **rest)


sys.modules["configargparse"] = type(sys)("configargparse")
sys.modules["configargparse"].ArgumentParser = Parser  # type: ignore[attr-defined]
import dataio  # noqa: E402


class Scenes(torch.utils.data.Dataset):
    """Where rays of a scene go, from where, and what they see."""

    num_instances = 2

    def __init__(self, *_, **__):
        self.uv = torch.stack(torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij"), -1).view(-1, 2)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        camera = torch.tensor([[8.0, 0, 4, 0], [0, 8, 4, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        seen = {"instance_idx": torch.tensor(index), "pose": torch.eye(4), "uv": self.uv, "intrinsics": camera}
        return seen, {"rgb": torch.rand(64, 3)}

    def set_img_sidelength(self, _):
        """There is one size."""

    collate_fn = staticmethod(torch.utils.data.default_collate)


dataio.SceneClassDataset = Scenes
steps = ["--max_steps_per_img_sidelength", "2", "--batch_size_per_img_sidelength", "2", "--no_validation"]
made = script("train.py", "--data_root", "none", "--logging_root", "made", "--tracing_steps", "2", *steps, name="made")
made["SRNsModel"].write_updates = lambda *_, **__: None
made["train"]()
