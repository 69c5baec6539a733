"""Whether a program saves modules or other objects as they are, whose class then may not get new attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

NET = """import torch


class Net(torch.nn.Module):
    def __init__(self, use_cuda):
        super().__init__()
        self.use_cuda = use_cuda

    def forward(self, x):
        mask = torch.ones(1)
        if self.use_cuda:
            mask = mask.cuda()
        return x * mask
"""
WHOLE = [
    "torch.save(net, p)",
    "torch.save(net.module if many else net, p)",
    "state = {'net': net}\ntorch.save(state, p)",
    "torch.save({'nets': {'a': net.module}}, f=p)",
    "torch.save([net, 3], p)",
    "torch.save(dict(net=net), p)",
    "def save(what, p):\n    torch.save(what, p)\n\nsave(net, p)",
    "def save(what, p):\n    state = {'net': what}\n    torch.save(state, p)\n\nsave(p=p, what=net)",
    "from keep import keep\n\nkeep(net)",
    "other = Net(1)\ntorch.save(other, p)",
]
PARTS = [
    "torch.save(net.state_dict(), p)",
    "state = {'net': net.state_dict(), 'epoch': 1}\ntorch.save(state, p)",
    "torch.save(losses, p)",
    "weights = torch.FloatTensor(3)\ntorch.save(weights, p)",
    "import collections\nstate = collections.OrderedDict()\ntorch.save(state, p)",
    "pickle.save(net, p)",
    "def save(what, p):\n    torch.save(what, p)\n\nsave({'net': net.state_dict()}, p)",
    "def save(what, p):\n    torch.save(what.state_dict(), p)\n\nsave(net, p)",
    "from keep import keep\n\nkeep(net.state_dict())",
]


def definition(tmp_path: Path, statement: str) -> str:
    run = f"import torch\n\nnet.eval()\n{statement}\n"
    keep = "import torch\n\n\ndef keep(what):\n    torch.save(what, 'p')\n"
    files = write_files(tmp_path / "p", {"net.py": NET, "run.py": run, "keep.py": keep})
    return fix_files(files, unsafe=False)["net.py"]


@pytest.mark.parametrize("statement", WHOLE)
def test_a_device_of_the_method_where_modules_are_saved_whole(tmp_path: Path, statement: str) -> None:
    assert '        device = torch.device("cuda" if self.use_cuda else "cpu")' in definition(tmp_path, statement)


@pytest.mark.parametrize("statement", PARTS)
def test_a_device_of_the_instance_elsewhere(tmp_path: Path, statement: str) -> None:
    assert '        self.device = torch.device("cuda" if self.use_cuda else "cpu")' in definition(tmp_path, statement)


LEARNER = """import torch


class BaseLearner:
    def __init__(self, net, use_cuda):
        self.net = net
        self.use_cuda = use_cuda

    def fit(self, x):
        if self.use_cuda:
            x = x.cuda()
        return self.net(x)

    def get(self, x):
        if self.use_cuda:
            x = x.cuda()
        return self.net(x)
"""
TRAINER = """import torch


class Trainer:
    def __init__(self, net):
        self.net = net

    def fit(self, x):
        self.net.cuda()
        return self.net(x.cuda())

    def get(self, x):
        return self.net(x.cuda())
"""
PICKLED = [
    "import pickle\n\npickle.dump(agent.base_learner, f)\npickle.dump(best_trainer, f)",
    "import _pickle as p\n\np.dumps({'one': learner, 'other': trainer})",
    "from joblib import dump\n\none.fit(x)\ndump(one, f)",
    "import dill\nfrom learner import BaseLearner\nfrom trainer import Trainer\n\none, other = make()\none = BaseLearner(net, True)\nother = Trainer(net)\n"
    "dill.dump(one, f)\ndill.dump(other, f)",
    "import torch\n\ntorch.save(learner, f)\ntorch.save(self.trainer, f)",
    "import pickle\n\ndef keep(one, f):\n    pickle.dump(one, f)\n\nkeep(learner, f)\nkeep(f=f, one=trainer)",
    "import pickle\n\nbase = [learner]\npickle.dump(base, f)\nkept = {'x': trainer}\npickle.dump(kept, f)",
    "import pickle\n\nlearner = {}\nlearner['a'] = 1\npickle.dump(learner, f)\ntrainer = []\nfill(trainer)\n"
    "pickle.dump(trainer, f)",
    "from keep import show\nfrom learner import BaseLearner\nfrom trainer import Trainer\n\nx = BaseLearner(1, 2)\nshow(x)\ny = Trainer(1)\nshow(y)",
]
DATA = [
    "import pickle\n\npickle.dump(losses, f)",
    "import pickle\n\npickle.dump(words, f)\nwords.get(1)",
    "import pickle\n\nlearner = trainer = pickle.load(f)",
    "import pickle\n\nlearner = pickle.load(f)\nlearner = {'losses': learner['losses']}\nprint(f)\nwith f:\n"
    "    pickle.dump(learner, f)\ntrainer = [1]\npickle.dump(trainer, f)",
    "import json\n\njson.dump(learner, f)\njson.dump(trainer, f)",
    "import torch\n\ntorch.save(learner.net.state_dict(), f)\ntorch.save(trainer.net.state_dict(), f)",
    "import pickle\n\ndef keep(one, f):\n    pickle.dump(one.losses, f)\n\nkeep(learner, f)\nkeep(f=f, one=trainer)",
]


def with_devices(tmp_path: Path, statements: str) -> list[str]:
    own = {"learner.py": LEARNER, "trainer.py": TRAINER, "run.py": f"{statements}\n"}
    files = write_files(tmp_path / "p", {**own, "keep.py": "import dill\n\n\ndef show(one):\n    dill.dumps(one)\n"})
    after = fix_files(files, unsafe=False)
    assert all(".cuda()" not in text for text in after.values())
    return [name for name, text in after.items() if "self.device = " in text]


@pytest.mark.parametrize("statements", PICKLED)
def test_no_device_of_instances_that_are_pickled(tmp_path: Path, statements: str) -> None:
    assert with_devices(tmp_path, statements) == []


@pytest.mark.parametrize("statements", DATA)
def test_a_device_of_instances_where_only_data_is_pickled(tmp_path: Path, statements: str) -> None:
    assert with_devices(tmp_path, statements) == ["learner.py", "trainer.py"]


def test_no_device_of_what_pickles_itself_nor_of_its_heirs(tmp_path: Path) -> None:
    base = "import pickle\n\n\nclass Kept:\n    def store(self, f):\n        pickle.dump(self, f)\n"
    own = f"{TRAINER}\n    def store(self, f):\n        import pickle\n        pickle.dump(self, f)\n"
    heir = LEARNER.replace("import torch\n", "import torch\nfrom base import Kept\n").replace(
        "Learner:", "Learner(Kept):"
    )
    files = write_files(tmp_path / "p", {"base.py": base, "learner.py": heir, "trainer.py": own})
    assert all("self.device" not in text for text in fix_files(files, unsafe=False).values())
