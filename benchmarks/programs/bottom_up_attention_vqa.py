"""Two epochs of answering questions about made-up pictures (hengyuan-hu/bottom-up-attention-vqa)."""

import sys
from types import SimpleNamespace

import numpy
import torch
from made_up import MadeUp, old_loaders, old_scalars, script

sys.path.insert(0, ".")
sys.modules["cPickle"] = __import__("pickle")
old_loaders()
old_scalars()
dropout = torch.nn.Dropout
torch.nn.Dropout = lambda share, **_: dropout(share)  # type: ignore[misc,assignment]
torch.nn.utils.clip_grad_norm = torch.nn.utils.clip_grad_norm_  # type: ignore[attr-defined]
import dataset  # noqa: E402


class Questions(MadeUp):
    """What is seen where, a question, and how right each answer is."""

    item = torch.rand(3, 8), torch.rand(3, 6), torch.tensor([0, 1, 2]), torch.rand(5)
    dictionary = SimpleNamespace(ntoken=4)
    v_dim = 8
    num_ans_candidates = 5


dataset.Dictionary = SimpleNamespace(load_from_file=lambda _: Questions.dictionary)
dataset.VQAFeatureDataset = Questions
numpy.load = lambda _: numpy.zeros((4, 300), dtype="float32")
script("main.py", "--epochs", "2", "--num_hid", "8", "--batch_size", "2")
