"""One step of training on made-up text and spectrograms."""

import collections
import collections.abc

import numpy
from made_up import MadeUp, stand_in

stand_in("pandas", "librosa", "tensorboardX", "torchvision", "unidecode", "inflect")
collections.Mapping = collections.abc.Mapping  # the program was written for an older Python
import hyperparams as hp  # noqa: E402
import preprocess  # noqa: E402

hp.epochs, hp.batch_size, hp.hidden_size, hp.embedding_size = 1, 16, 32, 32
MadeUp.size, ends = 16, {"text_length": 4}
mel = numpy.random.rand(6, 80).astype("float32")
places = {"pos_mel": numpy.arange(1, 7), "pos_text": numpy.arange(1, 5)}
MadeUp.item = {"text": numpy.arange(1, 5), "mel": mel, "mel_input": mel, **places, **ends}
preprocess.get_dataset = MadeUp
import train_transformer  # noqa: E402

load = train_transformer.DataLoader
train_transformer.DataLoader = lambda *given, **named: load(*given, **{**named, "num_workers": 0})
train_transformer.main()
