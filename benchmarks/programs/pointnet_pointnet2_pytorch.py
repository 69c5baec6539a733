"""The classification of made-up clouds of points, with votes."""

import sys
from types import SimpleNamespace

import torch
from made_up import batches, labels, stand_in

stand_in("data_utils")
import test_classification  # noqa: E402

sys.path.insert(0, "models")
import pointnet_cls  # noqa: E402

test_classification.args = SimpleNamespace(use_cpu=False)
model = pointnet_cls.get_model(4, normal_channel=False)
test_classification.test(model, batches(2, torch.rand(4, 32, 3), labels(4, 4)), num_class=4, vote_num=2)
