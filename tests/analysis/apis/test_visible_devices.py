"""Where a program chooses its visible GPUs by a function of another file: nothing asks for CUDA above."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
SET_GPU = 'import os\n\n\ndef set_gpu(gpu):\n    os.environ["CUDA_VISIBLE_DEVICES"] = gpu\n'
CONFIG = (
    "import os\n\n\nclass Config:\n    def set_args(self, gpu):\n"
    '        os.environ.update({"CUDA_VISIBLE_DEVICES": gpu})\n\n\ncfg = Config()\n'
)
RUNNER = 'import os\n\n\nclass Runner:\n    def __init__(self, gpu):\n        os.environ.setdefault("CUDA_VISIBLE_DEVICES", gpu)\n'
SETUP = SET_GPU + "\n\ndef prepare(gpu):\n    print(gpu)\n    set_gpu(gpu)\n\n\ndef start(gpu):\n    prepare(gpu)\n"
RUN = "from setup import set_gpu\n\n\nclass Run:\n    def __init__(self, gpu):\n        self._begin(gpu)\n\n    def _begin(self, gpu):\n        set_gpu(gpu)\n"
LATER = "class Run:\n    def begin(self, gpu):\n        import setup\n\n        setup.prepare(gpu)\n"
LOOP = "import os\n\nSEEN = os.environ.get('CUDA_VISIBLE_DEVICES')\n\n\ndef even(n):\n    return n == 0 or odd(n - 1)\n\n\ndef odd(n):\n    return n and even(n - 1)\n"
ANY_NAME = (
    "import os\n\n\ndef load(values):\n    for name, value in values.items():\n        os.environ[name] = value\n"
)
PATCH = "import torch\n\n\ndef only_cpu():\n    torch.cuda.is_available = lambda: False\n"
KNOWN = 'import os\n\n\ndef load(value):\n    os.environ["OMP_NUM_THREADS"] = value\n'
CALLED_INSTANCE = (
    'import os\n\n\nclass Setup:\n    def __call__(self, gpu):\n        os.environ["CUDA_VISIBLE_DEVICES"] = gpu\n'
    "\n\nsetup = Setup()\n"
)
READS = 'import os\n\n\ndef set_gpu(gpu):\n    return os.environ["CUDA_VISIBLE_DEVICES"] == gpu\n'


def main_after(folder: Path, files: dict[str, str], above: str, call: str) -> list[str]:
    text = f"import sys\n\nimport torch\n{above}\n\nx = torch.ones(3)\n{call}\nx = x.cuda()\nprint(x)\n"
    return fix_files(write_files(folder / "p", {**files, "run/main.py": text}))["run/main.py"].splitlines()


@pytest.mark.parametrize(
    ("files", "above", "call"),
    [
        ({"run/utils.py": SET_GPU}, "from utils import set_gpu", "set_gpu(sys.argv[1])"),
        ({"run/utils.py": SET_GPU}, "from utils import set_gpu as choose", "choose(sys.argv[1])"),
        ({"run/utils.py": SET_GPU}, "import utils", "utils.set_gpu(sys.argv[1])"),
        ({"run/utils.py": SET_GPU}, "from utils import *", "set_gpu(sys.argv[1])"),
        ({"run/utils.py": CALLED_INSTANCE}, "import utils", "utils.setup(sys.argv[1])"),
        ({"run/utils.py": CALLED_INSTANCE}, "from utils import setup", "setup(sys.argv[1])"),
        ({"main/config.py": CONFIG}, "from config import cfg", "cfg.set_args(sys.argv[1])"),
        ({"main/config.py": CONFIG}, "from config import Config", "Config().set_args(sys.argv[1])"),
        ({"main/runner.py": RUNNER}, "from runner import Runner", "runner = Runner(sys.argv[1])"),
        ({"run/setup.py": SETUP}, "from setup import prepare", "prepare(sys.argv[1])"),
        ({"run/setup.py": SETUP}, "import setup", "setup.start(sys.argv[1])"),
        ({"run/setup.py": SETUP}, "from setup import *", "start(sys.argv[1])"),
        ({"run/setup.py": SETUP, "run/runs.py": RUN}, "from runs import Run", "run = Run(sys.argv[1])"),
        ({"run/setup.py": SETUP, "run/runs.py": LATER}, "from runs import Run", "Run().begin(sys.argv[1])"),
        ({"run/utils.py": ANY_NAME}, "from utils import load", "load(sys.argv[1])"),
        ({"run/utils.py": PATCH}, "from utils import only_cpu", "only_cpu()"),
        ({}, "import os", 'for name in sys.argv: os.environ[name] = "1"'),
        ({}, "", "if sys.argv[1:]: torch.cuda.is_available = lambda: False"),
        (
            {"run/tools/__init__.py": "from .setup import start\n", "run/tools/setup.py": SETUP},
            "from tools import start",
            "start(sys.argv[1])",
        ),
    ],
)
def test_the_device_is_asked_for_below(tmp_path: Path, files: dict[str, str], above: str, call: str) -> None:
    lines = main_after(tmp_path, files, above, call)
    assert lines.index(DEVICE) > lines.index(call)


@pytest.mark.parametrize(
    ("above", "call"),
    [
        ("import os", "os.environ['CUDA_VISIBLE_DEVICES'] = '1'"),
        ("from os import environ as env", "env['CUDA_VISIBLE_DEVICES'] = '1'"),
        ("from os import environ as env", "env.update({'CUDA_VISIBLE_DEVICES': '1'})"),
        ("import os\n\nCARDS = 'CUDA_VISIBLE_DEVICES'", "os.environ[CARDS] = '1'"),
        ("import os\n\nCARDS = {'CUDA_VISIBLE_DEVICES': '1'}", "os.environ.update(CARDS)"),
        ("import os\n\nCARDS = 'CUDA_VISIBLE_DEVICES'", "os.environ.setdefault(CARDS, '1')"),
        ("import os", "os.environ |= {'CUDA_VISIBLE_DEVICES': '1'}"),
        ("import os", "for k, v in {'CUDA_VISIBLE_DEVICES': '1'}.items(): os.environ[k] = v"),
    ],
)
def test_the_environment_by_other_names(tmp_path: Path, above: str, call: str) -> None:
    lines = main_after(tmp_path, {}, above, call)
    assert lines.index(DEVICE) > lines.index(call)
    lines = main_after(tmp_path, {}, above.replace("_VISIBLE_", "_OTHER_"), call.replace("_VISIBLE_", "_OTHER_"))
    assert lines.index(DEVICE) < lines.index(call.replace("_VISIBLE_", "_OTHER_"))


def test_an_import_in_a_function_that_chooses_them(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef main():\n    import tools\n\n    print(torch.ones(1).cuda())\n\n\nmain()\n"
    for line, is_below in (("os.environ['CUDA_VISIBLE_DEVICES'] = '1'", True), ("os.environ['A'] = '1'", False)):
        files = {"tools.py": f"import os\n\n{line}\n", "main.py": text}
        after = fix_files(write_files(tmp_path / str(is_below), files))["main.py"]
        assert (after.find(DEVICE) > after.find("import tools")) is is_below


@pytest.mark.parametrize(
    ("files", "above", "call"),
    [
        ({"run/utils.py": READS}, "from utils import set_gpu", "set_gpu(sys.argv[1])"),
        ({"run/utils.py": KNOWN}, "from utils import load", "load(sys.argv[1])"),
        ({}, 'import os\n\nNAME = "OMP_NUM_THREADS"', "os.environ[NAME] = sys.argv[1]"),
        ({"run/others.py": SET_GPU}, "from config import cfg", "cfg.set_gpu(sys.argv[1])"),
        ({"run/utils.py": SET_GPU}, "def set_gpu(x): ...", "set_gpu(sys.argv[1])"),
        ({"run/utils.py": SET_GPU}, "from utils import *\ndef set_gpu(x): ...", "set_gpu(sys.argv[1])"),
        ({"run/utils.py": SET_GPU}, "from utils import *", "print(sys.argv[1])"),
        ({"run/utils.py": SETUP + LOOP}, "from utils import even", "even(len(sys.argv[1]))"),
        ({"run/utils.py": SETUP + "\n\ndef show(prepare):\n    prepare()\n"}, "from utils import show", "show(print)"),
    ],
)
def test_other_calls_choose_nothing(tmp_path: Path, files: dict[str, str], above: str, call: str) -> None:
    lines = main_after(tmp_path, files, above, call)
    assert lines.index(DEVICE) < lines.index(call)


MODULE = 'import torch\n\nDEVICE = "cuda:0"\n\n\ndef moved(x):\n    return x.to(DEVICE)\n'
USER = "import torch\nfrom util import moved\n\nif __name__ == '__main__':\n    print(moved(torch.ones(3)))\n"
BOTH = "import other\n" + USER


@pytest.mark.parametrize(
    ("files", "asks"),
    [
        ({"main.py": USER}, True),
        ({"main.py": USER, "other.py": "# forked from another project\n"}, True),
        ({"main.py": BOTH, "other.py": "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n"}, False),
        ({"main.py": USER, "other.py": "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n"}, True),
        ({"main.py": BOTH, "other.py": "from multiprocessing import Pool\n"}, False),
        ({"main.py": BOTH, "other.py": "import os\npid = os.fork()\n"}, False),
        ({"main.py": USER, "setup.py": "from setuptools import setup\nsetup()\n"}, False),
        ({"main.py": USER, "__init__.py": ""}, False),
        ({"main.py": USER, "pyproject.toml": '[project]\nname = "p"\n'}, False),
        ({"main.py": USER, "pyproject.toml": "[tool.black]\nline-length = 100\n"}, True),
    ],
)
def test_a_module_of_a_program_may_ask_when_it_is_imported(tmp_path: Path, files: dict[str, str], asks: bool) -> None:
    folder = write_files(tmp_path / "p", {"README.md": "A program.\n", "util.py": MODULE, **files})
    if "setup.py" not in files:
        (folder / "setup.py").unlink()
    assert ("util.py" in fix_files(folder)) is asks


def test_a_module_in_no_project_does_not_ask_when_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "util.py").write_text(MODULE, encoding="utf-8")
    assert fix_files(tmp_path) == {}


CALLED = "import torch\nimport gpus\n\n\ndef train():\n    torch.ones(3).cuda()\n    print(torch.ones(3).cuda())\n\n\n"


@pytest.mark.parametrize(
    ("call", "others", "waits"),
    [
        ("gpus.set_cuda_visible_devices([0])", {}, True),
        ("gpus.SetVisibleGPUs(1)", {}, True),
        ("gpus.set_cuda_visible_devices([0])", {"gpus.py": "def set_cuda_visible_devices(x):\n    print(x)\n"}, False),
        ("gpus.print_visible_devices()", {}, False),
        ("gpus.set_gpu_memory(1)", {}, False),
    ],
)
def test_a_function_of_a_library_that_is_called_like_it_chooses(
    tmp_path: Path, call: str, others: dict[str, str], waits: bool
) -> None:
    text = f"{CALLED}if __name__ == '__main__':\n    {call}\n    train()\n"
    fixed = fix_files(write_files(tmp_path / "p", {"main.py": text, **others}))["main.py"]
    assert (f"\n{DEVICE}" not in fixed) is waits


TRAIN = CALLED.replace("import gpus\n", "") + "if __name__ == '__main__':\n    train()\n"
DEFAULT = "import torch\n\n\ndef train(device='cuda'):\n    print(torch.ones(3, device=device))\n\n\nif __name__ == '__main__':\n    train()\n"
CONSTANT = "import torch\n\nDEVICE = 'cuda'\n\n\ndef train():\n    print(torch.ones(3, device=DEVICE))\n\n\nif __name__ == '__main__':\n    train()\n"
FORK = "import multiprocessing as mp\n\nmp.set_start_method('fork')\nmp.Process(target=decode).start()  # cuda\n"
DECODE = "\n\ndef decode(x):\n    return x.cuda()\n"
CHOICE = "os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n"


@pytest.mark.parametrize("script", [TRAIN, DEFAULT, CONSTANT])
@pytest.mark.parametrize(
    ("files", "waits"),
    [
        ({"run.py": f"import os\nfrom train import train\n\n{CHOICE}train()\n"}, True),
        ({"run.py": f"import os\nimport train\n\n\ndef main():\n    {CHOICE}    train.train()\n\n\nmain()\n"}, True),
        (
            {
                "run.py": "from gpus import set_gpu\nfrom train import train\n\nset_gpu('1')\ntrain()\n",
                "gpus.py": SET_GPU,
            },
            True,
        ),
        ({"run.py": f"import os\nimport mid\n\n{CHOICE}mid.train()\n", "mid.py": "from train import train\n"}, True),
        (
            {
                "run.py": f"import os\nimport far\n\n{CHOICE}far.train()\n",
                "far.py": "from mid import train\n",
                "mid.py": "import far\nfrom train import train\n",
            },
            True,
        ),
        ({"run.py": f"import os\n{CHOICE}import mid\n\nmid.train()\n", "mid.py": "from train import train\n"}, True),
        ({"run.py": f"import os\n{CHOICE}from train import train\n\ntrain()\n"}, True),
        (
            {
                "run.py": "from gpus import set_gpu\nset_gpu('1')\nfrom train import train\n\ntrain()\n",
                "gpus.py": SET_GPU,
            },
            True,
        ),
        ({"run.py": "import gpus\nfrom train import train\n\ntrain()\n", "gpus.py": SET_GPU}, True),
        ({"run.py": "from train import train\n\ntrain()\n", "gpus.py": SET_GPU}, False),
        ({"run.py": "import decode\nfrom train import train\n\ntrain()\n", "decode.py": FORK}, True),
        ({"run.py": "from train import train\n\ntrain()\n", "decode.py": FORK}, False),
        ({"run.py": "import decode\nfrom train import train\n\ntrain()\n", "decode.py": FORK + DECODE}, True),
        ({"run.py": "from train import train\n\ntrain()\n", "decode.py": FORK + DECODE.replace("cuda", "cpu")}, False),
        ({"run.py": "from train import train\n\ntrain()\n", "decode.py": FORK.replace("fork", "spawn")}, False),
        ({"run.py": "from train import train\n\ntrain()\n", "gpus.py": "import os\n"}, False),
        ({"run.py": "def run():\n    import gpus\n    import train\n\n    train.train()\n", "gpus.py": SET_GPU}, True),
        ({"run.py": "from . import (  # of here\n    gpus,\n    train,\n)", "gpus.py": SET_GPU}, True),
        ({"run.py": "print(1)\n", "gpus.py": SET_GPU}, False),
        ({"run.py": f"import os\n{CHOICE}"}, False),
    ],
)
def test_a_script_that_another_one_imports_in_a_program_that_chooses(
    tmp_path: Path, script: str, files: dict[str, str], waits: bool
) -> None:
    assert _asks_on_import(tmp_path, "train.py", {"train.py": script, **files}) is not waits


@pytest.mark.parametrize(
    ("line", "waits"),
    [
        ("import train", True),
        ("from train import train", True),
        ("import tools.train", True),
        ("from tools import train", True),
        ("import other.train", False),
        ("from .other import train", False),
    ],
)
def test_a_script_of_a_folder_that_a_program_adds_to_its_search_path(tmp_path: Path, line: str, waits: bool) -> None:
    files = {
        "shapes/tools/train.py": TRAIN,
        "main/run.py": f"import gpus\n{line}\n\ngpus.set_gpu('1')\n",
        "main/gpus.py": SET_GPU + "\n\nimport sys\n\nsys.path.append(os.path.join(ROOT, 'shapes'))\n",
    }
    assert _asks_on_import(tmp_path, "shapes/tools/train.py", files) is not waits


def _asks_on_import(tmp_path: Path, name: str, files: dict[str, str]) -> bool:
    """Whether a file asks for CUDA outside of its functions once it is fixed."""
    fixed = fix_files(write_files(tmp_path / "p", files)).get(name, "")
    return any("is_available" in line and not line.startswith(" ") for line in fixed.splitlines())


@pytest.mark.parametrize(
    "line", ["from losses import train", "import losses", "from losses.other import other", "import losses.other"]
)
def test_a_package_that_is_imported_runs_what_it_imports(tmp_path: Path, line: str) -> None:
    files = {
        "losses/__init__.py": "from .train import train\n",
        "losses/other.py": "other = 1\n",
        "losses/train.py": TRAIN,
        "run.py": f"import os\n{line}\n\n{CHOICE}",
    }
    assert not _asks_on_import(tmp_path, "losses/train.py", files)


@pytest.mark.parametrize(
    ("call", "waits"),
    [
        ("import_module('models.' + name)", True),
        ("import_module(f'models.{name}')", True),
        ("import_module('.' + name, __name__)", True),
        ("import_module('others.' + name)", False),
        ("import_module('others')", False),
        ("print(lambda: import_module(f''))", True),
    ],
)
def test_a_package_that_imports_its_modules_by_their_names(tmp_path: Path, call: str, waits: bool) -> None:
    files = {
        "pyproject.toml": "",
        "models/__init__.py": f"from importlib import import_module\n\nfor name in ['train']:\n    {call}\n",
        "models/train.py": TRAIN,
        "others/__init__.py": "",
        "run.py": f"import os\nimport models\n\n{CHOICE}",
    }
    assert _asks_on_import(tmp_path, "models/train.py", files) is not waits


def test_a_module_that_starts_cuda_itself_leaves_no_choice_to_its_importers(tmp_path: Path) -> None:
    script = "import torch\n\nNET = torch.nn.Linear(1, 1).cuda()\n\n\nif __name__ == '__main__':\n    print(NET)\n"
    run = f"import os\nimport train\n\n{CHOICE}print(train.NET)\n"
    fixed = fix_files(write_files(tmp_path / "p", {"train.py": script, "run.py": run}))["train.py"]
    assert f"\n{DEVICE}" in fixed
    assert "NET = torch.nn.Linear(1, 1).to(device)" in fixed


@pytest.mark.parametrize(
    ("made", "starts"),
    [
        ("torch.nn.Linear(1, 1)", True),
        ("torch.ones(1)", True),
        ("torch.nn.CrossEntropyLoss(torch.ones(2))", True),
        ("torch.nn.BCEWithLogitsLoss(pos_weight=torch.ones(1))", True),
        ("torch.nn.AvgPool2d(2)", False),
        ("torch.nn.MSELoss()", False),
        ("torch.nn.CrossEntropyLoss(ignore_index=0)", False),
        ("DiceLoss()", False),
    ],
)
@pytest.mark.parametrize("above", ["LAYER = {}", "class Layers:\n    layer = {}", "LAYER = {}  # fork"])
def test_a_layer_without_weights_that_a_module_moves_starts_no_cuda(
    tmp_path: Path, above: str, made: str, starts: bool
) -> None:
    text = f"import torch\nfrom losses import DiceLoss\n\n{above.format(f'{made}.cuda()')}\n\n\ndef test(x):\n    return x.cuda()\n"
    run = f"import os\nimport train\n\n\ndef main():\n    {CHOICE}    print(train.test(1))\n\n\nmain()\n"
    if "fork" in above:
        run = "import multiprocessing as mp\nimport train\n\nmp.Process(target=train.test).start()\n"
    assert _asks_on_import(tmp_path, "train.py", {"train.py": text, "run.py": run}) is starts


TRAINER = """import os

import torch


class Trainer:
    def __init__(self, size):
        self.net = torch.nn.Linear(size, 1)

    def run(self):
        self.net.cuda()
        return self.net(torch.ones(2, 3).cuda())

    def check(self):
        return self.net(torch.zeros(2, 3).cuda())


class Finetuner(Trainer):
    pass
"""
FLAGGED = """import os

import torch


class Trainer:
    def __init__(self, cuda=True):
        self.cuda = cuda
        self.net = torch.nn.Linear(3, 1)

    def run(self):
        if self.cuda:
            self.net.cuda()
        x = torch.ones(2, 3)
        if self.cuda:
            x = x.cuda()
        return self.net(x)


class Finetuner(Trainer):
    pass
"""
MAKE = "def main():\n    {above}\n    trainer = {made}(3)\n    {below}\n    print(trainer.run())\n\n\nmain()\n"
SET = CHOICE.strip()


@pytest.mark.parametrize("text", [TRAINER, FLAGGED])
@pytest.mark.parametrize("made", ["Trainer", "Finetuner"])
@pytest.mark.parametrize("is_elsewhere", [False, True])
@pytest.mark.parametrize(("above", "below", "waits"), [("pass", SET, True), (SET, "pass", False)])
def test_an_instance_that_is_made_before_they_are_chosen(
    tmp_path: Path, text: str, made: str, is_elsewhere: bool, above: str, below: str, waits: bool
) -> None:
    main = MAKE.format(above=above, below=below, made=made)
    files = {"run.py": f"import os\nfrom train import Finetuner, Trainer\n\n\n{main}", "train.py": text}
    fixed = fix_files(write_files(tmp_path / "p", files if is_elsewhere else {"train.py": f"{text}\n\n{main}"}))
    assert ("self.device" not in fixed["train.py"]) is waits
    assert ".cuda()" not in fixed["train.py"]


def test_an_instance_that_is_made_before_a_function_of_its_file_chooses_them(tmp_path: Path) -> None:
    text = f"{TRAINER}\n\n{SET_GPU.removeprefix('import os')}"
    run = "from train import Trainer, set_gpu\n\ntrainer = Trainer(3)\nset_gpu('1')\nprint(trainer.run())\n"
    fixed = fix_files(write_files(tmp_path / "p", {"run.py": run, "train.py": text}))["train.py"]
    assert "self.device" not in fixed and ".cuda()" not in fixed


COACH = """import os
from train import Trainer


class Coach:
    def start(self):
        return Trainer(3)


def begin():
    return Coach().start()


"""
BY_MAIN = "def main():\n    {0}\n    {1}\n\n\nif __name__ == '__main__':\n    main()\n"
IN_BLOCK = "if __name__ == '__main__':\n    {0}\n    {1}\n"


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        (COACH + IN_BLOCK.format(SET, "Coach().start()"), False),
        (COACH + IN_BLOCK.format("Coach().start()", SET), True),
        (COACH + IN_BLOCK.format("begin()", SET), True),
        (COACH + IN_BLOCK.format("KINDS = [Coach]", SET), True),
        (COACH + IN_BLOCK.format("eval('Co' + 'ach')().start()", SET), True),
        (COACH.replace("class", "@register\nclass") + IN_BLOCK.format(SET, "Coach().start()"), True),
        (COACH + BY_MAIN.format(SET, "begin()"), False),
        (COACH + BY_MAIN.format("begin()", SET), True),
        (COACH + BY_MAIN.format(SET, "begin()").replace("    main()", "    begin()\n    main()"), True),
        (COACH + BY_MAIN.format(SET, "begin()").replace("main", "choose", 1) + "    begin()\n", True),
    ],
)
@pytest.mark.parametrize("is_imported", [False, True])
def test_an_instance_that_a_function_makes_above_the_line_that_chooses_them(
    tmp_path: Path, text: str, waits: bool, is_imported: bool
) -> None:
    """What counts is when the function is called; what other files call of this one nobody knows."""
    others = {"others.py": "from run import begin, main\n\nbegin()\nmain()\n"} if is_imported else {}
    fixed = fix_files(write_files(tmp_path / "p", {"run.py": text, "train.py": TRAINER, **others}))["train.py"]
    assert ("self.device" not in fixed) is (waits or (is_imported and "def main" in text))


def test_an_init_that_starts_cuda_itself_has_a_device(tmp_path: Path) -> None:
    text = TRAINER.replace("Linear(size, 1)", "Linear(size, 1).cuda()") + "\n\n" + MAKE
    text = text.format(above="pass", below=SET, made="Trainer")
    assert "self.device = " in fix_files(write_files(tmp_path / "p", {"train.py": text}))["train.py"]


def test_a_variable_that_is_called_like_the_function_that_chooses_them(tmp_path: Path) -> None:
    text = (
        "import os\n\nimport torch\n\n\ndef attack(net, gpu):\n"
        '    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)\n    net.cuda()\n{}\n'
        "    return attack(net, torch.ones(2).cuda())\n\n\nprint(attack(torch.nn.Linear(2, 2), 0))\n"
    )
    folder = write_files(tmp_path / "p", {"main.py": text.format("    attack = getattr(net, 'forward', print)")})
    assert f"    {DEVICE}\n    net.to(device)\n" in fix_files(folder)["main.py"]
    nested = "    if gpu:\n        def choose(gpu):\n            os.environ['CUDA_VISIBLE_DEVICES'] = gpu\n        choose('1')"
    folder = write_files(tmp_path / "p", {"main.py": text.format(nested)})
    assert "net.to(" not in fix_files(folder).get("main.py", "")


@pytest.mark.parametrize(
    ("above", "call"),
    [
        ("import os\nimport json", "os.environ.update(json.load(open('settings.json'))['environment'])"),
        ("import os\nimport json", "os.environ.update(**json.load(open('settings.json')))"),
        ("import os\n\nsettings = os.environ", "settings['CUDA_VISIBLE_DEVICES'] = '1'"),
        ("import os\n\nsettings = os.environ", "settings[sys.argv[1]] = '1'"),
        ("from dotenv import load_dotenv", "load_dotenv()"),
        ("import dotenv", "dotenv.load_dotenv('.env')"),
    ],
)
def test_settings_that_may_choose_them(tmp_path: Path, above: str, call: str) -> None:
    lines = main_after(tmp_path, {}, above, call)
    assert lines.index(DEVICE) > lines.index(call)


@pytest.mark.parametrize("call", ["load_dotenv()", "os.environ.update(json.load(open('settings.json')))"])
def test_settings_that_another_file_reads(tmp_path: Path, call: str) -> None:
    begin = f"import json\nimport os\nfrom dotenv import load_dotenv\n\n\ndef begin():\n    {call}\n"
    lines = main_after(tmp_path, {"run/settings.py": begin}, "import settings", "settings.begin()")
    assert lines.index(DEVICE) > lines.index("settings.begin()")


RUNNER_OF_CARDS = """import os
import torch


class Cards:
    def __init__(self, gpu):
        os.environ.update(CUDA_VISIBLE_DEVICES=gpu)


class Runner:
    def __init__(self, net, gpu):
        {}

    def choose(self, gpu):
        os.environ["{}"] = str(gpu)

    def start(self, gpu):
        {}
        self.net.cuda()

    def run(self, x):
        return self.net(x.cuda())
"""


@pytest.mark.parametrize(
    ("init", "variable", "start", "is_kept"),
    [
        ("self.net = net", "CUDA_VISIBLE_DEVICES", "self.choose(gpu)", False),
        ("self.net = net", "CUDA_VISIBLE_DEVICES", "pass", False),
        ("self.net = net", "OMP_NUM_THREADS", "self.choose(gpu)", True),
        ("self.net = net", "CUDA_VISIBLE_DEVICES", "Cards(gpu)", False),
    ],
)
def test_a_method_that_chooses_them(tmp_path: Path, init: str, variable: str, start: str, is_kept: bool) -> None:
    text = RUNNER_OF_CARDS.format(init, variable, start)
    after = fix_files(write_files(tmp_path / "p", {"runner.py": text}))["runner.py"]
    assert ("self.device = " in after) is is_kept
    assert ".cuda()" not in after


@pytest.mark.parametrize("net", ["net", "net.cuda()"])
def test_an_instance_that_chooses_them_before_it_moves(tmp_path: Path, net: str) -> None:
    text = RUNNER_OF_CARDS.format(f"self.choose(gpu)\n        self.net = {net}", "CUDA_VISIBLE_DEVICES", "pass")
    after = fix_files(write_files(tmp_path / "p", {"runner.py": text}))["runner.py"]
    assert after.index("self.device = ") > after.index("self.choose(gpu)\n")
