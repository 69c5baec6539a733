"""Few-shot learning on made-up images, by prototypes and by MAML (wyharveychen/CloserLookFewShot at e03aca8)."""

import numpy
import torch
from made_up import batches, old_scalars, stand_in

old_scalars()
stand_in("torchvision", "h5py")
import backbone  # noqa: E402
from methods.baselinetrain import BaselineTrain  # noqa: E402
from methods.maml import MAML  # noqa: E402
from methods.matchingnet import MatchingNet  # noqa: E402
from methods.protonet import ProtoNet  # noqa: E402
from methods.relationnet import RelationNet  # noqa: E402

loader = batches(4, torch.rand(2, 3, 3, 84, 84), torch.zeros(2, 3))


def learn(model, data):
    """One epoch, then a test."""
    model.n_query = 2
    optimizer = torch.optim.Adam(model.parameters())
    model.train_loop(0, data, optimizer)
    model.eval()
    model.test_loop(data)


learn(ProtoNet(backbone.Conv4, 2, 1), loader)
learn(MatchingNet(backbone.Conv4, 2, 1).cpu(), loader)
learn(RelationNet(backbone.Conv4NP, 2, 1, loss_type="softmax"), loader)
learn(BaselineTrain(backbone.Conv4, 4), batches(2, torch.rand(2, 3, 84, 84), torch.tensor([0, 1])))
backbone.ConvBlock.maml = backbone.SimpleBlock.maml = backbone.Linear_fw.maml = True
backbone.ConvNet.maml = True
learn(MAML(backbone.Conv4, 2, 1), loader)
assert numpy.isfinite(1.0)
