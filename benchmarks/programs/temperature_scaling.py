"""The temperature of a made-up classifier (gpleiss/temperature_scaling at ce1154e)."""

import torch
from made_up import batches, labels
from temperature_scaling import ModelWithTemperature

model = ModelWithTemperature(torch.nn.Linear(4, 3))
model.set_temperature(batches(3, torch.rand(8, 4), labels(8, 3)))
model(torch.rand(2, 4).to(model.temperature.device))
