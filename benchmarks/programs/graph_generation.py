"""One epoch of drawing graphs, and new ones drawn (JiaxuanYou/graph-generation at 3444b8a)."""

import os
import sys
import types

import networkx
import numpy
from made_up import old_scalars, script, stand_in

stand_in("community", "pyemd", "seaborn", "tensorboard_logger", "torchvision")
sys.modules["scipy.misc"] = types.ModuleType("scipy.misc")
networkx.from_numpy_matrix = networkx.from_numpy_array
networkx.to_numpy_matrix = lambda graph: numpy.asmatrix(networkx.to_numpy_array(graph))
old_scalars()
import args  # noqa: E402
import create_graphs  # noqa: E402

Settings = args.Args


def small():
    """Little of everything."""
    made = Settings()
    made.hidden_size_rnn, made.embedding_size_rnn, made.num_layers = 8, 4, 2
    made.batch_size, made.batch_ratio, made.num_workers, made.max_prev_node = 2, 1, 0, 4
    made.epochs = made.epochs_test_start = made.epochs_test = made.epochs_log = made.epochs_save = 1
    made.test_batch_size, made.test_total_size, made.cuda = 2, 2, os.environ.get("CUDA_VISIBLE_DEVICES", "0")
    return made


args.Args = small
create_graphs.create = lambda _: [networkx.grid_2d_graph(2, 3) for _ in range(10)]
script("main.py")
