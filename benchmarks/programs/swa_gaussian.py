"""An epoch of training, and what the mean of networks guesses (wjmaddox/swa_gaussian)."""

import torch
from made_up import MadeUp, labels, stand_in
from torch import nn

stand_in("torchvision", "gpytorch", "cv2")
from swag import losses, utils  # noqa: E402
from swag.posteriors.swag import SWAG  # noqa: E402


class Pictures(MadeUp):
    """Pictures of three classes."""

    def __getitem__(self, index):
        return torch.rand(3, 4, 4), labels(4, 3)[index]


def network(**_):
    """A network of one layer."""
    return nn.Sequential(nn.Flatten(), nn.Linear(48, 3))


loader = torch.utils.data.DataLoader(Pictures(), batch_size=2)
model, mean = network(), SWAG(network, no_cov_mat=False, max_num_models=2)
if torch.cuda.is_available():
    model.cuda(), mean.cuda()
utils.train_epoch(loader, model, losses.cross_entropy, torch.optim.SGD(model.parameters(), lr=0.1))
mean.collect_model(model)
mean.collect_model(model)
mean.sample(0.5, cov=True)
utils.eval(loader, mean, losses.cross_entropy)
utils.predict(loader, model)
