"""A plan and a step of learning from made-up episodes (nicklashansen/tdmpc)."""

import sys
from types import SimpleNamespace

import torch

sys.path.insert(0, "src")
from algorithm.helper import Episode, ReplayBuffer
from algorithm.tdmpc import TDMPC

sizes = {"enc_dim": 8, "mlp_dim": 8, "latent_dim": 4, "action_dim": 2, "obs_shape": (3,), "modality": "state"}
plan = {"iterations": 2, "num_samples": 8, "num_elites": 4, "mixture_coef": 0.5, "min_std": 0.05, "temperature": 0.5}
learn = {"batch_size": 4, "max_buffer_size": 20, "horizon": 2, "reward_coef": 0.5, "value_coef": 0.1, "rho": 0.5}
more = {"consistency_coef": 2, "lr": 1e-3, "std_schedule": "0.5", "horizon_schedule": "2", "per_alpha": 0.6}
rest = {"per_beta": 0.4, "grad_clip_norm": 10, "seed_steps": 0, "update_freq": 1, "tau": 0.01, "momentum": 0.1}
end = {"discount": 0.99, "episode_length": 10, "train_steps": 20}
device = "cuda" if torch.cuda.is_available() else "cpu"
cfg = SimpleNamespace(**sizes, **plan, **learn, **more, **rest, **end, device=device)
agent, memory = TDMPC(cfg), ReplayBuffer(cfg)
episode = Episode(cfg, torch.rand(3))
for _ in range(10):
    episode += (torch.rand(3), agent.plan(torch.rand(3).numpy(), step=1), 1.0, False)
memory += episode
agent.update(memory, 1)
