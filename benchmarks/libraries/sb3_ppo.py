"""Stable-Baselines3: PPO and DQN on a small environment."""

import gymnasium
import numpy
from common import DEVICE
from stable_baselines3 import DQN, PPO


class Corridor(gymnasium.Env):
    """Walk to the right end."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), numpy.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        """Start at the left."""
        super().reset(seed=seed)
        self.place = 0.0
        return numpy.array([self.place], numpy.float32), {}

    def step(self, action):
        """Go left or right."""
        self.place = min(1.0, max(0.0, self.place + (0.25 if action else -0.25)))
        return numpy.array([self.place], numpy.float32), float(self.place == 1), self.place == 1, False, {}


for kind, options in ((PPO, {"n_steps": 32, "batch_size": 16}), (DQN, {"learning_starts": 20})):
    model = kind("MlpPolicy", Corridor(), device=DEVICE, seed=1, **options)
    model.learn(64)
    assert model.policy.device.type == DEVICE.type
    print(f"{sum(one.sum().item() for one in model.policy.parameters()):.4f}")
