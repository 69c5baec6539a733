"""Features of made-up videos (piergiaj/pytorch-i3d at 05783d1)."""

import os

import torch
from made_up import MadeUp, stand_in

stand_in("torchvision", "cv2")

import charades_dataset_full  # noqa: E402
import pytorch_i3d  # noqa: E402

os.mkdir("made")
MadeUp.item, MadeUp.size = (torch.rand(3, 16, 224, 224), torch.rand(157, 16), "made"), 1
charades_dataset_full.Charades = MadeUp
model = pytorch_i3d.InceptionI3d(400, in_channels=3)
model.replace_logits(157)
torch.save(model.state_dict(), "made/model.pt")
from made_up import script  # noqa: E402

script("extract_features.py", "-mode", "rgb", "-load_model", "made/model.pt", "-gpu", "0", "-save_dir", "made")
