"""Scripts that choose their visible GPUs by classes and functions of other files, whatever leads to these."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
OPTIONS = (
    "import argparse\nimport os\n\n\nclass Options:\n    def __init__(self):\n"
    "        self.parser = argparse.ArgumentParser()\n\n    def read(self):\n"
    "        found = self.parser.parse_args()\n        self.choose(found)\n        return found\n\n"
    "    def choose(self, found):\n        os.environ['CUDA_VISIBLE_DEVICES'] = found.gpu\n\n"
    "    def show(self):\n        print(self.parser)\n"
)
BELOW = "from base import Options\n\n\nclass Training(Options):\n    def lines(self):\n        return []\n"
QUIET = BELOW + "\n    def choose(self, found):\n        pass\n"
SUPER = (
    "from base import Options\n\n\nclass Middle(Options):\n    def read(self):\n"
    "        return super().read()\n\n\nclass Training(Middle):\n    pass\n"
)
CALLED = "import os\n\n\nclass Get:\n    def __call__(self):\n        os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n\n\nget = Get()\n"
HOOKS = (
    "class Runner:\n    def run(self):\n        self.before()\n        return self.work()\n\n"
    "    def before(self):\n        pass\n\n    def work(self):\n        pass\n"
)
GPU = "import os\n\n\ndef choose(gpu):\n    os.environ['CUDA_VISIBLE_DEVICES'] = gpu\n\n\ndef count():\n    return 2\n"
CHOOSING = HOOKS.replace("before(self):\n        pass", "before(self):\n        import gpu\n\n        gpu.choose('1')")
HELD = "from below import Training\n\n\nclass Start:\n    def begin(self):\n        self.options = Training()\n        self.options.read()\n"
TABLE = "from gpu import choose\n\nSTEPS = {'gpu': choose}\n\n\ndef start():\n    for one in STEPS:\n        STEPS[one]('1')\n"


def fixed(folder: Path, files: dict[str, str], text: str) -> list[str]:
    base = {"README.md": "", "requirements.txt": "", "base.py": OPTIONS, "gpu.py": GPU}
    return fix_files(write_files(folder / "p", {**base, **files, "main.py": text})).get("main.py", "").splitlines()


def main_with(above: str, call: str) -> str:
    return f"import torch\n{above}\n\nx = torch.ones(3)\n{call}\nx = x.cuda()\nprint(x)\n"


@pytest.mark.parametrize(
    ("files", "above", "call"),
    [
        ({"below.py": BELOW}, "from below import Training", "found = Training().read()"),
        ({"below.py": BELOW}, "import below", "found = below.Training().read()"),
        ({"below.py": BELOW}, "from below import *", "found = Training().read()"),
        ({"below.py": BELOW}, "from below import Training\noptions = Training()", "found = options.read()"),
        ({"below.py": BELOW + "\n\noptions = Training()\n"}, "from below import options", "found = options.read()"),
        ({"below.py": BELOW + "\n\noptions = Training()\n"}, "import below", "found = below.options.read()"),
        ({"below.py": BELOW}, "from below import Training\nall = [Training()]", "found = all[0].read()"),
        ({"below.py": SUPER}, "from below import Training", "found = Training().read()"),
        ({"below.py": BELOW, "held.py": HELD}, "from held import Start", "found = Start().begin()"),
        ({"get.py": CALLED}, "from get import get", "found = get()"),
        ({"get.py": CALLED}, "from get import Get", "found = Get()()"),
        ({"run.py": CHOOSING}, "from run import Runner\nclass Mine(Runner): pass", "found = Mine().run()"),
        ({"run.py": HOOKS}, "from run import Runner\nfrom mine import Mine", "found = Mine().run()"),
        ({"table.py": TABLE}, "from table import start", "found = start()"),
    ],
)
def test_the_device_is_asked_for_below(tmp_path: Path, files: dict[str, str], above: str, call: str) -> None:
    mine = "import gpu\nfrom run import Runner\n\n\nclass Mine(Runner):\n    def work(self):\n        gpu.choose('2')\n"
    lines = fixed(tmp_path, {"mine.py": mine, **files}, main_with(above, call))
    assert lines.index(DEVICE) > lines.index(call)


@pytest.mark.parametrize(
    ("files", "above", "call"),
    [
        ({"below.py": BELOW}, "from below import Training", "Training().show()"),
        ({"below.py": BELOW}, "from below import Training", "print(Training().lines())"),
        ({"below.py": QUIET}, "from below import Training", "found = Training().read()"),
        ({"below.py": BELOW}, "from below import Training\nimport json", "found = json.choose()"),
        ({"run.py": HOOKS}, "from run import Runner\nclass Mine(Runner): pass", "found = Mine().run()"),
        ({}, "from gpu import count", "print(map(count, [1]))"),
        ({}, "import gpu", "print(gpu.count())"),
    ],
)
def test_what_leads_to_no_choice(tmp_path: Path, files: dict[str, str], above: str, call: str) -> None:
    lines = fixed(tmp_path, files, main_with(above, call))
    assert lines.index(DEVICE) < lines.index(call)


@pytest.mark.parametrize(
    ("above", "call", "is_fixed"),
    [
        ("import gpu", "start = gpu.choose\nstart('1')", False),
        ("from gpu import choose\n\nSTEPS = {'gpu': choose}", "STEPS['gpu']('1')", False),
        ("import gpu", "getattr(gpu, 'choose')('1')", False),
        ("import base", "getattr(base, 'Options')().read()", False),
        ("from base import Options\n\nKINDS = [Options]", "KINDS[0]().read()", False),
        ("from gpu import count\n\nSTEPS = {'gpu': count}", "STEPS['gpu']()", True),
        ("from base import Options", "print(isinstance(x, Options))", True),
    ],
)
def test_what_is_called_by_another_name(tmp_path: Path, above: str, call: str, is_fixed: bool) -> None:
    assert (DEVICE in fixed(tmp_path, {}, main_with(above, call))) is is_fixed


def test_a_hook_of_a_class_of_the_script(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom run import Runner\n\n\nclass Mine(Runner):\n    def work(self):\n"
        "        print(torch.ones(2).cuda(), torch.ones(3).cuda())\n\n\nif __name__ == '__main__':\n    Mine().run()\n"
    )
    for number, (run, is_at_top) in enumerate(((CHOOSING, False), (HOOKS, True))):
        assert (DEVICE in fixed(tmp_path / str(number), {"run.py": run}, text)) is is_at_top
