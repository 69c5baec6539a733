"""An image of a prompt, and where its words looked (yuval-alaluf/Attend-and-Excite at 163efdf)."""

import sys
import types

import numpy
import torch
from made_up import script, stand_in
from PIL import Image

stand_in("diffusers", "IPython")
made = types.ModuleType("pyrallis")
made.wrap = lambda: lambda function: function
sys.modules["pyrallis"] = made


class Pipeline(torch.nn.Module):
    """A small pipeline in the place of the large one."""

    def __init__(self):
        super().__init__()
        self.unet = torch.nn.Conv2d(1, 1, 1)
        self.unet.attn_processors = {}
        self.unet.set_attn_processor = lambda _: None

    @classmethod
    def from_pretrained(cls, *_):
        return cls()

    def forward(self, generator, **_):
        noise = torch.randn(1, 1, 8, 8, generator=generator, device=generator.device)
        value = int(self.unet(noise).sum())
        return types.SimpleNamespace(images=[Image.new("RGB", (8, 8), (value % 200,) * 3)])


made = types.ModuleType("pipeline_attend_and_excite")
made.AttendAndExcitePipeline = Pipeline
sys.modules["pipeline_attend_and_excite"] = made
run = script("run.py", name="made")
run["main"](run["RunConfig"]("a cat and a dog", token_indices=[2, 5], seeds=[1, 2]))
picture = Image.fromarray(numpy.arange(192, dtype="uint8").reshape(8, 8, 3))
run["vis_utils"].show_image_relevance(torch.rand(16, 16), picture)
