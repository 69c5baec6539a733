"""Epochs of made-up points, with tests (WangYueFt/prnet at 82d466a)."""

import sys

import numpy
from made_up import old_loaders, script, stand_in
from scipy.spatial.transform import Rotation

stand_in("h5py", "tensorboardX")
old_loaders()
Rotation.from_dcm, Rotation.as_dcm = Rotation.from_matrix, Rotation.as_matrix
sys.modules.pop("data", None)
import data  # noqa: E402

clouds = numpy.random.rand(4, 24, 3).astype("f4")
data.load_data = lambda *_: (clouds, numpy.array([[1], [2], [3], [4]]))
sizes = ["--n_points=24", "--n_subsampled_points=20", "--n_keypoints=16", "--n_emb_dims=512", "--n_ff_dims=8"]
script("main.py", "--epochs=1", "--batch_size=2", "--test_batch_size=2", "--n_iters=2", *sizes)
