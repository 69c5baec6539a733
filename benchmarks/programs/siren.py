"""One epoch of an image as a function, on a made-up image (vsitzmann/siren at 4df34ba)."""

import argparse
import sys

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "skimage", "skvideo", "configargparse", "cmapy", "cv2", "tensorboard", "tensorboardX")
import configargparse  # noqa: E402
import tensorboardX  # noqa: E402

sys.modules["torch.utils.tensorboard"] = tensorboardX


class Parser(argparse.ArgumentParser):
    """Without configuration files."""

    def add(self, *_, **__):
        """A configuration file is not given."""


configargparse.ArgumentParser = Parser
import dataio  # noqa: E402
import utils  # noqa: E402

MadeUp.item = {"coords": torch.rand(16, 2)}, {"img": torch.rand(16, 1)}
MadeUp.size = 1
dataio.Camera = dataio.Implicit2DWrapper = MadeUp
utils.write_image_summary = lambda *_: None  # it draws pictures of half a million points
script("experiment_scripts/train_img.py", "--experiment_name", "made", "--num_epochs", "2")
