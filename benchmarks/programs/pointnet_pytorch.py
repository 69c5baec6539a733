"""One epoch of classification of made-up clouds of points."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("plyfile")
import pointnet.dataset  # noqa: E402

MadeUp.item = (torch.rand(64, 3), torch.tensor([1]))
pointnet.dataset.ShapeNetDataset = MadeUp
script("utils/train_classification.py", "--dataset", ".", "--nepoch", "1", "--batchSize", "2", "--workers", "0")
