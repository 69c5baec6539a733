"""An epoch of clearing made-up haze, and a picture cleared (MayankSingal/PyTorch-Image-Dehazing at dc26717)."""

import os
import pathlib

import torch
from made_up import old_loaders, script, stand_in
from PIL import Image

stand_in("torchvision", "cv2")
old_loaders()
Image.ANTIALIAS = Image.LANCZOS  # type: ignore[attr-defined]
torch.nn.utils.clip_grad_norm = torch.nn.utils.clip_grad_norm_
for folder in ("data/images", "data/data", "test_images", "results", "snapshots", "samples"):
    os.makedirs(folder, exist_ok=True)
for old in pathlib.Path("test_images").iterdir():
    old.unlink()
picture = Image.new("RGB", (48, 32), (90, 120, 200))
picture.save("test_images/a.jpg")
for number in range(11):
    picture.save(f"data/images/a_{number}.jpg")
    picture.save(f"data/data/a_{number}_0.jpg")
script("train.py", "--num_epochs=1", "--train_batch_size=2", "--val_batch_size=2", "--display_iter=1")
script("dehaze.py")
