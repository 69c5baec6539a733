from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.target import Target
from tests.support import engine
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import CUDA, check, fixed, found, places, rule, source

CODE = "DEV404"
HEAD = "import torch\nimport torch.nn as nn\n"
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'

SILENT = [
    "state = torch.load('model.pt', map_location='cpu')",
    "state = torch.load('model.pt', 'cpu')",
    "state = torch.load('model.pt', None)",
    "state = torch.load('model.pt', **options)",
    "state = torch.load(*arguments)",
    "state = torch.load()",
    "model = torch.jit.load('model.pt', map_location='cpu')",
    # A data set, features: made on the CPU, loaded on the CPU.
    "data = torch.load('data.pt')",
    "x, y = torch.load(root / 'training.pt')",
    "features = torch.load('features.pth')",
    "vocab = torch.load(opt.vocab)",
    "data = torch.load(params.src_emb)",
    "pretrained = torch.load(opt.pretrained_word_vecs)",
    "checkpoint_embeddings = torch.load('embeddings.pt')\nnet.load_state_dict(torch.load('net.pt', map_location='cpu'))",
    "scaler.load_state_dict(torch.load('scaler.pt'))",
    # The states of random numbers, which are always on the CPU.
    "def f(path):\n    state = torch.load(path)\n    random.setstate(state['python'])\n    torch.random.set_rng_state(state['cpu'])\n"
    "    if 'cuda' in state:\n        torch.cuda.random.set_rng_state(state['cuda'][0])",
    # Not torch's.
    "import numpy as np\nstate = np.load('model.npy')",
    "import torch_xla as torch\nstate = torch.load('model.pt')",
    "model.load_state_dict(load('model.pt'))",
    "model.load('model.pt')",
    # On a machine with CUDA, or with a counterpart elsewhere.
    "if torch.cuda.is_available():\n    model = torch.load('model.pt')",
    "if gpu:\n    model = torch.load('model.pt')\nelse:\n    model = torch.load('model.pt', map_location='cpu')",
    # Saved a moment ago.
    "torch.save(model.state_dict(), 'model.pt')\nmodel.load_state_dict(torch.load('model.pt'))",
    "def f(path):\n    torch.save(model, path)\n    return torch.load(path), model",
]

# The device's name is there, and all that is loaded is copied.
COPIED = [
    ("def f(parts):\n    parts.net.load_state_dict(torch.load(f{}), strict=False)\n    parts.to(device)"),
    ("whole = make().to(device)\nwhole.part.load_state_dict(torch.load(f{})['state'], strict=False)"),
    ("made = torch.compile(make()).to(device)\nmade.eval()\nmade._orig_mod.load_state_dict(torch.load(f{}))"),
    ("net = nn.Linear(2, 2)\nf = torch.load(f{})\nnet.load_state_dict(f['net'])"),
    ("net = nn.Linear(2, 2)\nnet.load_state_dict(torch.load(f{}))"),
    ("net = nn.Linear(2, 2).to(device)\nnet.load_state_dict(torch.load(f{}), strict=False)"),
    ("net = nn.Linear(2, 2)\nnet = net.to(device)\nnet.load_state_dict(torch.load(f{})['model'])"),
    ("net = nn.Linear(2, 2)\nnet.load_state_dict(torch.load(f{}).state_dict())"),
    ("net = nn.Linear(2, 2)\nstate = torch.load(f{})\nnet.load_state_dict(state)"),
    ("net = make().to(device)\nstate = torch.load(f{})['ema']['net']\nnet.load_state_dict(state)\nnet.eval()"),
    ("net = nn.Linear(2, 2)\nprint(net.load_state_dict(torch.load(f, weights_only=True{})))"),
    ("class Net(nn.Module):\n    pass\nnet = Net()\nnet.load_state_dict(torch.load(f{}))"),
    (
        "class A:\n    def __init__(self, net):\n        self.opt = torch.optim.SGD(net.parameters(), 0.1)\n"
        "    def f(self, f):\n        self.opt.load_state_dict(torch.load(f{}))"
    ),
    ("net = make()\nnet.eval()\nnet.load_state_dict(torch.load(f{}))\nnet.to(device)"),
    (
        "net = make()\nopt = optimizer(net.parameters())\nnet.load_state_dict(torch.load(f{}))\nnet = Wrapped(net).to(device)"
    ),
    ("net = make().to(device)\nnet.load_state_dict(torch.load(f{}))"),
    ("net, n = make()\nnet = net.to(device)\nnet.load_state_dict(torch.load(f{}))"),
    ("net = nn.Linear(2, 2) if f else nn.Conv2d(1, 1, 1)\nnet.load_state_dict(torch.load(f{}))"),
    (
        "class A(Base):\n    def f(self, f):\n        self.net.module.load_state_dict(torch.load(f{}))\n"
        "    def g(self):\n        self.net.to(device).train()\n        self.net.eval()"
    ),
    (
        "net = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), 0.1)\nif f:\n    saved = torch.load(f{})\n"
        "    start = saved['epoch']\n    if 'net' in saved:\n        net.load_state_dict(saved['net'])\n"
        "    opt.load_state_dict(saved['opt'])\n    print(saved.keys())\n    del saved"
    ),
]

# Loaded as before where there is CUDA.
ELSEWHERE = [
    ("model = torch.load(f)", 'model = torch.load(f, map_location=None if device.type == "cuda" else "cpu")'),
    ("checkpoint = torch.load(f)", 'checkpoint = torch.load(f, map_location=None if device.type == "cuda" else "cpu")'),
    (
        "x = torch.load(args.resume)",
        'x = torch.load(args.resume, map_location=None if device.type == "cuda" else "cpu")',
    ),
    (
        "x = torch.load('best_model.pt')['x']",
        "x = torch.load('best_model.pt', map_location=None if device.type == \"cuda\" else \"cpu\")['x']",
    ),
    (
        "glow = torch.load(f)['model'].eval()",
        'glow = torch.load(f, map_location=None if device.type == "cuda" else "cpu")[\'model\'].eval()',
    ),
    (
        "model = torch.jit.load('model.pt')",
        'model = torch.jit.load(\'model.pt\', map_location=None if device.type == "cuda" else "cpu")',
    ),
    (  # a module, whatever it is called after
        "vector_model = torch.jit.load(f).eval()",
        'vector_model = torch.jit.load(f, map_location=None if device.type == "cuda" else "cpu").eval()',
    ),
    (
        "model.load_state_dict(torch.load(f))",
        'model.load_state_dict(torch.load(f, map_location=None if device.type == "cuda" else "cpu"))',
    ),
    (
        "net = nn.Linear(2, 2)\nstate = torch.load(f)\nnet.load_state_dict(state)\nbest = state['best']",
        'net = nn.Linear(2, 2)\nstate = torch.load(f, map_location=None if device.type == "cuda" else "cpu")\nnet.load_state_dict(state)\nbest = state[\'best\']',
    ),
    (
        "net = nn.Linear(2, 2)\nstate = torch.load(f)['net']\nnet.load_state_dict(state)\nbest = state['best']",
        "net = nn.Linear(2, 2)\nstate = torch.load(f, "
        'map_location=None if device.type == "cuda" else "cpu")[\'net\']\n'
        "net.load_state_dict(state)\nbest = state['best']",
    ),
    (
        "net = nn.Linear(2, 2)\nstate = torch.load(f)\nnet.load_state_dict(state, assign=True)",
        'net = nn.Linear(2, 2)\nstate = torch.load(f, map_location=None if device.type == "cuda" else "cpu")\nnet.load_state_dict(state, assign=True)',
    ),
    (
        "net = make()\ndef f(net):\n    net.eval()\nnet.load_state_dict(torch.load(p))",
        "net = make()\ndef f(net):\n    net.eval()\n"
        'net.load_state_dict(torch.load(p, map_location=None if device.type == "cuda" else "cpu"))',
    ),
    (
        "class Average:\n    def load_state_dict(self, state):\n        self.state = state\n"
        "net = make().to(device)\nnet.load_state_dict(torch.load(f))",
        "class Average:\n    def load_state_dict(self, state):\n        self.state = state\n"
        'net = make().to(device)\nnet.load_state_dict(torch.load(f, map_location=None if device.type == "cuda" else "cpu"))',
    ),
    (
        "class Average:\n    def load_state_dict(self, state):\n        self.state = state\n"
        "net = Average()\nnet.load_state_dict(torch.load(f))",
        "class Average:\n    def load_state_dict(self, state):\n        self.state = state\n"
        'net = Average()\nnet.load_state_dict(torch.load(f, map_location=None if device.type == "cuda" else "cpu"))',
    ),
]

HAZARDS = [
    (
        "m.load_state_dict(torch.load(\n    f,  # where\n))",
        "m.load_state_dict(torch.load(\n    f, map_location=device,  # where\n))",
    ),
    ("m.load_state_dict((torch.load(f)))", "m.load_state_dict((torch.load(f, map_location=device)))"),
    ("m.load_state_dict(torch.load(f)); x = 1", "m.load_state_dict(torch.load(f, map_location=device)); x = 1"),
    ("if f: m.load_state_dict(torch.load(f))", "if f: m.load_state_dict(torch.load(f, map_location=device))"),
    (
        "g = lambda: m.load_state_dict(torch.load(f))",
        "g = lambda: m.load_state_dict(torch.load(f, map_location=device))",
    ),
    (
        "m.load_state_dict(torch.load(open(f, 'rb')))",
        "m.load_state_dict(torch.load(open(f, 'rb'), map_location=device))",
    ),
    (
        "import torch as th\nm.load_state_dict(th.load(f))",
        "import torch as th\nm.load_state_dict(th.load(f, map_location=device))",
    ),
    (
        "from torch import load\nm.load_state_dict(load(f))",
        "from torch import load\nm.load_state_dict(load(f, map_location=device))",
    ),
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{DEVICE}{text}\n") == ()


@pytest.mark.parametrize("text", COPIED)
def test_what_is_copied_may_come_by_any_device(text: str) -> None:
    check(CODE, f"{HEAD}{DEVICE}{text.format('')}\n", f"{HEAD}{DEVICE}{text.format(', map_location=device')}\n", "safe")


def test_what_is_copied_comes_by_the_cpu_where_the_program_has_no_device() -> None:
    text = HEAD + "net = nn.Linear(2, 2)\nnet.load_state_dict(torch.load('model.pt'{}))\n"
    check(CODE, text.format(""), text.format(', map_location="cpu"'), "safe")
    text = HEAD + "def f(net, path):\n    net.load_state_dict(torch.load(path{}))\n"
    check(CODE, text.format(""), text.format(', map_location=None if torch.cuda.is_available() else "cpu"'), "safe")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("net = make()\nnet.eval()\nnet.load_state_dict(torch.load(f{}))", '"cpu"'),
        ("net = make()\nnet.eval()\nnet.load_state_dict(torch.load(f{}))\nother.to(device)", '"cpu"'),
        (
            "class A:\n    def __init__(self, device):\n        self.device = torch.device(device)\n        self.net = make()\n"
            "    def f(self, f):\n        self.net.eval()\n        self.net.load_state_dict(torch.load(f{}))\n",
            "self.device",
        ),
    ],
)
def test_a_module_that_may_stay_on_the_cpu_needs_no_memory_of_a_gpu(text: str, place: str) -> None:
    program = f"{HEAD}{DEVICE}{text}\n"
    check(CODE, program.replace("{}", ""), program.replace("{}", f", map_location={place}"), "safe")


def test_what_is_moved_at_once_is_loaded_there() -> None:
    text = f"{HEAD}{DEVICE}mean = torch.load('mean.pt'{{}}).to(device, torch.float32)\n"
    check(CODE, text.format(""), text.format(", map_location=device"), "safe")


def test_what_goes_to_cuda_at_once_is_loaded_to_the_same_device() -> None:
    text = f"{HEAD}{DEVICE}net = torch.load('net.pt'{{}}){{}}\n"
    check(CODE, text.format("", ".cuda()"), text.format(", map_location=device", ".cuda()"), "safe")
    text = f"{HEAD}net = torch.load('net.pt'){{}}\n"
    after = engine.fix(source(text.format(".cuda()")), [rule(CODE), rule("DEV101")], CUDA, False).text
    assert "torch.load('net.pt', map_location=device).to(device)" in after


@pytest.mark.parametrize(("before", "after"), ELSEWHERE)
def test_what_may_stay_where_it_was_saved_comes_to_the_cpu_where_there_is_no_cuda(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{DEVICE}{before}\n", f"{HEAD}{DEVICE}{after}\n", "safe")


@pytest.mark.parametrize(
    ("way", "place"), [("load_state_dict", 'None if device.type == "cuda" else "cpu"'), ("load", "device")]
)
def test_a_class_of_another_file_that_loads_a_state_in_its_own_way(tmp_path: Path, way: str, place: str) -> None:
    average = f"class Average:\n    def {way}(self, state):\n        self.state = state\n"
    text = (
        f"{HEAD}from other import make\n{DEVICE}net = make().to(device)\nnet.load_state_dict(torch.load('n.pt'{{}}))\n"
    )
    project = write_files(tmp_path / "p", {"setup.py": "", "other.py": average, "use.py": text.format("")})
    assert fix_files(project)["use.py"] == text.format(f", map_location={place}")


@pytest.mark.parametrize(("before", "after"), HAZARDS)
def test_hazards(before: str, after: str) -> None:
    head = f"{HEAD}{DEVICE}m = nn.Linear(2, 2)\n"
    check(CODE, f"{head}{before}\n", f"{head}{after}\n", "safe")


@pytest.mark.parametrize(
    "use", ["return model.eval()", "return model.module", "return model['net'], model['rng'].cpu()"]
)
def test_a_program_without_a_device_gets_none(use: str) -> None:
    text = "import torch\n\ndef f(path):\n    model = torch.load(path{})\n    " + use + "\n"
    check(CODE, text.format(""), text.format(', map_location=None if torch.cuda.is_available() else "cpu"'), "safe")


def test_a_device_that_a_flag_decides_is_not_asked() -> None:
    text = (
        "import torch\n\ndef f(path, use_cuda):\n"
        '    device = torch.device("cuda" if use_cuda else "cpu")\n'
        "    model = torch.load(path{})\n    return model.to(device)\n"
    )
    check(CODE, text.format(""), text.format(', map_location=None if torch.cuda.is_available() else "cpu"'), "safe")


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\nMODEL = torch.load('model.pt')\n\ndef f():\n    return MODEL\n",
        "import os\nimport torch\n\ndef f(path):\n    model = torch.load(path)\n"
        "    os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n    return model.cuda()\n",
    ],
)
def test_where_it_is_too_early_to_ask_for_cuda(text: str) -> None:
    assert "safe" not in [kind for _, kind in places(CODE, text)]


def test_targets() -> None:
    text = "import torch\nmodel = torch.load('model.pt')\nnet = torch.nn.Linear(2, 2)\nnet.load_state_dict(torch.load('n.pt'))\n"
    accelerator = fixed(CODE, text, target=Target("accelerator", torch_min_version=(2, 6)))
    assert (
        "map_location=torch.accelerator.current_accelerator().type if torch.accelerator.is_available()" in accelerator
    )
    assert "cuda" not in accelerator
    project = fixed(CODE, text, target=Target("project", "get_device()", "from a import get_device"))
    assert "torch.load('model.pt', map_location=get_device())" in project


def test_what_it_says() -> None:
    (finding,) = found(CODE, f"{HEAD}model = torch.load('model.pt')\n")
    assert finding.message == "a checkpoint saved on a GPU cannot be loaded without one"
    assert places(CODE, f"{HEAD}model = torch.load('model.pt')\n") == [(3, "unsafe")]


MAPS = [
    "x = torch.load(f, map_location={}{})",
    "x = torch.load(f, {}{})",
    "x = torch.load(f, map_location={}{}, weights_only=True)",
    "place = {}{}\nx = torch.load(f, map_location=place)\ny = torch.load(f, place)",
    "x = torch.jit.load(f, map_location={}{})",
]
CARDS = ['{"cpu": "cuda:0"}', '{"cuda:0": "cuda:1", "cpu": "cpu"}', '{"cuda:%d" % 0: "cuda:%d" % rank}']


@pytest.mark.parametrize("cards", CARDS)
@pytest.mark.parametrize("text", MAPS)
def test_a_dictionary_of_cards_is_for_cuda(text: str, cards: str) -> None:
    choice = ' if torch.cuda.is_available() else "cpu"'
    head, text = f"{HEAD}def f(f, rank):\n    ", text.replace("\n", "\n    ")
    check(CODE, f"{head}{text.format(cards, '')}\n", f"{head}{text.format(cards, choice)}\n")


OTHER_MAPS = [
    'x = torch.load(f, map_location={"cuda:0": "cpu"})',
    'if torch.cuda.is_available():\n    x = torch.load(f, map_location={"cuda:0": "cuda:1"})',
    'place = {"cpu": "cuda:0"}\nx = torch.load(f, map_location=place)\nprint(place)',
    'torch.save(y, f)\nx = torch.load(f, map_location={"cuda:0": "cuda:1"})',
    'place = {"cpu": "cuda:0"}\nplace = None\nx = torch.load(f, map_location=place)',
    'x = np.load(f, {"cpu": "cuda:0"})',
]


@pytest.mark.parametrize("text", OTHER_MAPS)
def test_other_dictionaries(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


def test_where_torch_has_said_that_there_is_no_cuda() -> None:
    text = "def f(f):\n    if torch.cuda.is_available():\n        pass\n    else:\n        model = torch.load(f{})\n"
    check(CODE, HEAD + text.format(""), HEAD + text.format(', map_location="cpu"'))
    flag = text.replace("if torch", "if f and torch")
    assert 'None if torch.cuda.is_available() else "cpu"' in fixed(CODE, HEAD + flag.format(""))


CHOSEN = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
NAMED = [
    ('device = torch.device("cuda")', f"device = {CHOSEN}", 'None if device.type == "cuda" else "cpu"'),
    (
        'device = "cuda"',
        'device = "cuda" if torch.cuda.is_available() else "cpu"',
        '"cpu" if device == "cpu" else None',
    ),
    ("x = x.cuda()", f"device = {CHOSEN}\n    x = x.to(device)", 'None if device.type == "cuda" else "cpu"'),
]


@pytest.mark.parametrize(("before", "after", "place"), NAMED)
def test_the_device_that_other_fixes_define_or_mend(before: str, after: str, place: str) -> None:
    text = "import torch\n\ndef f(x, p):\n    {}\n    ckpt = torch.load(p{})\n    return ckpt, x.to(device)\n"
    if before.startswith("x"):
        text = text.replace("device)", ")").replace("to()", "half()")
    rules = [rule("DEV101"), rule("DEV103"), rule(CODE)]
    wanted = text.format(after, f", map_location={place}")
    assert engine.fix(source(text.format(before, "")), rules, CUDA, False).text == wanted
    assert engine.fix(source(wanted), rules, CUDA, False).text == wanted


def test_a_device_by_a_flag_that_only_says_whether_there_is_cuda() -> None:
    text = "import torch\nargs = read()\nargs.use_cuda = torch.cuda.is_available()\n"
    text += 'device = torch.device("cuda" if args.use_cuda else "cpu")\nckpt = torch.load(p{})\n'
    check(CODE, text.format(""), text.format(', map_location=None if device.type == "cuda" else "cpu"'))


def test_what_is_copied_comes_by_the_device_that_another_fix_defines() -> None:
    text = "import torch\n\ndef f(p):\n    {}net = make(){}\n    net.load_state_dict(torch.load(p{}))\n    return net\n"
    rules = [rule("DEV101"), rule(CODE)]
    wanted = text.format(f"device = {CHOSEN}\n    ", ".to(device)", ", map_location=device")
    assert engine.fix(source(text.format("", ".cuda()", "")), rules, CUDA, False).text == wanted


def test_a_device_that_is_needed_for_nothing_else() -> None:
    text = "import torch\n\ndef f({}):\n    ckpt = torch.load(p{})\n    return ckpt\n"
    place = ', map_location=None if torch.cuda.is_available() else "cpu"'
    check(CODE, text.format("p", ""), text.format("p", place))
    check(CODE, text.format("p, device", ""), text.format("p, device", place))


def test_a_device_that_only_a_move_would_need_that_stays() -> None:
    option = 'parser = argparse.ArgumentParser()\nparser.add_argument("--gpus", default=[], nargs="+", type=int)\n'
    head = f"import argparse\n\nimport torch\n\n{option}options = parser.parse_args()\n"
    text = (
        head + "\ndef f(p):\n    ckpt = torch.load(p{})\n    net = ckpt[0]\n"
        "    if len(options.gpus) >= 1:\n        net.cuda()\n    return net, ckpt[1]\n\nf('a')\n"
    )
    rules = [rule("DEV105"), rule(CODE)]
    wanted = text.format(', map_location=None if torch.cuda.is_available() else "cpu"')
    assert engine.fix(source(text.format("")), rules, CUDA, False).text == wanted


def test_what_may_be_the_number_of_a_card_is_no_location() -> None:
    text = "import torch\n\ndef f(net, p, device):\n    net.load_state_dict(torch.load(p{}))\n"
    text += "    net.eval()\n    net.{}(device)\n"
    check(CODE, text.format("", "cuda"), text.format(', map_location="cpu"', "cuda"))
    check(CODE, text.format("", "to"), text.format(", map_location=device", "to"))


def test_what_is_only_asked_for_its_shape_is_copied_all_the_same() -> None:
    text = "import torch\nfrom torch import nn\n\ndef f(p):\n    state = torch.load(p{})\n    net = nn.Linear(*state['w'].{})\n"
    text += "    net.load_state_dict(state)\n    return net\n"
    check(CODE, text.format("", "shape"), text.format(', map_location="cpu"', "shape"))
    check(CODE, text.format("", "T"), text.format(', map_location=None if torch.cuda.is_available() else "cpu"', "T"))


_LOADS = "try:\n    state = torch.load(path)\n{}:\n    state = torch.load({})\n"


@pytest.mark.parametrize("handler", ["except", "except RuntimeError", "except (OSError, Exception) as error"])
@pytest.mark.parametrize("place", ["map_location='cpu'", "map_location=lambda storage, loc: storage", "'cpu'"])
def test_what_is_loaded_to_the_cpu_where_that_failed_is_no_finding(handler: str, place: str) -> None:
    assert found(CODE, f"{HEAD}path = 'model.pt'\n{_LOADS.format(handler, f'path, {place}')}") == ()


@pytest.mark.parametrize(
    ("handler", "load"),
    [
        ("except KeyError", "path, map_location='cpu'"),
        ("except RuntimeError", "'other.pt', map_location='cpu'"),
        ("except RuntimeError", "path, map_location='cuda:0'"),
        ("finally", "path, map_location='cpu'"),
    ],
)
def test_a_handler_that_does_not_help_without_cuda_changes_nothing(handler: str, load: str) -> None:
    assert [one.code for one in found(CODE, f"{HEAD}path = 'model.pt'\n{_LOADS.format(handler, load)}")] == [CODE]


TRAINER = """import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Trainer:
    def __init__(self, net, optimizer):
        self.net = net
        self.optimizer = optimizer
    def train(self, x):
        self.net(x).sum().backward()
        self.optimizer.zero_grad()
    def load_state_dict(self, state):
{}
trainer = Trainer(net.to(device), optimizer)
trainer.load_state_dict(torch.load(f{}))
"""
ELSE = 'None if device.type == "cuda" else "cpu"'


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("self.net.load_state_dict(state['net'])\\n        self.step = state['step']", '"cpu"'),
        ("self.net.load_state_dict(state['net'])\\n        self.optimizer.load_state_dict(state['o'])", '"cpu"'),
        ("self.net.load_state_dict(state['net'])\\n        self.mean = state['mean']", ELSE),
        ("self.net.load_state_dict(state['net'])\\n        self.state = state", ELSE),
        ("self.net = state['net']", ELSE),
    ],
)
def test_a_class_of_the_file_that_hands_on_what_it_loads(lines: str, place: str) -> None:
    lines = "        " + lines.replace("\\n", "\n")
    assert fixed(CODE, TRAINER.format(lines, "")) == TRAINER.format(lines, f", map_location={place}")


OPTIMIZED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(1, 1).to(device)
optimizer = MADE
state = torch.load("net.pt"PLACE)
net.load_state_dict(state["net"])
optimizer.load_state_dict(state["optimizer"])
optimizer.step()
"""


@pytest.mark.parametrize(
    ("made", "place"),
    [
        ("torch.optim.SGD(net.parameters())", "device"),
        ("torch.optim.LBFGS(net.parameters())", "device"),
        ("torch.optim.lr_scheduler.StepLR(other, 3)", "device"),
        ("torch.optim.Adam(net.parameters())", '"cpu"'),
        ("torch.optim.SGD(net.parameters()) if fast else torch.optim.RMSprop(net.parameters())", '"cpu"'),
        ("make(net)", ELSE),
        ("torch.optim.ASGD(net.parameters())", ELSE),
        ("torch.optim.Adam(net.parameters())\ntorch.set_default_device('cuda')", ELSE),
    ],
)
def test_the_steps_of_an_optimizer_stay_on_the_cpu(made: str, place: str) -> None:
    text = OPTIMIZED.replace("MADE", made)
    wanted = text.replace("PLACE", f", map_location={place}")
    assert fixed(CODE, text.replace("PLACE", ""), unsafe=False) == wanted


PART = """\
import torch
import torch.nn as nn
import torch.optim as optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.tuner = MADE


class Part(nn.Linear):
    pass


def make(net):
    return optim.AdamW(net.parameters())
"""
USE_OF_PART = """\
import torch

from net import Net

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
state = torch.load("net.pt"PLACE)
net.load_state_dict(state["net"])
net.tuner.load_state_dict(state["tuner"])
"""


@pytest.mark.parametrize(
    ("made", "place"),
    [
        ("optim.Adam(self.parameters())", '"cpu"'),
        ("optim.SGD(self.parameters(), 0.1)", "device"),
        ("make(self)", '"cpu"'),
        ("nn.Linear(2, 2)", "device"),
        ("Part(2, 2)", "device"),
    ],
)
def test_the_steps_of_an_optimizer_that_a_module_of_another_file_has(tmp_path: Path, made: str, place: str) -> None:
    wanted = USE_OF_PART.replace("PLACE", f", map_location={place}")
    for name, text in {"README.md": "", "net.py": PART.replace("MADE", made), "use.py": USE_OF_PART}.items():
        (tmp_path / name).write_text(text.replace("PLACE", ""), encoding="utf-8")
    assert fix_files(tmp_path)["use.py"] == wanted


@pytest.mark.parametrize(("part", "place"), [("tuner", '"cpu"'), ("module", "device")])
def test_a_part_of_which_nobody_knows_what_it_is(tmp_path: Path, part: str, place: str) -> None:
    use = "def resume(net, path):\n    net = net.to(device)\n    state = torch.load(pathPLACE)\n"
    use = f"import torch\n{DEVICE}\n\n{use}    net.{part}.load_state_dict(state)\n    net(torch.ones(1).to(device))\n"
    (tmp_path / "README.md").touch()
    (tmp_path / "use.py").write_text(use.replace("PLACE", ""), encoding="utf-8")
    assert fix_files(tmp_path)["use.py"] == use.replace("PLACE", f", map_location={place}")


TRIED = """\
import torch

net = torch.nn.Linear(4, 2)
try:
    net.load_state_dict(torch.load("net.pt"))
except KIND:
    print("begin afresh")LAST
net(torch.ones(1, 4))
"""


@pytest.mark.parametrize(
    ("kind", "last", "is_safe"),
    [
        ("Exception", "", False),
        ("RuntimeError as error", "\n    epoch = 0", False),
        ("FileNotFoundError", "", True),
        ("Exception", "\n    raise", True),
        ("Exception", "\n    exit(1)", True),
        ("Exception", '\n    net.load_state_dict(torch.load("net.pt"), strict=False)', True),
    ],
)
def test_a_program_that_begins_afresh_where_it_cannot_load(kind: str, last: str, is_safe: bool) -> None:
    text = TRIED.replace("KIND", kind).replace("LAST", last)
    assert ("map_location" in fixed(CODE, text, unsafe=False)) is is_safe
    assert "map_location" in fixed(CODE, text)


TRIED_BY_CALLERS = """\
import torch


def load(net):
    net.load_state_dict(torch.load("net.pt"))


if __name__ == "__main__":
    net = torch.nn.Linear(4, 2)LAST
    try:
        load(net)
    except Exception:
        print("begin afresh")
    net(torch.ones(1, 4))
"""


@pytest.mark.parametrize(
    ("last", "is_safe"), [("", False), ("\n    load(net)", True), ("\n    net = net.cuda()", True)]
)
def test_a_caller_that_begins_afresh(last: str, is_safe: bool) -> None:
    assert ("map_location" in fixed(CODE, TRIED_BY_CALLERS.replace("LAST", last), unsafe=False)) is is_safe


RESUME = """
import torch


class Trainer:
    def resume(self, path):
        print(path)
        if path:
            state = torch.load(path + "/gen.pt")
            self.start(state)
        else:
            # the others
            state = torch.load(path + "/dis.pt")
            self.start(state)
        checkpoint = torch.load(path + "/opt.pt")
        return checkpoint["epoch"]
"""


def test_many_loads_of_a_function_share_a_variable() -> None:
    text, place = source(RESUME).text, 'None if torch.cuda.is_available() else "cpu"'
    after = text.replace('pt")', 'pt", map_location=map_location)')
    check(
        CODE,
        text,
        after.replace("        if path", f"        map_location = {place}\n        if path"),
        "safe",
        "safe",
        "safe",
    )
    given = text.replace("self, path", "self, path, map_location=None")
    assert fixed(CODE, given) == given.replace('pt")', 'pt", map_location=load_location)').replace(
        "        if path", f"        load_location = {place}\n        if path"
    )
    two = text.replace("/opt", "/opt.h5").replace("checkpoint = torch.load", "checkpoint = read")
    assert fixed(CODE, two).count(place) == 1 and fixed(CODE, two).count("map_location=map_location") == 2


IMPORTS = """
def resume(path, start):
    if path == "a":
        import torch
        state = torch.load(path + "/gen.pt")
    elif path == "b":
        import torch
        state = torch.load(path + "/dis.pt")
    else:
        import torch
        state = torch.load(path + "/opt.pt")
    return start(state)
"""


def test_many_loads_below_imports_of_torch_ask_each() -> None:
    assert fixed(CODE, IMPORTS).count('map_location=None if torch.cuda.is_available() else "cpu"') == 3
    above = "import torch\n" + IMPORTS.replace("        import torch\n", "")
    assert fixed(CODE, above).count("map_location=map_location") == 3


BY_DEVICE = """
import torch


def resume(path, start, x):
    if path:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        state = start(torch.load(path + "/a.pth")){}
        state = start(torch.load(path + "/b.pth"))
        state = start(torch.load(path + "/c.pth"))
        x = x.to(device)
    return x
"""


BESIDE = """\
import torch
from voices import build

class Player:
    def __init__(self, path):
        self.net = torch.nn.Linear(2, 2)
        self.voice = build(path)

    def load(self, path):
        self.net.load_state_dict(torch.load(path))
        self.voice.load_state_dict(torch.load(path + ".voice")["state"])

    def again(self, path):
        self.net.load_state_dict(torch.load(path))
"""


BESIDE_STEPS = """
def resume(path):
    net = nn.Linear(2, 2).to(device)
    steps = torch.optim.Adam(net.parameters())
    net.load_state_dict(torch.load(path + ".net"))
    steps.load_state_dict(torch.load(path + ".steps"))
    return net, steps
"""
BESIDE_READ = """
def resume(path):
    net = nn.Linear(2, 2).to(device)
    net.load_state_dict(torch.load(path + ".net.pth"))
    checkpoint = torch.load(path + ".whole.pth")
    return net, checkpoint
"""
OTHER_METHOD = """
class Agent:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(2, 2).to(self.device)
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def resume(self, path):
        self.net.load_state_dict(torch.load(path))

    def steps(self, path):
        self.optimizer.load_state_dict(torch.load(path))
"""


def test_the_loads_of_a_function_that_may_come_by_the_cpu_have_the_form_of_those_that_may_not() -> None:
    after = fixed(CODE, BESIDE)
    assert '        map_location = None if torch.cuda.is_available() else "cpu"\n        self.net.load' in after
    assert after.count("map_location=map_location") == 2
    assert after.count('map_location="cpu"') == 1


def test_a_copied_state_has_the_form_that_another_load_of_its_function_needs() -> None:
    after = fixed(CODE, HEAD + DEVICE + BESIDE_STEPS)
    assert after.count('map_location="cpu"') == 2 and "map_location=device" not in after
    after = fixed(CODE, HEAD + DEVICE + BESIDE_READ)
    assert '    map_location = None if device.type == "cuda" else "cpu"\n    net.load' in after
    assert after.count("map_location=map_location") == 2
    assert "map_location=device" in fixed(CODE, HEAD + DEVICE + BESIDE_STEPS.replace("steps.load_state_dict", "print"))


def test_copied_states_of_a_file_have_one_form() -> None:
    after = fixed(CODE, HEAD + OTHER_METHOD)
    assert after.count('map_location="cpu"') == 2 and "map_location=self.device" not in after
    apart = OTHER_METHOD.replace("    def steps", "class Other:\n    def steps")
    assert "map_location=self.device" not in fixed(CODE, HEAD + apart)
    assert "map_location=self.device" in fixed(CODE, HEAD + apart.partition("class Other")[0])


NESTED = """
def main(start, path):
    def one(name):
        checkpoint = torch.load(path + name)
        return start(checkpoint)
    print(one("a"))
    checkpoint = torch.load(path + "/whole.pth")
    return start(checkpoint)
"""


def test_the_loads_of_a_function_and_of_one_in_it_share_a_variable() -> None:
    after = fixed(CODE, HEAD + NESTED)
    assert '    map_location = None if torch.cuda.is_available() else "cpu"\n    def one(' in after.replace(
        "\n\n", "\n"
    )
    assert after.count("map_location=map_location") == 2


BESIDE_SAID = """
import argparse
from nets import make
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda:0")
args = parser.parse_args()
device = torch.device(args.device if torch.cuda.is_available() else "cpu")
weight = torch.load("weights.pt", map_location={})
net = nn.Linear(2, 2).to(device)
net.load_state_dict(weight)
if args.other:
    source = make()
    state = torch.load("source.pt")
    source.load_state_dict(state)
both = nn.Sequential(net, source).to(device)
"""


def test_a_state_goes_to_the_device_that_a_load_beside_it_is_told() -> None:
    assert 'torch.load("source.pt", map_location=device)' in fixed(CODE, HEAD + BESIDE_SAID.format("device"))
    assert 'torch.load("source.pt", map_location="cpu")' in fixed(CODE, HEAD + BESIDE_SAID.format("None"))


ATTRIBUTE = """import torch


class Marks:
    def __init__(self, path, {}):
        self.device = device
        self.net = torch.jit.load(path + "/net.pt")
        {}self.net.to({})
        self.net.eval()
"""


@pytest.mark.parametrize(
    ("parameter", "between", "device"),
    [
        ('device="cuda"', "", "device"),
        ("device: torch.device", "", "self.device"),
        ("device: torch.device", "print(path)\n        ", "device"),
        ("device: torch.device", "self.net.eval()\n        ", "device"),
    ],
)
def test_an_attribute_that_the_next_use_of_its_owner_moves(parameter: str, between: str, device: str) -> None:
    after = fixed(CODE, ATTRIBUTE.format(parameter, between, device))
    assert f'"/net.pt", map_location={device})' in after


@pytest.mark.parametrize(
    ("parameter", "between", "device"),
    [
        ("device=0", "", "device"),
        ("device: torch.device", "self.run()\n        ", "device"),
        ("device: torch.device", "print(path)\n        ", "self.device"),
    ],
)
def test_an_attribute_that_may_be_used_before_it_is_moved_or_goes_elsewhere(
    parameter: str, between: str, device: str
) -> None:
    assert "map_location=None if" in fixed(CODE, ATTRIBUTE.format(parameter, between, device))


def test_many_loads_by_a_device_share_a_variable_below_it() -> None:
    after = fixed(CODE, BY_DEVICE.format(""))
    assert '        map_location = None if device.type == "cuda" else "cpu"\n        state = start(torch.load(' in after
    assert after.count("map_location=map_location") == 3
    apart = fixed(CODE, BY_DEVICE.format("\n    if x:"))
    assert "    if x:\n        map_location = None if torch" in apart and apart.count("map_location=map_location") == 2


BRANCHES = """
def resume(path, start, x):
    {}
    x = x.to(device)
    if x:
        {}
        state = start(torch.load(path + "/a.pth"))
    else:
        {}
        state = start(torch.load(path + "/b.pth"))
    return state
"""
_DEVICES = [
    'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")',
    'device = "cuda" if torch.cuda.is_available() else "cpu"',
    "device = torch.device('cpu') if not torch.cuda.is_available() else torch.device('cuda')",
]


@pytest.mark.parametrize("device", _DEVICES)
def test_loads_of_two_branches_share_a_variable_above_them(device: str) -> None:
    at_top = fixed(CODE, f"import torch\n\n{device}\n{BRANCHES.format('', '', '')}")
    local = fixed(CODE, f"import torch\n{BRANCHES.format(device, '', '')}")
    for after in (at_top, local):
        assert after.count("map_location=map_location") == 2 and after.count("    map_location = ") == 1
    in_branch = BRANCHES.replace("    x = x.to(device)\n", "").format("", device, device)
    assert "map_location=map_location" not in fixed(CODE, f"import torch\n{in_branch}")


TWO_FUNCTIONS = """
import torch


class Store:
    def best(self, path):
        state = torch.load(path + "/best.pt")
        return state

    def last(self, path):
        state = torch.load(path + "/last.pt")
        return state


def both(path, out):
    state = out(torch.load(path + "/a.pth"))
    state = out(torch.load(path + "/b.pth"))
"""
_PLACE = 'None if torch.cuda.is_available() else "cpu"'


def test_functions_of_a_library_ask_a_function_for_the_place() -> None:
    after = fixed(CODE, TWO_FUNCTIONS)
    assert f"\n\ndef get_map_location():\n    return {_PLACE}\n\n\nclass Store" in after
    assert after.count('pt", map_location=get_map_location())') == 2
    assert "    map_location = get_map_location()\n    state" in after and after.count(_PLACE) == 1
    known = after.replace("get_map_location", "where").replace('pt", map_location=where()', 'pt"')
    assert fixed(CODE, known) == after.replace("get_map_location", "where")
    taken = fixed(CODE, TWO_FUNCTIONS.replace("self, path", "self, path, get_map_location"))
    assert "def get_load_location():" in taken and 'pt", map_location=get_load_location())' in taken
    late = TWO_FUNCTIONS.replace("import torch", "").replace("        state", "        import torch\n        state")
    assert "get_map_location" not in fixed(CODE, late)


def test_functions_of_a_script_share_a_variable_at_its_top() -> None:
    run = "\n\nif __name__ == '__main__':\n    both('p', print)\n"
    after = fixed(CODE, TWO_FUNCTIONS + run)
    assert f"import torch\n\nmap_location = {_PLACE}\n" in after
    assert after.count("map_location=map_location") == 4 and after.count(_PLACE) == 1
    alone = TWO_FUNCTIONS.partition("class")[0] + "out = print\npath = 'n'\n"
    alone += (
        TWO_FUNCTIONS.partition("out):\n")[2].replace("    state", "state") + "if __name__ == '__main__':\n    out()\n"
    )
    assert f'\nmap_location = {_PLACE}\nstate = out(torch.load(path + "/a.pth", map_location=map_location))' in fixed(
        CODE, alone
    )


MAKERS = [
    ("return Net(options)", "safe"),
    ("net = Net(options)\n    return net.to(options)", "safe"),
    ("if options:\n        net = Net(1)\n    else:\n        net = Net(2)\n    net.eval()\n    return net", "safe"),
    ("return torch.nn.Sequential(Net(), options)", "safe"),
    ("return getattr(torch.optim, options)(options)", "safe"),
    ("return again(options)", "safe"),
    ("return kept(options)", "kept"),
    ("return options", "kept"),
    ("net = Net()\n    net = options.wrap(net)\n    return net", "kept"),
    ("net = Net()\n    for net in options:\n        pass\n    return net", "kept"),
    ("Net = options\n    return Net()", "kept"),
    ("return Net(), options", "kept"),
    ("yield Net()\n    return Net()", "kept"),
    ("return Other()", "kept"),
]


@pytest.mark.parametrize(("body", "what"), MAKERS)
def test_what_a_function_of_another_file_makes(tmp_path: Path, body: str, what: str) -> None:
    made = "import torch\nfrom ema import Other\n\n\nclass Net(torch.nn.Module):\n    pass\n\n\n"
    made += (
        "def again(options):\n    return Net(options)\n\n\n@options\ndef kept(options):\n    return Net(options)\n\n\n"
    )
    made += f"def make(options):\n    {body}\n"
    text = "import torch\nfrom models import make\n\n\ndef f():\n    net = make(1)\n"
    text += "    net.load_state_dict(torch.load('n.pt'))\n"
    project = write_files(tmp_path / "p", {"setup.py": "", "models.py": made, "use.py": text})
    assert ("map_location=None if" in fix_files(project)["use.py"]) is (what == "kept")


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("self.inner.load_state_dict(state)", '"cpu"'),
        ("self.state = state", 'None if torch.cuda.is_available() else "cpu"'),
        ("self.mean = state['mean']", 'None if torch.cuda.is_available() else "cpu"'),
    ],
)
def test_a_class_of_another_file_that_hands_on_what_it_loads(tmp_path: Path, line: str, place: str) -> None:
    kept = f"class Scheduled:\n    def load_state_dict(self, state):\n        {line}\n"
    text = (
        "import torch\nfrom kept import Scheduled\n\n\ndef f(net, p, device: torch.device):\n    net = net.to(device)\n"
    )
    text += "    optimizer = Scheduled(net.parameters())\n    state = torch.load(p + 'n.pt'{})\n"
    text += "    net.load_state_dict(state['net'])\n    optimizer.load_state_dict(state['optimizer'])\n"
    project = write_files(tmp_path / "p", {"setup.py": "", "kept.py": kept, "use.py": text.format("")})
    assert fix_files(project)["use.py"] == text.format(f", map_location={place}")


COPIES = [
    ("own[name].copy_(value)", '"cpu"'),
    ("if name in own:\n                value = value.data\n                own[name].copy_(value)", '"cpu"'),
    (
        "try:\n                own[name].copy_(value)\n            except Exception:\n                print(value.size())",
        '"cpu"',
    ),
    ("own[name].copy_(value)\n            self.last = value", "None if"),
    ("self.kept[name].copy_(value)", "None if"),
    ("own = self.kept\n            own[name].copy_(value)", "None if"),
    ("value = value.abs()\n            own[name].copy_(value)", "None if"),
]


@pytest.mark.parametrize(("lines", "place"), COPIES)
def test_a_class_that_copies_into_its_own_tensors(tmp_path: Path, lines: str, place: str) -> None:
    net = "import torch\n\n\nclass Net(torch.nn.Module):\n    def load_state_dict(self, state, strict=True):\n"
    net += "        own = self.state_dict()\n        for name, value in state.items():\n            "
    net += f"{lines}\n        print(set(own) - set(state.keys()))\n"
    text = "import torch\nfrom net import Net\n\n\ndef f(path):\n    net = Net()\n    net.load_state_dict(torch.load(path))\n"
    fixed = fix_files(write_files(tmp_path / "p", {"net.py": net, "use.py": text}))
    assert f"map_location={place}" in fixed["use.py"]


_SUPER = "super()._load_from_state_dict(state, *rest)"


@pytest.mark.parametrize(
    ("arguments", "lines", "place"),
    [
        ("state, prefix, *rest", ["if prefix + 'n' in state:", "    del state[prefix + 'n']", _SUPER], '"cpu"'),
        ("state, prefix, *rest", ["state.pop(prefix + 'n', None)", _SUPER], '"cpu"'),
        ("state, prefix, *rest", ["state[prefix + 'n'] = state.pop(prefix + 'old')", _SUPER], '"cpu"'),
        ("*state, **rest", ["super()._load_from_state_dict(*state, **rest)", "self.done = True"], '"cpu"'),
        ("state, prefix, *rest", ["self.kept = state.pop(prefix + 'n')", _SUPER], "None if"),
        ("state, prefix, *rest", ["self.n[0] = state[prefix + 'n']", _SUPER], "None if"),
        ("*state, **rest", ["super()._load_from_state_dict(*state, **rest)", "self.kept = state[0]"], "None if"),
    ],
)
def test_a_layer_that_only_drops_or_renames_entries(
    tmp_path: Path, arguments: str, lines: list[str], place: str
) -> None:
    layer = f"import torch\n\n\nclass Norm(torch.nn.Module):\n    def _load_from_state_dict(self, {arguments}):\n"
    layer += "".join(f"        {line}\n" for line in lines)
    use = "import torch\n\n\ndef f(net, p):\n    net.eval()\n    net.load_state_dict(torch.load(p))\n"
    files = fix_files(write_files(tmp_path / "p", {"setup.py": "", "layer.py": layer, "use.py": use}))
    assert f"map_location={place}" in files["use.py"]


def test_what_weights_are_set_in_is_a_module() -> None:
    text = HEAD + "def f(net, path):\n    if path:\n        net.load_state_dict(torch.load(path{}))\n"
    text += "    else:\n        net.apply(start)\n"
    check(CODE, text.format(""), text.format(', map_location="cpu"'), "safe")


_KEPT = 'None if device.type == "cuda" else "cpu"'


@pytest.mark.parametrize(
    ("entry", "place"),
    [("err", _KEPT), ("best_acc", _KEPT), ("epoch", "device"), ("lr", "device")],
)
def test_how_good_a_checkpoint_is_may_be_a_tensor(entry: str, place: str) -> None:
    """Such as ``(found == wanted).cpu().float().mean()``: it stays where it is saved."""
    text = f"{HEAD}{DEVICE}net = nn.Linear(2, 2)\nstate = torch.load(f{{}})\n"
    text += f"net.load_state_dict(state['net'])\nvalue = state['{entry}']\n"
    check(CODE, text.format(""), text.format(f", map_location={place}"), "safe")


CARD = (
    "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--gpu', type=int)\n"
    "args = parser.parse_args()\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    "net = torch.nn.Linear(2, 2)\nnet = net.to(device) if args.gpu is None else net.cuda(args.gpu)\n{}"
    "state = torch.load(f{{}})\nnet.load_state_dict(state['net'])\n{}"
)
CURRENT = "torch.cuda.set_device(args.gpu)\n"
BEST = "best = state['best_prec1']\nprint(net(x).sum() > best)\n"
EPOCH = "epoch = state['epoch']\nprint(epoch)\n"


@pytest.mark.parametrize(
    ("choice", "read", "place"),
    [
        ("", BEST, _KEPT),
        ("", EPOCH, "device"),
        (CURRENT, BEST, _KEPT),
    ],
)
def test_how_good_a_checkpoint_is_may_be_a_tensor_on_another_card(choice: str, read: str, place: str) -> None:
    program = CARD.format(choice, read)
    check(CODE, program.format(""), program.format(f", map_location={place}").replace('"', "'"), "safe")


@pytest.mark.parametrize("other", ["net.to(torch.device('cuda', args.gpu))", "net.to(f'cuda:{args.gpu}')"])
def test_another_card_by_a_device(other: str) -> None:
    program = CARD.format("", BEST).replace("net.cuda(args.gpu)", other.replace("{", "{{").replace("}", "}}"))
    place = "None if device.type == 'cuda' else 'cpu'"
    check(CODE, program.format(""), program.format(f", map_location={place}"), "safe")


def test_a_file_that_is_called_as_what_it_imports(tmp_path: Path) -> None:
    text = "import torch\nfrom model import Net\n\n\ndef f(p):\n    net = Net()\n    net.load_state_dict(torch.load(p{}))\n"
    files = {"model/__init__.py": "import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n"}
    project = write_files(tmp_path / "p", {"setup.py": "", **files, "utils/model.py": text.format("")})
    assert fix_files(project)["utils/model.py"] == text.format(', map_location="cpu"')


@pytest.mark.parametrize(("made", "place"), [("return Net()", '"cpu"'), ("return options", "None if")])
def test_a_parameter_that_is_given_what_a_function_of_another_file_makes(tmp_path: Path, made: str, place: str) -> None:
    files = {
        "models.py": f"import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n\n\ndef make(options):\n    {made}\n",
        "main.py": "from models import make\nfrom load import restore\n\nnet = make(1)\nrestore(net, 'n.pt')\n",
        "load.py": "import torch\n\n\ndef restore(net, path):\n    net.load_state_dict(torch.load(path))\n",
    }
    assert f"map_location={place}" in fix_files(write_files(tmp_path / "p", {"setup.py": "", **files}))["load.py"]


OWN = "class Average:\n    def load_state_dict(self, state):\n        self.state = state\n"
CLOSED = [
    ({}, "", True),
    ({"other.py": "import os, numpy as np\nfrom main import f\nimport main\n"}, "", True),
    ({"other.py": "import accelerate\n"}, "", False),
    ({"other.py": "import os, ema_pytorch as ema\n"}, "", False),
    ({"other.py": "def f():\n    from diffusers.training_utils import EMAModel\n"}, "", False),
    ({}, "import deepspeed\n", False),
    ({"tools/deepspeed.py": ""}, "import deepspeed\n", False),
    ({"tools/helpers.py": ""}, "import helpers\n", True),
    ({"tools/other.py": "import helpers\n", "deep/helpers.py": ""}, "", True),
    ({"models/net.py": "class Net:\n    pass\n"}, "from models.net import Net\n", True),
    ({"models/net.py": "class Net:\n    pass\n"}, "import models.other\n", False),
    (
        {"other.py": 'import transformers\n"""\nfrom the paper\n"""\nfrom mpl_toolkits.mplot3d import Axes3D\n'},
        "",
        True,
    ),
    ({"other.py": OWN}, "", False),
    ({"setup.py": ""}, "", False),
]


@pytest.mark.parametrize(("files", "head", "is_closed"), CLOSED)
@pytest.mark.parametrize("taker", ["net", "options.net", "options['net']"])
def test_nobody_keeps_a_state(tmp_path: Path, files: dict[str, str], head: str, is_closed: bool, taker: str) -> None:
    text = f"{head}import torch\n\n\ndef f(net, path, options):\n    {taker}.load_state_dict(torch.load(path))\n"
    (tmp_path / "p").mkdir()
    for name, content in {"README.md": "", "main.py": text, **files}.items():
        (tmp_path / "p" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "p" / name).write_text(content, encoding="utf-8")
    assert ('map_location="cpu"' in fix_files(tmp_path / "p")["main.py"]) is is_closed


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("torch.cuda.current_device()", '"cpu"'),
        ('torch.cuda.current_device() if torch.cuda.is_available() else "cpu"', '"cpu"'),
        ("int(options)", '"cpu"'),
        ("options.device", "self.device"),
    ],
)
def test_the_number_of_a_card_is_no_location(given: str, place: str) -> None:
    text = f"{HEAD}class A:\n    def __init__(self, options):\n        self.device = {given}\n"
    text += "        self.net = make().to(self.device)\n    def f(self, path):\n"
    text += "        self.net.load_state_dict(torch.load(path{}))\n        x = torch.load(path, map_location={})\n        return x\n"
    before = text.format("", "lambda storage, loc: storage.cuda()")
    after = engine.fix(source(before), [rule(CODE), rule("DEV101")], CUDA, False).text
    assert f"load_state_dict(torch.load(path, map_location={place}))" in after
    assert ("x = torch.load(path, map_location=self.device)" in after) is (place == "self.device")


@pytest.mark.parametrize(
    ("head", "call", "place"),
    [
        ("device", "f(net, p, device)", "device"),
        ("device", "f(net, p, 0)", '"cpu"'),
        ("device", "f(net, p, args.gpu)", '"cpu"'),
        ("device", "f(net, p, local_rank)", '"cpu"'),
        ("device", "torch.multiprocessing.spawn(run, (net,))", "device"),
        ("device: int", "f(net, p, make())", '"cpu"'),
        ("device=0", "f(net, p)", '"cpu"'),
        ("rank", "f(net, p, make())", "None"),
    ],
)
@pytest.mark.parametrize("in_other_file", [True, False])
def test_a_parameter_that_is_given_the_number_of_a_card(
    tmp_path: Path, head: str, call: str, place: str, in_other_file: bool
) -> None:
    line = "device = rank\n    " if head == "rank" else ""
    text = f"import torch\n\n\ndef f(net, p, {head}):\n    {line}net.to(device)\n    net.eval()\n"
    text += "    net.load_state_dict(torch.load(p))\n"
    use = f"\n\ndef main(net, p, args, local_rank, device):\n    {call}\n"
    files = {"a.py": text + ("" if in_other_file else use), "b.py": "from a import f\n" + use if in_other_file else ""}
    after = fix_files(write_files(tmp_path / "p", files))["a.py"]
    assert f"map_location={place}" in after if place != "None" else "map_location=device" not in after


def test_a_device_that_another_method_is_given_as_a_number() -> None:
    text = "class A:\n    def __init__(self, net, device=0):\n        self.device = device\n        self.net = net.to(device)\n"
    text += "    def load(self, p):\n        self.net.eval()\n        self.net.load_state_dict(torch.load(p{}))\n"
    check(CODE, HEAD + text.format(""), HEAD + text.format(', map_location="cpu"'), "safe")


@pytest.mark.parametrize(
    "text",
    [
        "kept = torch.load(os.path.join(args.ckpt, 'model_args.pth'))",
        "with open(model_name, 'wb') as f:\n    torch.save(model, f)\nmodel = torch.load(open(model_name, 'rb'))",
        "torch.save(model, open(model_name, 'wb'))\nwith open(model_name, 'rb') as g:\n    model = torch.load(g)",
    ],
)
def test_options_and_what_the_script_saved_itself_need_no_location(text: str) -> None:
    assert not found(CODE, f"import os\n{HEAD}model = nn.Linear(2, 2)\n{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "kept = torch.load(os.path.join(args.ckpt, 'config/model.pth'))",
        "kept = torch.load('model_args.pth')\nmodel.load_state_dict(kept['state'])\nprint(kept)",
        "with open(other, 'wb') as f:\n    torch.save(model, f)\nmodel = torch.load(open(model_name, 'rb'))",
    ],
)
def test_files_beside_options_and_other_files_need_one(text: str) -> None:
    assert len(found(CODE, f"import os\n{HEAD}model = nn.Linear(2, 2)\n{text}\n")) == 1


_GIVEN = """\
import torch
from torch import nn

{}
net = nn.Linear(2, 2)
state = torch.load("n.pt"{})
{}
if __name__ == "__main__":
    print(net)
"""
_DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
_CPU, _AS_BEFORE = ', map_location="cpu"', ', map_location=None if torch.cuda.is_available() else "cpu"'


@pytest.mark.parametrize(
    ("function", "use", "place"),
    [
        ("def f(net, state):\n    net.load_state_dict(state['net'])", "f(net, state)", _CPU),
        ("def f(net, *, state=None):\n    net.load_state_dict(state)", "f(net, state=state)", _CPU),
        ("def f(state):\n    return {k[2:]: v for k, v in state.items()}", "net.load_state_dict(f(state))", _CPU),
        (
            "def f(state):\n    new = {}\n    for key in ('a', 'b'):\n        new[key] = state['net'][key]\n    return new",
            "new = f(state)\nnet.load_state_dict(new)",
            _CPU,
        ),
        ("def f(state):\n    return state['epoch']", "net.load_state_dict(state['net'])\nn = f(state)\nprint(n)", _CPU),
        (
            "def f(state):\n    return state['net']",
            "best = state['best_acc1']\nnet.load_state_dict(f(state))",
            _AS_BEFORE,
        ),
        # What is called like a number is moved, and so it is a tensor.
        (
            "def f(state):\n    return state['net']",
            "best = state['best_acc1']\nif gpu:\n    best = best.to(gpu)\nnet.load_state_dict(f(state))",
            _AS_BEFORE,
        ),
        # What the function does with it is not known, or it keeps it.
        (
            "def f(state):\n    return state['mean']",
            "net.load_state_dict(state['net'])\nn = f(state)\nprint(n)",
            _AS_BEFORE,
        ),
        (
            "def f(net, state):\n    net.mean = state['mean']",
            "net.load_state_dict(state['net'])\nf(net, state)",
            _AS_BEFORE,
        ),
        (
            "def f(net, state):\n    global kept\n    kept = state",
            "net.load_state_dict(state['net'])\nf(net, state)",
            _AS_BEFORE,
        ),
        ("@kept\ndef f(state):\n    return {**state}", "net.load_state_dict(f(state))", _AS_BEFORE),
        ("def f(state):\n    yield from state", "net.load_state_dict(f(state))", _AS_BEFORE),
        ("def f(*state):\n    return state[0]", "net.load_state_dict(f(state))", _AS_BEFORE),
        ("def f(state):\n    return {**state}", "net.load_state_dict(f(state))\nmean = f(state)['mean']", _AS_BEFORE),
    ],
)
def test_functions_of_the_file_that_are_given_what_is_loaded(function: str, use: str, place: str) -> None:
    check(CODE, _GIVEN.format(function, "", use), _GIVEN.format(function, place, use))
    with_device = _GIVEN.format(_DEVICE + function, "", f"net.to(device)\n{use}")
    is_known = place is _CPU and not use.startswith("f(net")
    after = with_device.replace('"n.pt"', '"n.pt"' + (", map_location=device" if is_known else place))
    after = after.replace("None if torch.cuda.is_available()", 'None if device.type == "cuda"')
    assert fixed(CODE, with_device) == after


@pytest.mark.parametrize(("use", "place"), [("", '"cpu"'), ("x = torch.ones(1, device=DEVICE)\n", "DEVICE")])
def test_the_default_of_an_option_is_not_where_the_program_is(use: str, place: str) -> None:
    text = (
        'import argparse\nimport torch\n\nDEVICE = "cuda:0" if torch.cuda.is_available() else "cpu"\n'
        "parser = argparse.ArgumentParser()\nparser.add_argument('--device', default=DEVICE)\nargs = parser.parse_args()\n"
        f"net = torch.nn.Linear(1, 1).to(args.device)\n{use}net.load_state_dict(torch.load('net.pt'))\n"
    )
    assert f"torch.load('net.pt', map_location={place})" in fixed(CODE, text, unsafe=False)


@pytest.mark.parametrize(
    ("moves", "place"),
    [
        ("if mode == 'gpu':\n        net = net.cuda()", '"cpu"'),
        ("if mode == 'one':\n        net = net.cuda()\n    else:\n        net = nn.DataParallel(net).cuda()", "device"),
        ("net = net.cuda() if mode == 'gpu' else net", '"cpu"'),
        ("if mode == 'gpu':\n        pass\n    net = net.cuda()", "device"),
        ("if mode == 'gpu':\n        net = net.cuda()\n    x = torch.ones(2).cuda()", "device"),
    ],
)
def test_a_device_that_is_only_used_under_another_test_is_no_place_for_a_load(moves: str, place: str) -> None:
    load = "net.load_state_dict(torch.load('net.pt'{}))"
    text = (
        f"{HEAD}\n\ndef main(mode):\n    net = nn.Linear(2, 2)\n    {moves}\n    {load.format('')}\n\n\nmain(input())\n"
    )
    assert load.format(f", map_location={place}") in fixed(CODE, text, unsafe=False)
    below = text.replace(f"    {load.format('')}", f"    if mode == 'gpu':\n        {load.format('')}")
    assert (load.format(", map_location=device") in fixed(CODE, below, unsafe=False)) is (place == "device")


@pytest.mark.parametrize(
    ("made", "move", "call", "place"),
    [
        ("nn.Linear(2, 2)", "net.to(device)", "device=DEVICE", "device"),
        ("nn.Linear(2, 2).to(device)", "net.eval()", "device=DEVICE", "device"),
        ("nn.Linear(2, 2)", "net = net.to(device)", "DEVICE", "device"),
        # It may be the number of a card, the net goes to another device as well, or nothing moves it here.
        ("nn.Linear(2, 2)", "net.to(device)", "device=0", '"cpu"'),
        ("nn.Linear(2, 2)", "net.to(device)\n    net.to(DEVICE)", "device=DEVICE", "DEVICE"),
        ("nn.Linear(2, 2)", "net.to(device).half()\n    net.cuda()", "device=DEVICE", "DEVICE"),
        ("nn.Linear(2, 2)", "net.to(DEVICE)\n    device = None", "device=DEVICE", "DEVICE"),
        ("nn.Linear(2, 2).to(DEVICE)", "torch.ones(2).to(device)", "device=DEVICE", "DEVICE"),
    ],
)
def test_a_state_goes_to_the_parameter_to_which_the_function_moves_its_module(
    made: str, move: str, call: str, place: str
) -> None:
    load = "net.load_state_dict(torch.load('net.pt'{}))"
    text = (
        "import settings\nimport torch\nfrom torch import nn\n\n"
        "DEVICE = 'cpu' if settings.SMALL else settings.pick_device()\n\n\n"
        f"def made(device):\n    net = {made}\n    {load.format('')}\n    {move}\n    return net\n\n\nnet = made({call})\n"
    )
    assert load.format(f", map_location={place}") in fixed(CODE, text, unsafe=False)


@pytest.mark.parametrize(("beside", "kind"), [("net.cuda(args.gpu)", "unsafe"), ("net.to(args.device)", "safe")])
def test_a_load_beside_a_move_to_a_card_that_stays_gains_nothing(beside: str, kind: str) -> None:
    text = (
        "import torch\n\n\ndef main(args):\n    net = torch.nn.Linear(1, 1)\n"
        f"    {beside}\n    net.load_state_dict(torch.load(args.path))\n"
    )
    assert [how for _, how in places(CODE, text)] == [kind]


def test_what_goes_into_a_state_is_a_checkpoint_whatever_its_name() -> None:
    text = (
        "import torch\n\n\ndef main(args):\n    net = torch.nn.Linear(1, 1)\n    found = torch.load(args.embedder)\n"
        "    net.load_state_dict(found['state'])\n    return found['state']['weight']\n"
    )
    assert 'torch.load(args.embedder, map_location=None if torch.cuda.is_available() else "cpu")' in fixed(CODE, text)


@pytest.mark.parametrize(("name", "is_found"), [("checkpoint_embeddings", True), ("embeddings", False)])
def test_a_checkpoint_of_embeddings_goes_where_the_checkpoint_beside_it_goes(name: str, is_found: bool) -> None:
    text = (
        "import torch\n\n\ndef main():\n    net = torch.nn.Linear(1, 1)\n    net.load_state_dict(torch.load('net.pt'))\n"
        f"    {name} = torch.load('embeddings.pt')\n    return {name}['mean']\n"
    )
    assert ("torch.load('embeddings.pt', map_location=map_location)" in fixed(CODE, text)) is is_found


@pytest.mark.parametrize(("left", "is_found"), [("sys.exit(1)", False), ("self.args = None", True)])
def test_a_load_of_what_is_made_only_where_there_is_cuda_gains_nothing(left: str, is_found: bool) -> None:
    text = (
        "import sys\nimport torch\n\n\nclass Trainer:\n    def __init__(self, args):\n        self.prepare()\n\n"
        f"    def prepare(self):\n        if not torch.cuda.is_available():\n            {left}\n\n"
        "    def resume(self, path):\n        self.net.load_state_dict(torch.load(path))\n"
    )
    assert bool(found(CODE, text)) is is_found


@pytest.mark.parametrize(
    ("other", "safe"), [("RATE = 0.1\n", False), ("def move(net):\n    return net.cuda()\n", True)]
)
def test_what_a_project_saves_that_names_no_device(tmp_path: Path, other: str, safe: bool) -> None:
    net = (
        "import torch\nfrom torch import nn\nimport tools\nnet = nn.Linear(2, 2)\ndef keep(path):\n"
        "    torch.save(net.state_dict(), path)\ndef take(path):\n    net.load_state_dict(torch.load(path))\n"
    )
    project = write_files(tmp_path / "p", {"net.py": net, "tools.py": other})
    assert ("net.py" in fix_files(project)) is safe
    assert "map_location" in fix_files(project, unsafe=True)["net.py"]
    alone = write_files(tmp_path / "q", {"net.py": net.replace("torch.save(net.state_dict(), path)", "pass")})
    assert "map_location" in fix_files(alone)["net.py"]


OWN = """class Net(nn.Module):
    def take(self, state):
        own = self.state_dict()
        for name, value in state.items():
            DOES


net = Net().to(device)
ckpt = torch.load(f{})
net.take(ckpt)
"""


@pytest.mark.parametrize(
    ("does", "place"),
    [
        ("own[name].copy_(value)", "device"),
        ("self.kept = value", 'None if device.type == "cuda" else "cpu"'),
    ],
)
def test_a_method_of_the_project_that_takes_a_state(does: str, place: str) -> None:
    text = f"{HEAD}{DEVICE}{OWN}".replace("DOES", does)
    check(CODE, text.replace("{}", ""), text.replace("{}", f", map_location={place}"), "safe")


@pytest.mark.parametrize(
    ("use", "place"),
    [
        ("torch.set_rng_state(ckpt['rng'])", '"cpu"'),
        ("scaler = torch.cuda.amp.GradScaler()\n    scaler.load_state_dict(ckpt['scaler'])", "device"),
    ],
)
def test_what_else_a_checkpoint_holds(use: str, place: str) -> None:
    program = (
        f"{HEAD}{DEVICE}def g(f):\n    net = nn.Linear(2, 2).to(device)\n    ckpt = torch.load(f{{}})\n"
        f"    net.load_state_dict(ckpt['net'])\n    {use}\n"
    )
    check(CODE, program.replace("{}", ""), program.replace("{}", f", map_location={place}"), "safe")


SETTINGS = """import torch

try:
    import torch_xla.core.xla_model as xm
except ImportError:
    xm = None


class Settings:
    def __init__(self, tpu=False):
        self.tpu = tpu

    @property
    def device(self):
        return xm.xla_device() if self.tpu else torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
LOADER = """import torch
from torch import nn

from settings import Settings


class Loader:
    def __init__(self, model, args):
        self.args = args
        self.model = model.to(self.args.device)

    def resume(self, path):
        state_dict = torch.load(path)
        self.model.load_state_dict(state_dict)

    def step(self, x):
        with torch.cuda.amp.autocast():
            return self.model(x.to(self.args.device))


Loader(nn.Linear(2, 2), Settings()).resume("best.pt")
"""


@pytest.mark.parametrize(
    ("device", "is_foreign"),
    [
        ("xm.xla_device()", True),
        ("torch_directml.device()", True),
        ("torch.device('hpu')", True),
        ('torch.device("cpu:0")', True),
        ('torch.device("cpu")', False),
    ],
)
def test_a_device_of_another_library_is_no_place_to_load_to(tmp_path: Path, device: str, is_foreign: bool) -> None:
    settings = SETTINGS.replace("torch_xla.core.xla_model", "machines").replace("xm.xla_device()", device)
    after = fix_files(write_files(tmp_path / "p", {"settings.py": settings, "main.py": LOADER}))["main.py"]
    place = '"cpu"' if is_foreign else "self.args.device"
    assert f"torch.load(path, map_location={place})" in after
    assert ("torch.autocast(" in after) is not is_foreign


def test_the_cpu_by_a_number_is_no_place_to_load_to() -> None:
    text = (
        'import torch\n\ndevice = torch.device("cuda:0" if torch.cuda.is_available() else "cpu:0")\n'
        "x = torch.load('a').to(device)\n"
    )
    assert 'torch.load(\'a\', map_location=None if device.type == "cuda" else "cpu")' in fixed("DEV404", text)


@pytest.mark.parametrize(
    "choice", ["if tpu:\n    device = xm.xla_device()\nelse:\n    {}", "{}\nother = xm.xla_device()"]
)
def test_a_device_that_the_file_itself_may_take_from_another_library(choice: str) -> None:
    text = "import torch_xla.core.xla_model as xm\n" + choice.format(DEVICE.strip()) + "\n"
    text += (
        "net = nn.Linear(2, 2).to(device)\nnet.load_state_dict(torch.load('a.pt'))\nx = torch.load('b.pt').to(device)\n"
    )
    after = fixed(CODE, HEAD + text)
    assert ("map_location=device" in after) is ("else" not in choice)
    assert after.count("map_location=") == 2 if "else" not in choice else "is_available" in after


@pytest.mark.parametrize(
    "text",
    [
        "def load(net, device):\n    net.load_state_dict(torch.load('a.pt'))\n    net.to(device)\n",
        "def load(path, device):\n    return torch.load(path).to(device)\n",
        "class A(LightningModule):\n    def load(self, path):\n        self.net = nn.Linear(2, 2).to(self.device)\n"
        "        self.net.load_state_dict(torch.load(path))\n",
    ],
)
def test_a_device_that_callers_or_libraries_choose(tmp_path: Path, text: str) -> None:
    text = HEAD + "from lightning.pytorch import LightningModule\n" + text
    files = {"main.py": text, "tools.py": "import torch_xla.core.xla_model as xm\n"}
    after = fix_files(write_files(tmp_path / "p", files)).get("main.py", "")
    assert "map_location=" in after and "map_location=device" not in after and "map_location=self" not in after


def test_a_load_asks_the_device_that_a_move_to_the_first_card_needs(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom nets import build\n\n\n"
        "def convert(path, out):\n    state = torch.load(path)\n    net = build(path, device='cuda:0')\n"
        "    state['state_dict'] = net.state_dict()\n    torch.save(state, out)\n\n\n"
        "if __name__ == '__main__':\n    torch.cuda.set_device(1)\n    convert('a.pth', 'b.pth')\n"
    )
    nets = "import torch\n\n\ndef build(path, device):\n    print(path)\n    return torch.nn.Linear(1, 1).to(device)\n"
    made = fix_files(write_files(tmp_path, {"main.py": text, "nets.py": nets}))["main.py"]
    assert "device = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')" in made
    assert "build(path, device=device)" in made
    assert "device0" not in made
    assert "torch.load(path, map_location=None if device.type == 'cuda' else 'cpu')" in made
