"""An epoch of imitation by a made-up policy (tonyzhaozh/act)."""

import sys
import types

import torch
from made_up import batches, stand_in
from torch import nn

stand_in("IPython", "h5py", "dm_control", "matplotlib", "torchvision")
for name in ("constants", "policy", "visualize_episodes", "sim_env", "ee_sim_env", "scripted_policy"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["constants"].DT = sys.modules["constants"].PUPPET_GRIPPER_JOINT_OPEN = 1  # type: ignore[attr-defined]
sys.modules["policy"].ACTPolicy = sys.modules["policy"].CNNMLPPolicy = None  # type: ignore[attr-defined]
sys.modules["visualize_episodes"].save_videos = sys.modules["sim_env"].BOX_POSE = None  # type: ignore[attr-defined]
import imitate_episodes  # noqa: E402


class Policy(nn.Module):
    """One layer in the place of the network."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, joints, pictures, actions, padded):
        """How far the actions are off."""
        return {"loss": (self.layer(joints) - actions[:, 0]).abs().mean() + pictures.mean() + padded.sum()}


imitate_episodes.make_policy = lambda *_: Policy()
imitate_episodes.make_optimizer = lambda _, policy: torch.optim.SGD(policy.parameters(), lr=0.1)
imitate_episodes.plot_history = lambda *_: None
loader = batches(2, torch.rand(2, 1, 3, 4, 4), torch.rand(2, 4), torch.rand(2, 5, 4), torch.zeros(2, 5))
config = {"num_epochs": 1, "ckpt_dir": ".", "seed": 0, "policy_class": "ACT", "policy_config": {}}
imitate_episodes.train_bc(loader, loader, config)
