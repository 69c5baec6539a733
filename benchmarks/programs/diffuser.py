"""A step of learning plans, and a plan (jannerm/diffuser)."""

import collections
import collections.abc
import sys
import types

import numpy
import torch
from made_up import MadeUp, stand_in

collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
stand_in("gym", "d4rl", "mujoco_py", "tap", "git", "skvideo", "imageio", "matplotlib", "google", "crcmod", "pybullet")
for name in ("diffuser.environments", "diffuser.utils.rendering", "diffuser.utils.colab"):
    sys.modules[name] = types.ModuleType(name)
preprocessing = types.ModuleType("diffuser.datasets.preprocessing")
preprocessing.get_policy_preprocess_fn = lambda _: lambda x: x  # type: ignore[attr-defined]
sys.modules["diffuser.datasets"] = types.ModuleType("diffuser.datasets")
sys.modules["diffuser.datasets.preprocessing"] = preprocessing
from diffuser import models, utils  # noqa: E402
from diffuser.sampling.policies import GuidedPolicy  # noqa: E402

Batch = collections.namedtuple("Batch", "trajectories conditions")


class Plans(MadeUp):
    """Plans of eight steps."""

    action_dim = 2

    def __getitem__(self, index):
        return Batch(numpy.random.rand(8, 6).astype("float32"), {0: numpy.random.rand(4).astype("float32")})


class Normalizer:
    """Everything is as it should be."""

    def normalize(self, x, _):
        """Nothing changes."""
        return x

    unnormalize = normalize


network = models.TemporalUnet(8, 6, 4, dim=8, dim_mults=(1, 2))
process = models.GaussianDiffusion(network, 8, 4, 2, n_timesteps=2)
process.cuda() if torch.cuda.is_available() else None
trainer = utils.Trainer(process, Plans(), None, train_batch_size=2, sample_freq=0, results_folder=".")
trainer.train(1)


def sample(model, x, cond, t, **_):
    """One step back."""
    return models.diffusion.default_sample_fn(model, x, cond, t)


policy = GuidedPolicy(None, process, Normalizer(), [], sample_fn=sample)
policy({0: numpy.random.rand(4).astype("float32")}, batch_size=2, verbose=False)
