"""The surface of made-up points learnt, three steps (amosgropp/IGR at a2e43af)."""

import functools
import os

import numpy
from made_up import script, stand_in

stand_in("pyhocon", "GPUtil", "plotly", "trimesh", "skimage")
SETTINGS = {
    "network": {
        "inputs": {"dims": [16, 16, 16], "skip_in": [2], "geometric_init": True, "radius_init": 1, "beta": 100},
        "sampler": {"sampler_type": "NormalPerPoint", "properties": {"global_sigma": 1.8}},
        "loss": {"lambda": 0.1, "normals_lambda": 1},
    },
    "train": {
        "input_path": os.path.abspath("made.npy"),
        "d_in": 3,
        "checkpoint_frequency": 2,
        "status_frequency": 1,
        "weight_decay": 0,
        "learning_rate_schedule": [{"Type": "Step", "Initial": 0.005, "Interval": 2, "Factor": 0.5}],
        "network_class": "model.network.ImplicitNet",
    },
    "plot": {},
}


class Settings:
    """Settings by their path."""

    def __getattr__(self, _):
        return lambda path: functools.reduce(dict.__getitem__, path.split("."), SETTINGS)


os.environ["HOME"] = os.path.abspath("home")
os.makedirs("home/data", exist_ok=True)
os.makedirs("exps", exist_ok=True)
numpy.save("made.npy", numpy.random.default_rng(0).random((200, 6)))
made = script("code/reconstruction/run.py", name="made")
runner = made["ReconstructionRunner"]
runner.run.__globals__["plot_surface"] = lambda decoder, points, **_: print(decoder(points).sum())
named = {"expname": "made", "nepochs": 2, "points_batch": 16, "gpu_index": "ignore", "eval": False}
runner(conf=Settings(), is_continue=False, timestamp="latest", checkpoint="latest", **named).run()
