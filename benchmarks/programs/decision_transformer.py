"""Two steps of behavior learned from made-up walks, and their test (kzl/decision-transformer at e2d82e6)."""

import os
import pickle
import sys
from types import SimpleNamespace

import numpy
from made_up import script, stand_in

stand_in("gym", "wandb", "transformers")
import gym  # noqa: E402


class Hopper:
    """A world of three numbers, left after four steps."""

    observation_space = action_space = SimpleNamespace(shape=(3,))

    def reset(self):
        """Where a walk begins."""
        self.count = 0
        return numpy.zeros(3)

    def step(self, _):
        """Where an action leads."""
        self.count += 1
        return numpy.random.rand(3), 1.0, self.count == 4, {}


gym.make = lambda _: Hopper()
os.chdir("gym")
sys.path[:] = [one for one in sys.path if not one.endswith("programs")]  # this file is called like its package
walk = {key: numpy.random.rand(6, 3).astype("float32") for key in ("observations", "actions")}
walk.update(rewards=numpy.ones(6), terminals=numpy.zeros(6))
with open("data/hopper-medium-v2.pkl", "wb") as file:
    pickle.dump([walk, dict(walk)], file)
steps = ["--max_iters", "1", "--num_steps_per_iter", "2", "--num_eval_episodes", "1"]
script("experiment.py", "--model_type", "bc", "--K", "3", "--batch_size", "2", "--embed_dim", "8", *steps)
