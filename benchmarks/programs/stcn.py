"""Objects followed through a made-up video of four frames (hkchengrex/STCN at eb83102)."""

import torch
from made_up import stand_in

stand_in("torchvision")
import torchvision.models  # noqa: E402
from torch.utils import model_zoo  # noqa: E402

model_zoo.load_url = lambda *_, **__: {}
from model import mod_resnet  # noqa: E402

torchvision.models.resnet50 = lambda pretrained: mod_resnet.resnet50(pretrained=False)
from inference_core import InferenceCore  # noqa: E402
from model.eval_network import STCN  # noqa: E402

network = STCN().eval()
with torch.no_grad():
    probe = InferenceCore(network, torch.rand(1, 4, 3, 32, 32), 2, top_k=2, mem_every=1)
    network.to(probe.prob.device)
    probe.interact((torch.rand(2, 1, 32, 32) > 0.5).float(), 0, 4)
