"""A network of few bits, made layer by layer like what it was (yhhhli/BRECQ at e455d62)."""

import torch
from made_up import batches, labels, script, stand_in

stand_in("torchvision")
import hubconf  # noqa: E402
from data import imagenet  # noqa: E402
from models import resnet  # noqa: E402

pictures = batches(1, torch.rand(32, 3, 32, 32), labels(32, 10))
imagenet.build_imagenet_data = lambda **_: (pictures, pictures)
hubconf.resnet18 = lambda **_: resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1])
options = "--data_path made --num_samples 32 --batch_size 32 --iters_w 1 --iters_a 1 --act_quant --channel_wise"
script("main_imagenet.py", *options.split())
