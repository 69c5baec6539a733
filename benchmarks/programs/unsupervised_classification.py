"""An epoch of SimCLR and one of SCAN on made-up images (wvangansbeke/Unsupervised-Classification at 952ec31)."""

import torch
from losses.losses import SCANLoss, SimCLRLoss
from utils.train_utils import scan_train, simclr_train


class Heads(torch.nn.Module):
    """A classifier with one head."""

    def __init__(self):
        super().__init__()
        self.head = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 5))

    def forward(self, images):
        """What each head says."""
        return [self.head(images)]


images = torch.rand(4, 3, 2, 2)
batch = {"image": images, "image_augmented": images + 0.1, "target": torch.zeros(4)}
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 5))
simclr_train([batch], model, SimCLRLoss(0.1), torch.optim.SGD(model.parameters(), lr=0.1), 0)
heads = Heads()
scan_train([{"anchor": images, "neighbor": images}], heads, SCANLoss(), torch.optim.SGD(heads.parameters(), lr=0.1), 0)
