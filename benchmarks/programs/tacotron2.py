"""One step of training on made-up text and spectrograms."""

from types import SimpleNamespace

import torch
from made_up import stand_in

stand_in("librosa", "tensorflow", "tensorboard", "matplotlib", "tensorboardX", "unidecode", "inflect", "google")
import tensorboard  # noqa: E402
import tensorflow as tf  # noqa: E402

tensorboard.__version__ = "2.0"

tf.contrib.training.HParams = SimpleNamespace
import hparams  # noqa: E402
import loss_function  # noqa: E402
import train  # noqa: E402

options = hparams.create_hparams()
model = train.load_model(options)
batch = (
    torch.randint(1, 20, (2, 6)),
    torch.tensor([6, 5]),
    torch.randn(2, 80, 8),
    torch.zeros(2, 8),
    torch.tensor([8, 7]),
)
inputs, target = model.parse_batch(batch)
loss_function.Tacotron2Loss()(model(inputs), target).backward()
