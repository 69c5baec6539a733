"""kornia: filters, a homography, augmentation and losses."""

import kornia
from common import DEVICE, torch

images = torch.rand(2, 3, 16, 16).to(DEVICE)
augment = torch.nn.Sequential(kornia.augmentation.RandomAffine(10.0), kornia.augmentation.RandomHorizontalFlip()).to(
    DEVICE
)
for name, result in {
    "blur": kornia.filters.gaussian_blur2d(images, (3, 3), (1.0, 1.0)),
    "sobel": kornia.filters.sobel(images),
    "warp": kornia.geometry.transform.rotate(images, torch.tensor([10.0, 20.0], device=DEVICE)),
    "augment": augment(images),
    "ssim": kornia.losses.ssim_loss(images, images.flip(0), 5),
    "lab": kornia.color.rgb_to_lab(images),
}.items():
    assert result.device.type == DEVICE.type
    print(name, f"{result.sum().item():.4f}")
