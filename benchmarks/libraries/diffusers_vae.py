"""diffusers: AutoencoderKL in training."""

from common import DEVICE, torch, train
from diffusers import AutoencoderKL

model = AutoencoderKL(block_out_channels=(8,), norm_num_groups=4, latent_channels=2, sample_size=8).to(DEVICE)
images = torch.rand(2, 3, 8, 8).to(DEVICE)
train(model.parameters(), lambda: torch.nn.functional.mse_loss(model(images, sample_posterior=True).sample, images))
