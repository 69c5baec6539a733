"""Two epochs of made-up series, and what stands for them (zhihanyue/ts2vec at b0088e1)."""

import sys

import numpy

sys.modules.pop("ts2vec", None)
from ts2vec import TS2Vec  # noqa: E402

series = numpy.random.rand(4, 20, 2)
model = TS2Vec(input_dims=2, output_dims=4, hidden_dims=4, depth=2, batch_size=2, max_train_length=10)
model.fit(series, n_epochs=2)
model.encode(series, encoding_window="full_series")
model.encode(series, causal=True, sliding_length=5, sliding_padding=5)
model.save("made.pt")
model.load("made.pt")
