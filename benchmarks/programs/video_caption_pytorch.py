"""Captions of made-up films, an epoch, another for a reward, a test (xiadingZ/video-caption.pytorch at 0597647)."""

import sys
from types import SimpleNamespace
from unittest import mock

import numpy
import pandas
import torch
from made_up import MadeUp, script

sys.modules["misc.rewards"] = mock.MagicMock(get_self_critical_reward=lambda *given: numpy.ones(given[-1].shape))
score = SimpleNamespace(score=lambda *_: {"CIDEr": 1})
sys.modules["misc.cocoeval"] = mock.MagicMock(COCOScorer=lambda: score)
pandas.io.json.json_normalize = pandas.json_normalize
import dataloader  # noqa: E402
import opts  # noqa: E402


class Films(MadeUp):
    """Films, and what is said of them."""

    max_len = 5
    words, film = torch.tensor([1, 2, 3, 0, 0]), torch.rand(3, 8)
    item = {"fc_feats": film, "labels": words, "masks": torch.ones(5), "video_ids": "a"}

    def get_vocab(self):
        """The words of numbers."""
        return dict(zip("01234", "abcde"))

    def get_vocab_size(self):
        """How many words there are."""
        return 5


parse = opts.parse_opt
opts.parse_opt = lambda: SimpleNamespace(**{**vars(parse()), "bidirectional": False})  # torch wants a bool
dataloader.VideoDataset = Films
with open("made.json", "w") as file:
    file.write('{"sentences": [{"caption": "a b", "video_id": "a"}]}')
sizes = "--model S2VTAttModel --max_len 5 --dim_hidden 8 --dim_word 8 --dim_vid 8 --batch_size 2 --rnn_dropout_p 0"
steps = "--epochs 2 --self_crit_after 1 --save_checkpoint_every 1 --input_json made.json"
script("train.py", *sizes.split(), *steps.split())
script("eval.py", "--recover_opt", "save/opt_info.json", "--saved_model", "save/model_1.pth")
