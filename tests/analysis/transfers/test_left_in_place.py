"""Moves for callers that ask for them: the test stays where a call may leave a tensor on CUDA, where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import fixed

MOVE = "    if cuda:\n        x = x.cuda()\n    return x\n"
TO_CPU = "\n    x = x.to(device)\n    return x\n"


def moves_always(function: str, calls: str = "") -> bool:
    text = f"import torch\n\ndef wrap({function}:\n{MOVE}{calls}"
    after = fixed("DEV105", text, unsafe=False)
    assert (TO_CPU in after) != ("    if cuda:\n" in after)
    return TO_CPU in after


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        ("x, cuda=False)", ""),
        ("x, cuda=None)", "y = wrap(x)\n"),
        ("x, cuda=False)", "y = wrap(x, True), wrap(x)\n"),
        ("x, cuda)", "y = wrap(x, False)\n"),
        ("x, cuda=True)", "y = wrap(x, cuda=False)\n"),
        ("x, cuda=False)", "y = map(wrap, x)\n"),
    ],
)
def test_a_flag_that_is_left_out_leaves_the_tensor(function: str, calls: str) -> None:
    assert not moves_always(function, calls)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        ("x, cuda)", ""),
        ("x, cuda=True)", ""),
        ("x, cuda=False)", "y = wrap(x, args.cuda)\n"),
        ("x, cuda=False)", "y = wrap(x, cuda=use_cuda)\n"),
    ],
)
def test_a_flag_that_every_call_gives_is_the_programs(function: str, calls: str) -> None:
    assert moves_always(function, calls)


def test_what_a_function_makes_itself_is_on_the_cpu() -> None:
    text = f"import torch\n\ndef wrap(a, cuda=False):\n    x = torch.from_numpy(a)\n{MOVE}"
    assert TO_CPU in fixed("DEV105", text, unsafe=False)


def test_a_new_instance_is_on_the_cpu() -> None:
    init = (
        "import torch\n\nclass Net(torch.nn.Module):\n    def __init__(self, cuda=False):\n        super().__init__()\n"
    )
    text = f"{init}        if cuda:\n            self.cuda()\n"
    assert "        if cuda" not in fixed("DEV105", text, unsafe=False)
    later = text.replace("__init__(self, cuda", "start(self, cuda")
    assert "        if cuda" in fixed("DEV105", later, unsafe=False)


def test_calls_in_other_files_count(tmp_path: Path) -> None:
    utils = f"import torch\n\n\ndef wrap(x, cuda=False):\n{MOVE}"
    files = {"pyproject.toml": "", "utils.py": utils, "train.py": "import utils\nx = utils.wrap(x, args.cuda)\n"}
    assert TO_CPU in fix_files(write_files(tmp_path / "p", files), unsafe=False)["utils.py"]
    files["test.py"] = "import utils\nx = utils.wrap(y)\n"
    assert TO_CPU not in fix_files(write_files(tmp_path / "q", files), unsafe=False).get("utils.py", "")


@pytest.mark.parametrize(
    ("part", "stays"),
    [
        ("z[1:].float()", True),
        ("next(iter(z))", True),
        ("dict(z)['x']", True),
        ("z.sample()", True),
        ("z(2)", True),
        ("torch.nn.BCELoss(weight=z)", True),
        ("torch.nn.NLLLoss(z)", True),
        ("next(iter(torch.utils.data.DataLoader(z)))", True),
        ("torch.nn.NLLLoss(reduction=z)", False),
        ("torch.nn.Linear(z, z)", False),
        ("z(2).cpu()", False),
        ("torch.from_numpy(z.numpy())", False),
    ],
)
def test_a_part_of_what_a_caller_gives_is_left_where_it_is(part: str, stays: bool) -> None:
    text = f"import torch\n\ndef wrap(z, cuda=0):\n    x = {part}\n{MOVE}"
    assert (TO_CPU not in fixed("DEV105", text, unsafe=False)) is stays


@pytest.mark.parametrize(
    ("block", "kept"),
    [
        ("    for x in z:\n        if cuda:\n            x = x.cuda()\n        yield x\n", "if cuda:"),
        (
            "    for i, (x, y) in enumerate(z):\n        if cuda:\n            x = x.cuda()\n        yield x\n",
            "if cuda:",
        ),
        ("    return [x.cuda() if cuda else x for x in z]\n", "if cuda else x"),
    ],
)
def test_what_is_walked_over_may_be_of_the_callers(block: str, kept: str) -> None:
    text = f"import torch\n\ndef wrap(z, cuda=False):\n{block}"
    assert kept in fixed("DEV105", text, unsafe=False)
    own = text.replace("def wrap(z, cuda=False):\n", "def wrap(cuda=False):\n    z = [torch.ones(2)]\n")
    assert kept not in fixed("DEV105", own, unsafe=False).replace('"cuda" if cuda else', "")


@pytest.mark.parametrize(("given", "stays"), [("net", True), ("torch.nn.Linear(2, 2)", False)])
def test_what_a_part_of_the_callers_computes_is_where_that_is(tmp_path: Path, given: str, stays: bool) -> None:
    gan = (
        "import torch\n\n\nclass Gan:\n    def __init__(self, net, use_gpu=False):\n"
        f"        self.net = {given}\n        self.use_gpu = use_gpu\n\n"
        "    def sample(self):\n        fake = self.net(torch.ones(2))\n        fake = self.keep(fake)\n"
        "        y = self.net(torch.ones(2))\n        if self.use_gpu:\n            y = y.cuda()\n        return fake, y\n\n"
        "    def keep(self, x):\n        return x\n"
    )
    files = {"setup.py": "", "gan.py": gan, "train.py": "import gan\n\ngan.Gan(gan.torch.nn.Linear(2, 2).cuda())\n"}
    after = fix_files(write_files(tmp_path / "p", files), unsafe=False).get("gan.py", gan)
    assert ("        if self.use_gpu:\n" in after) is stays


KEPT = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, n, cuda={}):
        super().__init__()
        self.layer = torch.nn.Linear(n, n)
        self.do_cuda = cuda

    def forward(self, x, z=None):
        if z is None:
            z = torch.zeros(2)
        if self.do_cuda:
            z = z.cuda()
        return self.layer(x + z)


"""


@pytest.mark.parametrize(
    ("default", "calls", "stays"),
    [
        ("False", "net = Net(2).cuda()", True),
        ("False", "", True),
        ("False", "net = Net(2, False)", True),
        ("False", "net = Net(2, args.cuda)", False),
        ("True", "net = Net(2, cuda=False)", False),  # whoever says so has no tensors on CUDA
        ("args.cuda", "net = Net(2)", False),
    ],
)
def test_a_flag_that_an_instance_keeps(default: str, calls: str, stays: bool) -> None:
    text = f"{KEPT.format(default)}{calls}\n"
    assert ("        if self.do_cuda:" in fixed("DEV105", text, unsafe=False)) is stays
    trainer = (
        text.replace("Net(2).cuda()", "Net(2)")
        .replace("(torch.nn.Module)", "")
        .replace("        super().__init__()\n", "")
        .replace("forward", "run")
    )
    assert "        if self.do_cuda:" not in fixed("DEV105", trainer, unsafe=False)  # which nobody moves itself
    own = text.replace("        if z is None:\n    ", "")
    assert "        if self.do_cuda:" not in fixed("DEV105", own.replace(", z=None", ""), unsafe=False)


BESIDE = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()


def noise(x):
    z = {made}
    if args.cuda:
        z = z.cuda()
    return x + z
"""


@pytest.mark.parametrize(
    ("made", "stays"),
    [
        ("x.new(2, 2).fill_(1)", True),
        ("x.new_zeros(2)", True),
        ("torch.ones(2).type_as(x)", True),
        ("torch.ones(2).to(x.device)", True),
        ("torch.ones(2).type(x.type())", True),
        ("torch.ones(2, device=x.device)", True),
        ("torch.ones(2)", False),
        ("torch.zeros_like(x)", False),
    ],
)
def test_what_is_made_beside_a_tensor_stays_there(made: str, stays: bool) -> None:
    """Without --cuda it is where the tensor is, which may be on a GPU for another reason."""
    after = fixed("DEV105", BESIDE.format(made=made), unsafe=False)
    assert ("    if args.cuda:\n" in after) is stays


@pytest.mark.parametrize("made", ["torch.zeros_like(x)", "x.float()", "(x > 0).float() / x.sum()", "x[0] if x else y"])
@pytest.mark.parametrize(
    ("elsewhere", "stays"),
    [
        ("y = x.cuda() if torch.cuda.is_available() else x\n", True),
        ('device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n', True),
        ("def move(x):\n    return x.cuda()\n", True),
        ('def move(x, device="cuda:0"):\n    return x.to(device)\n', True),
        ("y = x.cuda() if args.cuda else x\n", False),
        ("y = y.cuda() if x.is_cuda else y\n", False),
        ("def move(x, cuda):\n    if not cuda:\n        return x\n    return x.cuda()\n", False),
        ('state = torch.load("x.pt", map_location=lambda storage, _: storage.cuda())\n', False),
        ('print(config["cuda"], device == "cuda")\n', False),
    ],
)
def test_what_a_caller_gives_goes_to_the_cpu_only_if_all_asks_a_flag(
    tmp_path: Path, made: str, elsewhere: str, stays: bool
) -> None:
    files = {
        "setup.py": "",
        "noise.py": BESIDE.format(made=made),
        "train.py": f"import torch\nimport steps\n{elsewhere}",
    }
    files["steps.py"] = "from noise import noise\n\n\ndef step(x):\n    return noise(x)\n"
    after = fix_files(write_files(tmp_path / "p", files), unsafe=False).get("noise.py", files["noise.py"])
    assert ("    if args.cuda:\n" in after) is stays
    files["steps.py"] = ""
    after = fix_files(write_files(tmp_path / "q", files), unsafe=False)["noise.py"]
    assert "    if args.cuda:\n" not in after


@pytest.mark.parametrize(
    ("made", "stays"),
    [
        ("torch.randn(2, 3) * x", False),
        ("torch.autograd.Variable(torch.ones((2,))) + x", False),
        ("x - torch.zeros(4)", False),
        ("x * torch.ones(y)", True),
        ("x * torch.ones(())", True),
        ("x * torch.ones(2, 3, device=y.device)", True),
        ("x * torch.tensor([2, 3])", True),
    ],
)
def test_what_meets_a_tensor_that_is_made_on_the_cpu_is_there(tmp_path: Path, made: str, stays: bool) -> None:
    """A number may be given, too; a tensor on a GPU would be an error."""
    train = "import torch\nfrom noise import noise\n\n\ndef move(x):\n    return noise(x.cuda())\n"
    files = {"setup.py": "", "noise.py": BESIDE.format(made=made), "train.py": train}
    after = fix_files(write_files(tmp_path / "p", files), unsafe=False).get("noise.py", files["noise.py"])
    assert ("    if args.cuda:\n" in after) is stays


def test_what_goes_to_the_tensor_that_it_meets_needs_no_flag(tmp_path: Path) -> None:
    loss = (
        "import torch\n\n\ndef loss(logits, target, use_cuda):\n    if use_cuda:\n        target = target.cuda()\n"
        "    return torch.nn.functional.cross_entropy(logits, target)\n"
    )
    files = {"setup.py": "", "loss.py": loss, "train.py": "import loss\n\n\ndef move(x):\n    return x.cuda()\n"}
    after = fix_files(write_files(tmp_path / "p", files), unsafe=False)["loss.py"]
    assert "\n    target = target.to(logits.device)\n" in after and "use_cuda:" not in after


PUT = """import torch


def run(n, where, net, use_cuda):
    {}
    if use_cuda:
        x = x.cuda()
    return net(x)
"""


@pytest.mark.parametrize(
    ("lines", "stays"),
    [
        ("x = torch.ones(n)", False),
        ("x = torch.ones(n).to(where)", True),
        ("x = torch.ones(n, device=where)", True),
        ("x = torch.ones(n)\n    if n:\n        x = x.to('mps')", True),
        ("x = torch.ones(n).to('cpu')", False),
        ("x = torch.ones(n).to(torch.float64)", False),
        ("x = torch.ones(n).to(where)\n    x = torch.ones(n)", False),
        ("d = 'mps' if torch.backends.mps.is_available() else 'cpu'\n    x = torch.ones(n).to(d)", True),
        ("d = torch.device('cuda' if use_cuda else 'cpu')\n    x = torch.ones(n).to(d)", False),
        ("d = torch.device('cpu')\n    x = torch.ones(n, device=d)", False),
    ],
)
def test_what_a_line_above_puts_on_another_device_stays_there(lines: str, stays: bool) -> None:
    """A Mac, or a TPU: without CUDA it is not on the CPU."""
    after = fixed("DEV105", PUT.format(lines), unsafe=False)
    assert ("    if use_cuda:\n" in after) is stays


def test_a_card_above_says_nothing_of_what_there_is_without_cuda() -> None:
    lines = "x = torch.ones(n)\n    if use_cuda:\n        x = x.cuda(device=0)"
    after = fixed("DEV105", PUT.format(lines), unsafe=False)
    assert after.count("    if use_cuda:\n") == 1


TRAINER = """\
import torch


class Trainer:
    def __init__(self, net, use_gpu=True):
        self.net = net
        self.use_gpu = use_gpu
        if self.use_gpu:
            self.net.cuda()
"""
MAIN = """\
import importlib
import json

import torch

with open("settings.json") as file:
    settings = json.load(file)
net = torch.nn.Linear(4, 4).to({device})
{trainers}
print(trainers.Trainer(net, settings["use_gpu"]))
"""


@pytest.mark.parametrize(
    ("device", "trainers", "is_kept"),
    [
        ('"cuda:" + str(0) if torch.cuda.is_available() else "cpu"', "import trainers.base as trainers", True),
        ('"cuda:{}".format(0)', "from trainers import base as trainers", True),
        ('f"cuda:{0}"', 'trainers = importlib.import_module("trainers." + settings["trainer"])', True),
        ('f"cuda:{0}"', "", False),  # runs in no process with the trainer
        ('"cpu"', "from trainers import base as trainers", False),
    ],
)
def test_importers_put_what_they_give_on_cards(tmp_path: Path, device: str, trainers: str, is_kept: bool) -> None:
    files = {"trainers/__init__.py": "", "trainers/base.py": TRAINER}
    files["main.py"] = MAIN.format(device=device, trainers=trainers)
    text = fix_files(write_files(tmp_path / "p", files))["trainers/base.py"]
    assert ("if self.use_gpu:" in text) is is_kept


@pytest.mark.parametrize(
    ("given", "is_free"),
    [
        ("device_map='auto'", False),
        ("load_in_8bit=True", False),
        ("**{'device_map': 0}", False),
        ("revision='b'", True),
    ],
)
def test_what_a_library_may_have_loaded_onto_cuda_keeps_its_test(tmp_path: Path, given: str, is_free: bool) -> None:
    own = "from transformers import PreTrainedModel\n\n\nclass Net(PreTrainedModel):\n    pass\n"
    own += "\n\nclass Other(PreTrainedModel):\n    pass\n"
    files = {"pyproject.toml": "", "own.py": own, "main.py": WORKER.format(given)}
    changed = fix_files(write_files(tmp_path / "p", files)).get("main.py", "")
    assert ("\n        net.to(device)" in changed) is is_free


WORKER = """import argparse

import torch
from transformers import AutoTokenizer

from own import Net, Other


class Worker:
    def __init__(self, path, num_gpus, bits):
        self.bits = bits
        self.words, self.net = self.load(path, num_gpus)

    def load(self, path, num_gpus):
        if self.bits == "int8":
            more = {{"revision": "b"}}
        else:
            more = {{"torch_dtype": torch.float16}}
        if "own" in path.lower():
            net = Net.from_pretrained(path, {})
        else:
            net = Other.from_pretrained(path)
        words = AutoTokenizer.from_pretrained(path)

        if num_gpus > 0:
            net.cuda()
        net.eval()
        self.device = "cuda" if num_gpus > 0 else "cpu"
        return words, net

    def run(self, words):
        given = self.words([words], return_tensors="pt").to(self.device)
        return self.words.decode(self.net.generate(**given)[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_gpus", type=int, default=1)
    parser.add_argument("--bits", choices=["fp16", "int8"], default="fp16")
    args = parser.parse_args()
    print(Worker("path", args.num_gpus, args.bits).run("hello"))
"""
