"""How far things in a made-up picture are (JunjH/Revisiting_Single_Depth_Estimation at f88c672)."""

import os
import sys

import torch
from made_up import script, stand_in

stand_in("torchvision")
sys.path.insert(0, "models")
made = script("demo.py", name="made")
network, resnet, modules = (made[name] for name in ("net", "resnet", "modules"))
model = network.model(modules.E_resnet(resnet.resnet50(False)), 2048, [256, 512, 1024, 2048])
os.makedirs("pretrained_model", exist_ok=True)
os.makedirs("data/demo", exist_ok=True)
torch.save({f"module.{name}": value for name, value in model.state_dict().items()}, "pretrained_model/model_senet")
inside = made["main"].__globals__
inside["define_model"] = lambda **_: model
inside["loaddata"].readNyu2 = lambda _: [torch.rand(1, 3, 114, 152)]
made["main"]()
