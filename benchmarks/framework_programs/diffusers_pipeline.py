"""diffusers: a pipeline with a generator, and its model under autocast."""

import torch
from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel

unet = UNet2DModel(
    sample_size=8,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(8, 8),
    norm_num_groups=4,
    down_block_types=("DownBlock2D", "DownBlock2D"),
    up_block_types=("UpBlock2D", "UpBlock2D"),
)
pipe = DDPMPipeline(unet=unet, scheduler=DDPMScheduler(num_train_timesteps=4))
pipe = pipe.to("cuda")
pipe.set_progress_bar_config(disable=True)
generator = torch.Generator("cuda").manual_seed(0)
images = pipe(batch_size=1, generator=generator, num_inference_steps=2, output_type="np").images
assert images.shape == (1, 8, 8, 1)
noise = torch.randn(1, 1, 8, 8, device="cuda", generator=torch.Generator(device="cuda").manual_seed(1))
with torch.no_grad(), torch.cuda.amp.autocast(enabled=False):
    assert pipe.unet(noise, 3).sample.shape == noise.shape
