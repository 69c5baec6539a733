"""One epoch of the alignment of made-up clouds of points, with its test (WangYueFt/dcp at bcd7def)."""

import data
import numpy
from made_up import MadeUp, script
from scipy.spatial.transform import Rotation

Rotation.from_dcm = Rotation.from_matrix  # the program was written for an older scipy

cloud, turn, move = numpy.random.rand(3, 32).astype("float32"), numpy.eye(3, dtype="float32"), numpy.zeros(3, "float32")
MadeUp.item = (cloud, cloud[:, ::-1].copy(), turn, move, turn, move, move, move)
data.ModelNet40 = MadeUp
sizes = ["--emb_dims", "16", "--ff_dims", "16", "--batch_size", "2", "--test_batch_size", "2"]
script("main.py", "--exp_name", "made", "--epochs", "1", "--num_points", "32", *sizes)
