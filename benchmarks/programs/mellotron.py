"""One epoch of a speaking model on made-up sound, with its validation (NVIDIA/mellotron at d5362cc)."""

import types
from unittest import mock

import torch
from made_up import MadeUp, stand_in

stand_in("librosa", "tensorflow", "tensorboardX", "unidecode", "inflect", "matplotlib")
import tensorflow  # noqa: E402

tensorflow.contrib.training.HParams = types.SimpleNamespace
import hparams  # noqa: E402
import train  # noqa: E402

MadeUp.item = (torch.arange(6), torch.rand(80, 70), torch.tensor([1]), torch.rand(1, 70))
MadeUp.speaker_ids = {}
train.TextMelLoader = MadeUp
train.Tacotron2Logger = mock.MagicMock()
sizes = hparams.create_hparams()
sizes.epochs, sizes.batch_size, MadeUp.size = 1, 2, 2
sizes.decoder_rnn_dim = sizes.attention_rnn_dim = sizes.postnet_embedding_dim = 16
train.train("made", "made", None, False, 1, 0, "made", sizes)
