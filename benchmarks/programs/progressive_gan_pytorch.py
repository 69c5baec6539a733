"""Three steps of a generator that grows (rosinality/progressive-gan-pytorch at 672f27e)."""

import torch
from made_up import batches, labels, old_scalars, script, stand_in

stand_in("torchvision")
old_scalars()
backward = torch.Tensor.backward
torch.Tensor.backward = lambda self, by=None, **named: backward(  # type: ignore[method-assign,assignment]
    self, by if by is None else by.reshape(self.shape), **named
)


class Steps(list):
    """Some steps, described as they go."""

    def set_description(self, text):
        """Write the description."""
        print(text)


made = script("train.py", "made", name="made")
settings = made["train"].__globals__
settings.update(tqdm=lambda _: Steps(range(97, 100)), batch_size=2)
made["accumulate"](made["g_running"], made["generator"], 0)
pictures = batches(3, torch.rand(2, 3, 4, 4), labels(2, 1))
made["train"](made["generator"], made["discriminator"], lambda _: pictures)
