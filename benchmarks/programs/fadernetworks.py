"""Two steps on made-up faces with all critics, and their evaluation (facebookresearch/FaderNetworks at cdd9e50)."""

import functools
import inspect
import json
import os
import sys

import torch
from made_up import old_scalars, script

old_scalars()
json.dumps = functools.partial(json.dumps, default=float)
inspect.getargspec = inspect.getfullargspec  # type: ignore[attr-defined]
torch.load = functools.partial(torch.load, weights_only=False)
sizes = ["--img_sz=32", "--n_layers=3", "--init_fm=4", "--max_fm=8", "--hid_dim=8", "--batch_size=4"]
sys.argv = ["classifier.py"]
from src import loader, model  # noqa: E402

faces = tuple(torch.randint(0, 255, (8, 3, 32, 32)).byte() for _ in range(3))
features = tuple(torch.eye(2)[torch.arange(8) % 2].repeat(1, 2) for _ in range(3))
loader.load_images = lambda _: (faces, features)


class Settings:
    """What a classifier must know."""

    img_sz, img_fm, init_fm, max_fm, hid_dim, n_attr = 32, 3, 4, 8, 8, 4
    attr = (("Male", 2), ("Smiling", 2))


torch.save(model.Classifier(Settings()), "made.pth")
os.makedirs("models", exist_ok=True)
weights = ["--lambda_ptc_dis=0.1", "--lambda_clf_dis=0.1", "--n_ptc_dis=1", "--n_clf_dis=1", "--v_flip=1"]
script("train.py", "--eval_clf=made.pth", "--n_epochs=2", "--epoch_size=8", *sizes, *weights)
