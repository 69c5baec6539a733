"""Three epochs of making made-up voices heard, with a test (seungwonpark/melgan)."""

import sys
from pathlib import Path
from types import SimpleNamespace

import torch
from made_up import batches, old_loaders, script, stand_in

sys.path.insert(0, ".")
sys.modules["datasets"] = folder = type(sys)("datasets")
folder.__path__ = ["datasets"]
stand_in("tensorboardX", "matplotlib", "librosa")
old_loaders()
from datasets import dataloader  # noqa: E402
from utils import train as training  # noqa: E402

from unittest import mock  # noqa: E402  isort: skip


class Voices(list):
    """A loader of made-up voices."""

    dataset = mock.MagicMock(__len__=lambda _: 2)


voice = torch.rand(1, 80, 8), torch.rand(1, 1, 2048)
dataloader.create_dataloader = lambda hp, args, train: Voices(batches(2, voice, voice) if train else [voice] * 2)
sys.modules["utils.writer"] = mock.MagicMock()
text = Path("config/default.yaml").read_text()
text = text.replace("''", "'made'").replace("segment_length: 16000", "segment_length: 2048")
Path("made.yaml").write_text(text)
training.get_commit_hash = lambda: "made"
training.itertools = SimpleNamespace(count=lambda first: range(first, 3))
caught: list[str] = []
training.traceback = SimpleNamespace(print_exc=lambda: caught.append(sys.exc_info()[1]))  # type: ignore[arg-type,return-value]
script("trainer.py", "-c", "made.yaml", "-n", "made")
if caught:
    raise caught[0]  # type: ignore[misc]
