"""timm: a vision transformer and a residual network in training."""

import sys

from common import DEVICE, torch, train

try:
    import torchvision  # noqa: F401
except RuntimeError:
    # Its compiled operators fit one build of torch only; it asks for two by name, and the models below use none.
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor boxes, Tensor scores, float threshold) -> Tensor")
    for module in [module for module in sys.modules if module.partition(".")[0] == "torchvision"]:
        del sys.modules[module]

import timm

images, labels = torch.rand(2, 3, 32, 32).to(DEVICE), torch.tensor([0, 1], device=DEVICE)
sizes = {"embed_dim": 24, "depth": 2, "num_heads": 3}
for model in (
    timm.create_model("vit_tiny_patch16_224", img_size=32, num_classes=2, **sizes),
    timm.create_model("resnet10t", num_classes=2),
):
    placed = model.to(DEVICE)
    train(placed.parameters(), lambda net=placed: torch.nn.functional.cross_entropy(net(images), labels), steps=2)
