"""timm: a vision transformer and a residual network in training."""

import timm
from common import DEVICE, torch, train

images, labels = torch.rand(2, 3, 32, 32).to(DEVICE), torch.tensor([0, 1], device=DEVICE)
sizes = {"embed_dim": 24, "depth": 2, "num_heads": 3}
for model in (
    timm.create_model("vit_tiny_patch16_224", img_size=32, num_classes=2, **sizes),
    timm.create_model("resnet10t", num_classes=2),
):
    placed = model.to(DEVICE)
    train(placed.parameters(), lambda net=placed: torch.nn.functional.cross_entropy(net(images), labels), steps=2)
