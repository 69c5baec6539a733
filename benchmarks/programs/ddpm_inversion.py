"""The noise of a made-up image, and the image with another prompt (inbarhub/DDPM_inversion at 58fc881)."""

import sys
import types

import torch
import yaml
from made_up import script, stand_in
from PIL import Image
from torch import nn

stand_in("torchvision")


class Scheduler:
    """Four steps of noise."""

    def __init__(self, **_):
        self.config = types.SimpleNamespace(num_train_timesteps=1000)
        self.alphas = 1 - torch.linspace(0.001, 0.01, 1000)
        self.alphas_cumprod = self.alphas.cumprod(0)
        self.final_alpha_cumprod = self.alphas_cumprod[0]

    @classmethod
    def from_config(cls, *_, **__):
        return cls()

    def set_timesteps(self, count):
        self.num_inference_steps = count
        self.timesteps = torch.arange(0, 1000, 1000 // count).flip(0)

    def add_noise(self, sample, noise, timesteps):
        return sample + noise


class Network(nn.Module):
    """A small network that removes noise."""

    in_channels, sample_size = 4, 8

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x, timestep, encoder_hidden_states):
        return types.SimpleNamespace(sample=self.layer(x) + encoder_hidden_states.mean())


class Coder(nn.Module):
    """A small coder of images."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 8, 8)
        self.back = nn.ConvTranspose2d(4, 3, 8, 8)

    def encode(self, x):
        return types.SimpleNamespace(latent_dist=types.SimpleNamespace(mode=lambda: self.layer(x[..., ::8, ::8])))

    def decode(self, x):
        return types.SimpleNamespace(sample=self.back(x.float()))


class Words:
    """Words as numbers."""

    model_max_length = 4

    def __call__(self, prompts, **_):
        count = 1 if isinstance(prompts, str) else len(prompts)
        return types.SimpleNamespace(input_ids=torch.ones(count, 4).long())


class Texts(nn.Module):
    """A small coder of texts."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Embedding(4, 4)

    def forward(self, words):
        return (self.layer(words),)


class Pipeline(nn.Module):
    """Small parts in the place of the large ones."""

    def __init__(self):
        super().__init__()
        self.unet, self.vae, self.text_encoder = Network(), Coder(), Texts()
        self.tokenizer = Words()

    @classmethod
    def from_pretrained(cls, *_):
        return cls()

    @property
    def device(self):
        return next(self.parameters()).device


made = types.ModuleType("diffusers")
made.StableDiffusionPipeline, made.DDIMScheduler = Pipeline, Scheduler
sys.modules["diffusers"] = made
import ddm_inversion.utils  # noqa: E402

ddm_inversion.utils.image_grid = lambda _: Image.new("RGB", (8, 8))
Image.new("RGB", (64, 64)).save("made.png")
with open("made.yaml", "w") as file:
    yaml.dump([{"init_img": "/made.png", "source_prompt": "a cat", "target_prompts": ["a dog"]}], file)
script("main_run.py", "--dataset_yaml=made.yaml", "--num_diffusion_steps=4", "--skip=1")
