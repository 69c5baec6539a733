"""A few steps of learning from made-up series, and what was learnt of them (salesforce/CoST at 9ada95b)."""

import sys

import numpy

sys.path.insert(0, ".")
sys.modules.pop("cost", None)
sys.path[:] = [one for one in sys.path if not one.endswith("benchmarks/programs")]
from cost import CoST  # noqa: E402

series = numpy.random.default_rng(0).random((2, 40, 3)).astype(numpy.float32)
model = CoST(3, [1, 2, 4], 0.0005, 40, output_dims=16, hidden_dims=8, depth=2, batch_size=2)
model.fit(series, n_iters=2, verbose=True)
model.encode(series, mode="forecasting", casual=True, sliding_length=1, sliding_padding=39, batch_size=4)
