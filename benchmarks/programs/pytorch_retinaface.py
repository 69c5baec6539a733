"""Two steps of the detection of faces in made-up images (biubug6/Pytorch_Retinaface at b984b4b)."""

import numpy
import torch
from made_up import MadeUp, script, stand_in

stand_in("torchvision", "cv2")
import torchvision.models._utils  # noqa: E402


class Layers(torch.nn.ModuleDict):
    """The layers whose outputs are asked for."""

    def __init__(self, model, return_layers):
        super().__init__(dict(model.named_children()))
        self.wanted = return_layers

    def forward(self, x):
        """What they give, by name."""
        found = {}
        for name, layer in self.items():
            if name not in ("avg", "fc"):
                x = layer(x)
            if name in self.wanted:
                found[self.wanted[name]] = x
        return found


torchvision.models._utils.IntermediateLayerGetter = Layers
import data  # noqa: E402

data.cfg_mnet.update(pretrain=False, batch_size=2, image_size=64, epoch=1, decay1=1, decay2=2)
face = numpy.array([[0.2, 0.2, 0.7, 0.7, *([0.5] * 10), 1]])
MadeUp.item = (torch.rand(3, 64, 64), face)
data.WiderFaceDetection = MadeUp
data.preproc = lambda *_: None
script("train.py", "--num_workers", "0")
