"""What belongs to what in made-up pictures, an epoch and its test (jeya-maria-jose/Medical-Transformer at 62f40a5)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "matplotlib", "cv2", "skimage", "PIL")
import utils  # noqa: E402


class Pictures(MadeUp):
    """Pictures, what belongs to what, and a name."""

    size = 2
    item = (torch.rand(3, 32, 32), torch.zeros(32, 32).long(), "made.png")


utils.ImageToImage2D = utils.Image2D = Pictures
options = "--train_dataset made --val_dataset made --epochs 1 --modelname gatedaxialunet --imgsize 32"
script("train.py", *options.split())
