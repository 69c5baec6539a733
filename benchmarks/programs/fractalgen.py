"""An epoch of drawing without steps, by a made-up network (LTH14/fractalgen)."""

import argparse

import torch
from made_up import batches, labels, stand_in
from torch import nn

stand_in("torch_fidelity", "cv2", "torchvision", "tensorboard", "scipy", "matplotlib")
import engine_fractalgen  # noqa: E402
from util import misc  # noqa: E402


class Network(nn.Module):
    """Its loss, as the true one's is, comes with the pictures."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, pictures, classes):
        """Guess the class from the first numbers."""
        return nn.functional.cross_entropy(self.layer(pictures.flatten(1)[:, :4]), classes)


args = argparse.Namespace(lr=1e-3, lr_schedule="constant", warmup_epochs=0, grad_clip=1.0, epochs=2, min_lr=0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
network = Network().to(device)
optimizer = torch.optim.AdamW(network.parameters())
loader = batches(2, torch.rand(2, 8, 4, 4), labels(2, 4))
scaler = misc.NativeScalerWithGradNormCount()
engine_fractalgen.train_one_epoch(network, loader, optimizer, device, 0, scaler, args=args)
