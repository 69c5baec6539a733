"""How far a made-up voice is behind a face, and what is seen of the face (joonson/syncnet_python at 6efbb1c)."""

from types import SimpleNamespace

import numpy
import torch
from made_up import stand_in

stand_in("python_speech_features")
import SyncNetInstance as program  # noqa: E402

made = numpy.random.default_rng(0)
film = [made.integers(0, 255, (224, 224, 3)).astype("uint8") for _ in range(7)]
shown = iter([*((1, picture) for picture in film), (0, None)])
program.subprocess.call = lambda *_, **__: 0
program.glob.glob = lambda _: list(range(7))
program.cv2.imread = film.__getitem__
program.cv2.VideoCapture = lambda _: SimpleNamespace(read=lambda: next(shown))
program.wavfile.read = lambda _: (16000, made.random(7 * 640))
program.python_speech_features.mfcc = lambda *_: made.random((28, 13))
options = SimpleNamespace(tmp_dir="made", reference="face", batch_size=2, vshift=2)
torch.save(program.S(num_layers_in_fc_layers=1024).state_dict(), "made.model")
net = program.SyncNetInstance()
net.loadParameters("made.model")
net.evaluate(options, "made.avi")
net.extract_feature(options, "made.avi")
