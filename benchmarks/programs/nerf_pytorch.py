"""Two steps of a radiance field on made-up views, and what it renders (yenchenlin/nerf-pytorch at 63a5a63)."""

import json
import os

import numpy
import tqdm
from made_up import script, stand_in

stand_in("imageio", "cv2", "configargparse")
import argparse  # noqa: E402

import configargparse  # noqa: E402
import imageio  # noqa: E402


class Parser(argparse.ArgumentParser):
    """Without configuration files."""

    def add_argument(self, *names, is_config_file=False, **options):
        """Forget what argparse does not know."""
        return super().add_argument(*names, **options)


configargparse.ArgumentParser = Parser
tqdm.trange = lambda first, _: range(first, first + 2)  # of two hundred thousand steps
imageio.imread = lambda *_, **__: (numpy.random.rand(8, 8, 4) * 255).astype("uint8")
os.makedirs("made")
view = {"file_path": "a", "transform_matrix": numpy.eye(4).tolist()}
for part in ("train", "val", "test"):
    with open(f"made/transforms_{part}.json", "w") as file:
        json.dump({"camera_angle_x": 0.7, "frames": [view]}, file)
sizes = ["--netdepth", "2", "--netwidth", "8", "--N_rand", "4", "--N_samples", "4", "--N_importance", "4"]
files = ["--datadir", "made", "--basedir", "made/out", "--expname", "a"]
script("run_nerf.py", "--dataset_type", "blender", "--no_batching", "--use_viewdirs", *files, *sizes)
