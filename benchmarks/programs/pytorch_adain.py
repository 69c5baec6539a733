"""Two steps of style transfer, on made-up pictures (naoto0804/pytorch-AdaIN at 47950d0)."""

from pathlib import Path

import net
import torch
from made_up import script, stand_in
from PIL import Image

stand_in("torchvision")
from torchvision import transforms  # noqa: E402

transforms.Compose = lambda _: lambda picture: torch.rand(3, 32, 32)
for folder in ("made_content", "made_style"):
    Path(folder).mkdir(exist_ok=True)
    Image.new("RGB", (8, 8)).save(f"{folder}/one.png")
torch.save(net.vgg.state_dict(), "made.pth")
FOLDERS = ["--content_dir", "made_content", "--style_dir", "made_style", "--vgg", "made.pth"]
script("train.py", *FOLDERS, "--max_iter", "2", "--batch_size", "2", "--n_threads", "0")
