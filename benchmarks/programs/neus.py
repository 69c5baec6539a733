"""Three steps of finding a made-up surface in pictures of it, and a picture of it (Totoro97/NeuS)."""

import sys
from pathlib import Path

import cv2
import numpy
from made_up import script, stand_in

sys.path.insert(0, ".")
stand_in("trimesh", "icecream", "mcubes", "tensorboard")
sys.modules["torch.utils.tensorboard"] = type(sys)("torch.utils.tensorboard")
from unittest import mock  # noqa: E402

sys.modules["torch.utils.tensorboard"].SummaryWriter = mock.MagicMock()  # type: ignore[attr-defined]
made = Path("public_data/made")
cameras = {}
for number in range(2):
    for kind in ("image", "mask"):
        (made / kind).mkdir(parents=True, exist_ok=True)
        picture = numpy.random.randint(0, 255, (16, 16, 3)).astype("uint8")
        cv2.imwrite(str(made / kind / f"{number}.png"), picture)
    camera = numpy.array([[20.0, 0, 8, 0], [0, 20, 8, 0], [0, 0, 1, 3 + number], [0, 0, 0, 1]])
    cameras |= {f"world_mat_{number}": camera, f"scale_mat_{number}": numpy.eye(4)}
numpy.savez(made / "cameras_sphere.npz", **cameras)
text = Path("confs/wmask.conf").read_text()
smaller = {
    "end_iter = 300000": "end_iter = 3",
    "batch_size = 512": "batch_size = 8",
    "warm_up_end = 5000": "warm_up_end = 2",
}
smaller |= {"save_freq = 10000": "save_freq = 3", "val_freq = 2500": "val_freq = 3"}
for old, new in smaller.items():
    text = text.replace(old, new)
Path("confs/made.conf").write_text(text)
script("exp_runner.py", "--conf", "confs/made.conf", "--case", "made")
