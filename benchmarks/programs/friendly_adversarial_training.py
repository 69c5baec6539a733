"""Training against a friendly adversary, and its tests (zjfheart/Friendly-Adversarial-Training at 80a0640)."""

import torch
from made_up import MadeUp, old_loaders, script, stand_in

stand_in("torchvision", "matplotlib")
old_loaders()
import attack_generator  # noqa: E402
import torchvision.datasets  # noqa: E402

MadeUp.item = (torch.rand(3, 32, 32), 3)
torchvision.datasets.CIFAR10 = MadeUp
robust = attack_generator.eval_robust
attack_generator.eval_robust = lambda *given, perturb_steps, **named: robust(*given, perturb_steps=2, **named)
script("FAT.py", "--net=smallcnn", "--epochs=1", "--num_steps=2")
script("FAT_for_TRADES.py", "--net=smallcnn", "--epochs=1", "--num_steps=2")
