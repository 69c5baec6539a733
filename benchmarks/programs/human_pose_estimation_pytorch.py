"""One epoch on made-up poses, with its evaluation (microsoft/human-pose-estimation.pytorch at 49f3f44)."""

import os
import sys

import torch
import yaml
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "cv2", "json_tricks", "pycocotools", "tensorboardX", "nms")
sys.path.insert(0, "lib")
import core.function  # noqa: E402
import cv2  # noqa: E402
import dataset  # noqa: E402
import numpy  # noqa: E402

load = yaml.load
yaml.load = lambda text, kind=yaml.SafeLoader: load(text, kind)  # the program was written for an older yaml
cv2.getAffineTransform = lambda *_: numpy.eye(3)[:2]
core.function.save_debug_images = lambda *_: None
where = {"center": torch.ones(2), "scale": torch.ones(2), "score": torch.ones(()), "image": "a.jpg"}


class Poses(MadeUp):
    """Images with two joints."""

    item = (torch.rand(3, 64, 64), torch.rand(2, 16, 16), torch.ones(2, 1), where)
    flip_pairs = ((0, 1),)

    def evaluate(self, *_):
        """Nothing is known of how good made-up poses are."""
        return {"mean": 0.0}, 0.0


dataset.mpii = Poses
sizes = {"BATCH_SIZE": 2, "BEGIN_EPOCH": 0, "END_EPOCH": 1}
layers = {"NUM_LAYERS": 18, "DECONV_WITH_BIAS": False, "NUM_DECONV_LAYERS": 1, "NUM_DECONV_FILTERS": [8]}
layers.update(NUM_DECONV_KERNELS=[4], FINAL_CONV_KERNEL=1, TARGET_TYPE="gaussian", HEATMAP_SIZE=[4, 4], SIGMA=2)
Poses.item = (Poses.item[0], torch.rand(2, 4, 4), *Poses.item[2:])
model = {"INIT_WEIGHTS": False, "NUM_JOINTS": 2, "IMAGE_SIZE": [64, 64], "EXTRA": layers}
os.mkdir("made")
with open("made/made.yaml", "w") as file:
    yaml.dump({"GPUS": "0", "WORKERS": 0, "OUTPUT_DIR": "made", "LOG_DIR": "made", "TRAIN": sizes}, file)
    yaml.dump({"MODEL": model, "TEST": {"BATCH_SIZE": 2, "FLIP_TEST": True}}, file)
script("pose_estimation/train.py", "--cfg", "made/made.yaml")
