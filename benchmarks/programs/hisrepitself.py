"""Where made-up people go next, by where they went before, an epoch (wei-mao-2019/HisRepItself at 0451c84)."""

import torch
from made_up import MadeUp, script, stand_in

stand_in("h5py", "matplotlib", "six")
from utils import h36motion3d  # noqa: E402


class Moves(MadeUp):
    """Where 32 joints are for a while."""

    def __getitem__(self, _):
        return torch.rand(60, 96)


h36motion3d.Datasets = Moves
options = "--in_features 66 --d_model 8 --num_stage 1 --kernel_size 10 --dct_n 20 --output_n 10 --epoch 1"
script("main_h36m_3d.py", *options.split(), "--batch_size", "2")
