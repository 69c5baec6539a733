"""The shortest ways through made-up towns, two epochs (yd-kwon/MatNet at 782698b)."""

import datetime
import os
import sys
from types import SimpleNamespace

import matplotlib
from made_up import script

matplotlib.use("agg")
sys.modules["pytz"] = SimpleNamespace(timezone=lambda _: datetime.timezone.utc)  # type: ignore[assignment]
made = script(os.path.abspath("ATSP/ATSP_MatNet/train.py"), name="made")
made["env_params"].update(node_cnt=5, pomo_size=5)
made["model_params"].update(embedding_dim=16, sqrt_embedding_dim=4, encoder_layer_num=2, head_num=1, one_hot_seed_cnt=5)
made["trainer_params"].update(epochs=2, train_episodes=4, train_batch_size=2)
made["main"].__globals__["copy_all_src"] = print
made["main"]()
