"""One epoch of drawing without quantization, by a made-up network (LTH14/mar at fe470ac)."""

import argparse

import torch
from made_up import batches, labels, stand_in
from torch import nn

stand_in("torch_fidelity", "cv2", "timm", "torchvision", "tensorboard")
import engine_mar  # noqa: E402
from util import misc  # noqa: E402


class Network(nn.Module):
    """Its loss, as the true one's is, comes with the pictures."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, pictures, classes):
        """Guess the class from the first numbers."""
        return nn.functional.cross_entropy(self.layer(pictures.flatten(1)[:, :4]), classes)


args = argparse.Namespace(
    use_cached=True, lr=1e-3, lr_schedule="constant", warmup_epochs=0, grad_clip=1.0, ema_rate=0.9
)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
network = Network().to(device)
ema = [one.clone() for one in network.parameters()]
optimizer = torch.optim.AdamW(misc.add_weight_decay(network))
loader = batches(2, torch.rand(2, 8, 4, 4), labels(2, 4))
scaler = misc.NativeScalerWithGradNormCount()
made = list(network.parameters())
engine_mar.train_one_epoch(network, None, made, ema, loader, optimizer, device, 0, scaler, args=args)
