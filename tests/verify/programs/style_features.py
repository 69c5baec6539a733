"""Optimises an image against features kept by hooks; closures with L-BFGS."""

import torch
import torch.nn as nn

torch.manual_seed(19)
features = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 6, 3, padding=1)).cuda().eval()
kept = {}
features[0].register_forward_hook(lambda module, inward, outward: kept.__setitem__("style", outward))
features[2].register_forward_hook(lambda module, inward, outward: kept.__setitem__("content", outward))


def gram(x):
    b, c, h, w = x.size()
    flat = x.view(b * c, h * w)
    return torch.mm(flat, flat.t()).div(b * c * h * w)


content, style = torch.rand(1, 3, 10, 10).cuda(), torch.rand(1, 3, 10, 10).cuda()
features(content)
wanted_content = kept["content"].detach()
features(style)
wanted_style = gram(kept["style"]).detach()
image = content.clone().requires_grad_(True)
optimizer = torch.optim.LBFGS([image], max_iter=4)


def closure():
    with torch.no_grad():
        image.clamp_(0, 1)
    optimizer.zero_grad()
    features(image)
    loss = (kept["content"] - wanted_content).pow(2).mean() + 1000 * (gram(kept["style"]) - wanted_style).pow(2).mean()
    loss.backward()
    print(loss.item())
    return loss


for _ in range(2):
    optimizer.step(closure)
