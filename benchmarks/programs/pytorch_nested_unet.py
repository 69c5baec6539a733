"""An epoch of training and one of validation of a U-Net on made-up images (4uiiurz1/pytorch-nested-unet at 557ea02)."""

import torch
from made_up import batches, stand_in

stand_in("albumentations", "pandas", "sklearn", "tqdm", "cv2", "yaml")

from archs import UNet  # noqa: E402
from train import train, validate  # noqa: E402

model = UNet(1)
made = batches(2, torch.rand(2, 3, 32, 32), torch.ones(2, 1, 32, 32), {})
config = {"deep_supervision": False}
loss = torch.nn.BCEWithLogitsLoss()
train(config, made, model, loss, torch.optim.SGD(model.parameters(), lr=0.01))
validate(config, made, model, loss)
