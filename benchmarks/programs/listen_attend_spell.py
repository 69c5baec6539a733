"""A training on made-up sounds, resumed, and what is heard (kaituoxu/Listen-Attend-Spell at b43ce63)."""

import json
import sys
from unittest import mock

import numpy
from made_up import old_loaders, script
from torch import nn

sys.modules["kaldi_io"] = mock.MagicMock(read_mat=lambda name: numpy.random.rand(int(name), 80))
old_loaders()
made = nn.LSTM.__init__
nn.LSTM.__init__ = lambda self, *rest, bidirectional, **named: made(
    self, *rest, **named, bidirectional=bool(bidirectional)
)
sys.path[:0] = ["src/data", "src/models", "src/solver", "src/utils"]
for name in ("data", "utils", "solver"):
    sys.modules.pop(name, None)
words = ["<unk>", "<sos>", "<eos>", "a", "b"]
with open("made.dict", "w") as file:
    file.writelines(f"{word} {index}\n" for index, word in enumerate(words))
spoken = [{"shape": [2, 5], "tokenid": "3 4", "token": "a b", "text": "a b", "name": "target1"}]
heard = {
    str(size): {"utt2spk": "a", "input": [{"shape": [size, 80], "feat": str(size)}], "output": spoken}
    for size in (8, 6)
}
with open("made.json", "w") as file:
    json.dump({"utts": heard}, file)
data = ["--dict=made.dict", "--train_json=made.json", "--valid_json=made.json", "--save_folder=made"]
sizes = ["--ehidden=4", "--elayer=1", "--dembed=4", "--dhidden=8", "--batch_size=2", "--checkpoint=1"]
script("src/bin/train.py", *data, *sizes, "--epochs=1", "--num_workers=0")
script("src/bin/train.py", *data, *sizes, "--epochs=2", "--num_workers=0", "--continue_from=made/epoch1.pth.tar")
read = ["--recog_json=made.json", "--dict=made.dict", "--model_path=made/final.pth.tar"]
script("src/bin/recognize.py", *read, "--beam_size=2", "--decode_max_len=3", "--nbest=1", "--result_label=out.json")
