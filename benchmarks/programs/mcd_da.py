"""One epoch of adapting digits, and a test (mil-tokyo/MCD_DA)."""

import builtins
import os
import sys
import types

import torch
from made_up import labels, old_scalars, stand_in

old_scalars()
builtins.xrange = range  # type: ignore[attr-defined]
stand_in("torchvision", "syndig2svhn", "syn2gtrsb")
os.chdir("classification")
sys.path[:0] = [os.getcwd(), os.path.abspath("model"), os.path.abspath("datasets")]
sys.modules["datasets.dataset_read"] = types.ModuleType("datasets.dataset_read")
data = {one: torch.rand(4, 3, 32, 32) for one in "ST"}
data |= {f"{one}_label": labels(4, 10) for one in "ST"}
sys.modules["datasets.dataset_read"].dataset_read = lambda *_, **__: ([data], [data])
import solver  # noqa: E402

made = solver.Solver(types.SimpleNamespace(use_abs_diff=False, eval_only=False), batch_size=4, num_k=1)
made.train(0)
made.test(0)
