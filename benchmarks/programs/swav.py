"""Two steps of learning without labels, on made-up pictures (facebookresearch/swav at 06b1b7c)."""

import argparse

import torch
import torch.distributed
from made_up import stand_in
from torch import nn

stand_in("apex", "torchvision")
import main_swav  # noqa: E402
import src.resnet50 as networks  # noqa: E402

torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:29517", rank=0, world_size=1)
model = networks.resnet50(normalize=True, hidden_mlp=16, output_dim=8, nmb_prototypes=10)
model = model.cuda() if torch.cuda.is_available() else model


class Wrapped(nn.Module):
    """What a parallel model looks like."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, pictures):
        """Ask the one there is."""
        return self.module(pictures)


class Optimizer(torch.optim.SGD):
    """An optimizer within another."""

    @property
    def optim(self):
        """The inner one."""
        return self


main_swav.args = argparse.Namespace(
    crops_for_assign=[0, 1], nmb_crops=[2], temperature=0.1, use_fp16=False, freeze_prototypes_niters=1, rank=0
)
main_swav.args.__dict__.update(epsilon=0.05, world_size=1, sinkhorn_iterations=3)
loader = [[torch.rand(2, 3, 64, 64) for _ in range(2)] for _ in range(2)]
main_swav.train(loader, Wrapped(model), Optimizer(model.parameters(), lr=0.1), 0, [0.1, 0.1], None)
torch.distributed.destroy_process_group()
