"""Segmentation of made-up images, learned in two steps, and its test (HiLab-git/SSL4MIS at 06df604)."""

import os
import sys
import types

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "cv2", "h5py", "medpy", "skimage", "timm", "SimpleITK", "nibabel", "batchgenerators", "yacs")
stand_in("efficientnet_pytorch")
for old in ("interpolation", "filters"):  # these modules are no longer in scipy
    module = types.ModuleType(f"scipy.ndimage.{old}")
    module.zoom = module.gaussian_filter = None
    sys.modules[module.__name__] = module
os.chdir("code")
sys.path.insert(0, ".")
import networks.config  # noqa: E402

networks.config.get_config = lambda _: None
import dataloaders.dataset  # noqa: E402

MadeUp.item = {"image": torch.rand(1, 64, 64), "label": torch.randint(4, (64, 64))}
dataloaders.dataset.BaseDataSets = MadeUp
sizes = ["--max_iterations", "2", "--batch_size", "2"]
script("train_fully_supervised_2D.py", "--root_path", "../ACDC", "--labeled_num", "3", *sizes)
