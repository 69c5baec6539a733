"""The noise of an image changed until a made-up judge likes it (ExplainableML/ReNO at bd6f6ac)."""

import os
import sys
import types
from unittest import mock

import torch
from made_up import stand_in
from PIL import Image
from torch import nn

stand_in("blobfile", "datasets", "pytorch_lightning", "torchvision", "hpsv2", "ImageReward", "open_clip", "clip")


class Pipeline(nn.Module):
    """A small pipeline in the place of the large one."""

    vae_scale_factor = 1

    def __init__(self):
        super().__init__()
        self.unet = nn.Conv2d(4, 3, 1)
        self.unet.config = types.SimpleNamespace(sample_size=8)

    def apply(self, latents, prompt, generator, num_inference_steps, **_):
        noise = torch.randn(1, 3, 8, 8, generator=generator, device=generator.device, dtype=latents.dtype)
        return self.unet(latents) + noise

    @staticmethod
    def numpy_to_pil(images):
        return [Image.new("RGB", (8, 8)) for _ in images]


class Words(dict):
    """Words as numbers, which can be moved."""

    def to(self, device):
        return Words({name: one.to(device) for name, one in self.items()})


class Judge(nn.Module):
    """A small model of images and texts."""

    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(192, 4), nn.Embedding(4, 4)
        self.logit_scale = nn.Parameter(torch.ones(()))

    def get_image_features(self, images):
        return self.image(images.flatten(1))

    def get_text_features(self, input_ids):
        return self.text(input_ids).mean(1)

    def gradient_checkpointing_enable(self):
        """There is nothing to save."""


diffusers = types.ModuleType("diffusers")
diffusers.DiffusionPipeline = Pipeline
models, known = types.ModuleType("models"), types.ModuleType("rewards.utils")
models.get_model = lambda name, dtype, device, *_: Pipeline().to(device, dtype)
models.get_multi_apply_fn = lambda pipe, seed, device, **_: (
    lambda latents, prompt: torch.no_grad()(pipe.apply)(latents, prompt, torch.Generator(device).manual_seed(seed), 4)
)
known.clip_img_transform = lambda _: lambda image: image
sys.modules.update({"diffusers": diffusers, "models": models, "rewards.utils": known})
known.get_reward_losses = None
made = types.ModuleType("transformers")
made.CLIPModel = mock.MagicMock(from_pretrained=lambda *_, **__: Judge())
sys.modules["transformers"] = made
import rewards.clip  # noqa: E402

words = Words(input_ids=torch.ones(1, 3).long())
rewards.get_reward_losses = lambda args, dtype, device, cache: [
    rewards.clip.CLIPLoss(1.0, dtype, device, cache, lambda *_, **__: words)
]
os.makedirs("made/logs/single", exist_ok=True)
import arguments  # noqa: E402
import main  # noqa: E402

sys.argv = ["main.py", "--prompt=a cat", "--n_iters=2", "--save_dir=made", "--task=single", "--enable_multi_apply"]
main.main(arguments.parse_args())
