"""One step of segmentation of made-up images (DengPingFan/PraNet at 95f12bd)."""

import torch
from made_up import script, stand_in

stand_in("torchvision", "thop", "PIL")
import lib.PraNet_Res2Net  # noqa: E402
import utils.dataloader  # noqa: E402

network = lib.PraNet_Res2Net.res2net50_v1b_26w_4s
lib.PraNet_Res2Net.res2net50_v1b_26w_4s = lambda **_: network(pretrained=False)
images = [(torch.rand(2, 3, 64, 64), torch.rand(2, 1, 64, 64))]
utils.dataloader.get_loader = lambda *_, **__: images
script("MyTrain.py", "--epoch", "2", "--batchsize", "2", "--trainsize", "64")
