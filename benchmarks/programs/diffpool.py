"""Two epochs of telling kinds of made-up graphs apart, with clusters that are learned (RexYing/diffpool)."""

import sys
from pathlib import Path

from made_up import old_loaders, stand_in

sys.path.insert(0, ".")
stand_in("matplotlib", "community")
old_loaders()
for folder in ("results", "log"):
    Path(folder).mkdir(exist_ok=True)
import networkx  # noqa: E402

networkx.to_numpy_matrix, networkx.__version__ = networkx.to_numpy_array, "2.8"
import train  # noqa: E402
from gen import data  # noqa: E402

made = data.gen_2community_ba
data.gen_2community_ba = lambda nodes, edges, _, *rest: made(range(12, 14), range(4, 5), 20, *rest)
data.gen_er = lambda *_: []
few = data.gen_ba
data.gen_ba = lambda nodes, edges, _, *rest: few(range(20, 24), range(4, 5), 20, *rest)
train.log_assignment = train.log_graph = lambda *_: None
sys.argv = ["train.py", "--epochs", "2", "--method", "soft-assign", "--linkpred", "--batch-size", "4"]
train.main()
