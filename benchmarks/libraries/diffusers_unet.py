"""diffusers: a UNet in training, and a scheduler that samples from it."""

from common import DEVICE, torch, train
from diffusers import DDPMScheduler, UNet2DModel

blocks = {"down_block_types": ("DownBlock2D", "AttnDownBlock2D"), "up_block_types": ("AttnUpBlock2D", "UpBlock2D")}
model = UNet2DModel(
    sample_size=8, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, attention_head_dim=4, **blocks
).to(DEVICE)
scheduler = DDPMScheduler(num_train_timesteps=10)
images, noise = torch.rand(2, 3, 8, 8).to(DEVICE), torch.randn(2, 3, 8, 8).to(DEVICE)
times = torch.tensor([3, 7], device=DEVICE)
noisy = scheduler.add_noise(images, noise, times)
train(model.parameters(), lambda: torch.nn.functional.mse_loss(model(noisy, times).sample, noise))
scheduler.set_timesteps(3)
sample = noise
with torch.no_grad():
    for step in scheduler.timesteps:
        sample = scheduler.step(model(sample, step).sample, step, sample).prev_sample
print(f"{sample.sum().item():.4f}")
