"""Two made-up dark pictures made brighter (Fediory/HVI-CIDNet at eb43d7d)."""

import os
import sys

import torch
from made_up import stand_in
from PIL import Image

stand_in("torchvision", "lpips", "huggingface_hub")
sys.path.insert(0, ".")
import eval as evaluation  # noqa: E402
from net.CIDNet import CIDNet  # noqa: E402

evaluation.transforms.ToPILImage = lambda: lambda tensor: Image.new("RGB", tuple(tensor.shape[:0:-1]))
os.makedirs("made/pictures", exist_ok=True)
torch.save(CIDNet().state_dict(), "made/weights.pth")
model = CIDNet().to("cuda" if torch.cuda.is_available() else "cpu")
pictures = [(torch.rand(1, 3, 32, 32), [f"{n}.png"], 30, 32) for n in range(2)]
evaluation.eval(model, pictures, "made/weights.pth", "made/pictures/", norm_size=False, LOL=True)
evaluation.eval(model, [(one, name) for one, name, *_ in pictures], "made/weights.pth", "made/pictures/", unpaired=True)
