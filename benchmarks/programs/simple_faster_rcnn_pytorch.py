"""Two steps of detection, and one picture looked at (chenyuntc/simple-faster-rcnn-pytorch at 367db36)."""

import types

import numpy
import torch
from made_up import stand_in
from torch import nn

stand_in("torchvision", "torchnet", "visdom", "skimage", "six")
import six  # noqa: E402
import torchvision.models  # noqa: E402
import torchvision.ops  # noqa: E402


def vgg16(*_, **__):
    """As many layers, and less in them."""
    features = [nn.Conv2d(3, 512, 16, 16), *(nn.Identity() for _ in range(30))]
    classifier = [nn.Linear(512, 4096), *(nn.Identity() for _ in range(6))]
    return types.SimpleNamespace(features=features, classifier=classifier)


class Pool(nn.Module):
    """All regions see the whole picture."""

    def __init__(self, *_):
        super().__init__()

    def forward(self, features, regions):
        """One number for each channel."""
        assert features.device == regions.device
        return features.mean((2, 3)).expand(len(regions), -1)


six.moves = types.SimpleNamespace(range=range)
torchvision.models.vgg16 = vgg16
torchvision.ops.RoIPool = Pool
torchvision.ops.nms = lambda boxes, scores, threshold: torch.arange(len(boxes), device=boxes.device)
import utils.vis_tool  # noqa: E402

utils.vis_tool.Visualizer = lambda **_: None
import trainer  # noqa: E402
from model import FasterRCNNVGG16  # noqa: E402

place = "cuda" if torch.cuda.is_available() else "cpu"
network = trainer.FasterRCNNTrainer(FasterRCNNVGG16()).to(place)
network.faster_rcnn.predict([numpy.zeros((3, 256, 256), dtype="float32")], [(256, 256)])
boxes, classes = torch.tensor([[[10.0, 10.0, 200.0, 200.0]]]), torch.tensor([[1]])
for _ in range(2):
    network.train_step(torch.rand(1, 3, 256, 256, device=place), boxes.to(place), classes.to(place), 1.0)
