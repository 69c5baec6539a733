"""Two epochs on made-up images, and an evaluation of what was saved (akamaster/pytorch_resnet_cifar10 at d5489e8)."""

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision")
old_loaders()
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(3, 32, 32), 3)
torchvision.datasets.CIFAR10 = MadeUp
plan = torch.optim.lr_scheduler.MultiStepLR
torch.optim.lr_scheduler.MultiStepLR = lambda *given, last_epoch, **named: plan(*given, **named)  # type: ignore[assignment,misc]
script("trainer.py", "--arch=resnet20", "--epochs=2", "--save-every=1")
script("trainer.py", "--arch=resnet20", "--resume=save_temp/checkpoint.th", "--evaluate")
