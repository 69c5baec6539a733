"""Made-up programs put in classes by their trees, an epoch and its tests (zhangj111/astnn at 55f3dd5)."""

from types import SimpleNamespace

import numpy
import pandas
from made_up import script, stand_in

stand_in("gensim")
import config  # noqa: E402
import gensim.models.word2vec as words  # noqa: E402

trees = [[[0, [1], [2, [3]]], [4, [5]]], [[1, [2]]]]
rows = pandas.DataFrame([(number, trees[number % 2], number % 3 + 1) for number in range(6)])
vectors = SimpleNamespace(syn0=numpy.random.default_rng(0).random((6, 8)).astype("float32"))
pandas.read_pickle = lambda _: rows
words.Word2Vec.load = lambda _: SimpleNamespace(wv=vectors)
config.EPOCHS, config.BATCH_SIZE, config.HIDDEN_DIM, config.ENCODE_DIM, config.LABELS = 1, 4, 4, 8, 3
script("train.py")
