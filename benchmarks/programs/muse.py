"""Finding the words of a made-up language in another, by an adversary, then step by step (facebookresearch/MUSE)."""

import inspect
import os
import sys
from pathlib import Path

import numpy
from made_up import script

sys.path.insert(0, ".")
inspect.getargspec = inspect.getfullargspec  # type: ignore[attr-defined]
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"  # as torch.load was when this was written
numbers = numpy.random.rand(40, 8)
lines = [f"word{n} {' '.join(map(str, row))}" for n, row in enumerate(numbers)]
Path("made.txt").write_text("\n".join(["40 8", *lines, ""]))
from src import evaluation  # noqa: E402

evaluation.Evaluator.all_eval = lambda self, to_log: to_log.update({"mean_cosine-csls_knn_10-S2T-10000": 0.1})
evaluation.Evaluator.eval_dis = lambda *_: None
sizes = ["--emb_dim", "8", "--dis_hid_dim", "8", "--dis_most_frequent", "0", "--epoch_size", "64"]
counts = ["--n_epochs", "1", "--n_refinement", "1", "--exp_path", "made"]
script("unsupervised.py", "--src_emb", "made.txt", "--tgt_emb", "made.txt", *sizes, *counts)
