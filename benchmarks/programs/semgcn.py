"""An epoch of poses from points, by the layers that Python 3 can read (garyzhao/SemGCN)."""

import builtins
import functools

import numpy
from made_up import script, stand_in

builtins.reduce = functools.reduce  # type: ignore[attr-defined]
stand_in("matplotlib", "progress")
import common.data_utils  # noqa: E402
import common.h36m_dataset  # noqa: E402
from common.skeleton import Skeleton  # noqa: E402


class People:
    """One person of sixteen joints."""

    def __init__(self, *_):
        pass

    def skeleton(self):
        """A chain of joints."""
        return Skeleton(parents=[-1, *range(15)], joints_left=[], joints_right=[])

    def define_actions(self, *_):
        """One action."""
        return ["made"]


poses = [numpy.random.rand(4, 16, 3)], [numpy.random.rand(4, 16, 2)], [["made"] * 4]
common.h36m_dataset.Human36mDataset = People
common.data_utils.read_3d_data = lambda data: data
common.data_utils.create_2d_data = lambda *_: {}
common.data_utils.fetch = lambda *_: poses
words = "--epochs 1 --num_workers 0 --batch_size 2 --checkpoint made"
script("main_linear.py", *words.split())
