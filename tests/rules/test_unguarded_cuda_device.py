from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import devlint
from devlint.core.target import Target
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV103"
MAIN = '\n\nif __name__ == "__main__":\n    print()\n'
IF = "if torch.cuda.is_available() else"

DEVICES = [
    ('device = torch.device("cuda")', f'device = torch.device("cuda" {IF} "cpu")'),
    ("device = torch.device('cuda')", f"device = torch.device('cuda' {IF} 'cpu')"),
    ("device = torch.device('cuda:0')", f"device = torch.device('cuda:0' {IF} 'cpu')"),
    ("device = torch.device(type='cuda')", f"device = torch.device(type='cuda' {IF} 'cpu')"),
    ('device = torch.device("cuda", 0)', f'device = torch.device("cuda:0" {IF} "cpu")'),
    ('device = "cuda"', f'device = "cuda" {IF} "cpu"'),
    ('device_map = "cuda:0"', f'device_map = "cuda:0" {IF} "cpu"'),
    ('kwargs["device_map"] = "cuda"', f'kwargs["device_map"] = "cuda" {IF} "cpu"'),
    ('DEVICE = "cuda:0"  # first', f'DEVICE = "cuda:0" {IF} "cpu"  # first'),
    ("dev = ('cuda')", f"dev = ('cuda') {IF} 'cpu'"),
    ("dev = (\n    'cuda'  # a\n)", f"dev = (\n    'cuda'  # a\n) {IF} 'cpu'"),
    ('torch_device: str = "cuda"', f'torch_device: str = "cuda" {IF} "cpu"'),
    ('self.device = "cuda"', f'self.device = "cuda" {IF} "cpu"'),
    ('config["device"] = "cuda"', f'config["device"] = "cuda" {IF} "cpu"'),
    ('device, n = "cuda", 3', f'device, n = "cuda" {IF} "cpu", 3'),
    (
        'run = {"device": "cuda", "rate": 0.1}\nx = x.to(run["device"])',
        f'run = {{"device": "cuda" {IF} "cpu", "rate": 0.1}}\nx = x.to(run["device"])',
    ),
    (
        "run = {'net': {}, 'misc': {'device': 'cuda:0'}}\ndef f(x):\n    return x.to(device=run['misc']['device'])",
        f"run = {{'net': {{}}, 'misc': {{'device': 'cuda:0' {IF} 'cpu'}}}}\n"
        "def f(x):\n    return x.to(device=run['misc']['device'])",
    ),
    (
        'def f(x):\n    run = dict(rate=0.1, device="cuda")\n    device = torch.device(run["device"])',
        f'def f(x):\n    run = dict(rate=0.1, device="cuda" {IF} "cpu")\n    device = torch.device(run["device"])',
    ),
    ('name = "cuda"\nx = x.to(name)', f'name = "cuda" {IF} "cpu"\nx = x.to(name)'),
    ("gpu = 'cuda:0'\nprint(gpu, torch.device(gpu))", f"gpu = 'cuda:0' {IF} 'cpu'\nprint(gpu, torch.device(gpu))"),
    (
        'def f():\n    where = "cuda"\n    return torch.ones(3, device=where)',
        f'def f():\n    where = "cuda" {IF} "cpu"\n    return torch.ones(3, device=where)',
    ),
    ('self.device = device = "cuda"', f'self.device = device = "cuda" {IF} "cpu"'),
    ('device = args.device or "cuda"', f'device = args.device or ("cuda" {IF} "cpu")'),
    ('if (device := "cuda"): pass', f'if (device := "cuda" {IF} "cpu"): pass'),
    (
        'device = torch.device("cuda")\nmemory = {device: 3}\nx = torch.ones(2, device=device)',
        f'device = torch.device("cuda" {IF} "cpu")\nmemory = {{device: 3}}\nx = torch.ones(2, device=device)',
    ),
    ('run(torch.device("cuda"))', f'run(torch.device("cuda" {IF} "cpu"))'),
    ('run(where=torch.device("cuda"))', f'run(where=torch.device("cuda" {IF} "cpu"))'),
    ('places = [torch.device("cuda")] * 2', f'places = [torch.device("cuda" {IF} "cpu")] * 2'),
    ('make = lambda: torch.device("cuda")', f'make = lambda: torch.device("cuda" {IF} "cpu")'),
    ('a = 1; device = "cuda"', f'a = 1; device = "cuda" {IF} "cpu"'),
    ('if x: device = "cuda"', f'if x: device = "cuda" {IF} "cpu"'),
    ('@run(torch.device("cuda"))\ndef f(): pass', f'@run(torch.device("cuda" {IF} "cpu"))\ndef f(): pass'),
    ("print(f\"{run(torch.device('cuda'))}\")", f"print(f\"{{run(torch.device('cuda' {IF} 'cpu'))}}\")"),
    (
        "def kind(d):\n    return d.type, make(d)\nkind(torch.device('cuda'))",
        f"def kind(d):\n    return d.type, make(d)\nkind(torch.device('cuda' {IF} 'cpu'))",
    ),
    ("def f():\n    return torch.device('cuda')", f"def f():\n    return torch.device('cuda' {IF} 'cpu')"),
    (
        "a = torch.cuda.is_available()\ndev = torch.device('cuda:0')",
        "a = torch.cuda.is_available()\ndev = torch.device('cuda:0' if a else 'cpu')",
    ),
    ('a = torch.cuda.is_available()\ndev = "cuda"', 'a = torch.cuda.is_available()\ndev = "cuda" if a else "cpu"'),
    (
        'a = torch.cuda.is_available()\ndev = torch.device("cuda", 0)',
        'a = torch.cuda.is_available()\ndev = torch.device("cuda:0" if a else "cpu")',
    ),
    (
        'a = torch.cuda.is_available()\ndev = "cuda"\na = x',
        f'a = torch.cuda.is_available()\ndev = "cuda" {IF} "cpu"\na = x',
    ),
    (
        'a = torch.cuda.is_available() and x\ndev = "cuda"',
        f'a = torch.cuda.is_available() and x\ndev = "cuda" {IF} "cpu"',
    ),
    # It is read elsewhere, too.
    (
        'device = "cuda"\nwhere = torch.device(device if torch.cuda.is_available() else "cpu")\nsummary(net, device)',
        f'device = "cuda" {IF} "cpu"\nwhere = torch.device(device {IF} "cpu")\nsummary(net, device)',
    ),
    # What the branch does may need CUDA, or be what the CPU gets.
    *(
        (
            f'd = torch.device("cuda")\nif d.type == "cuda":\n    {what}\nprint(1)',
            f'd = torch.device("cuda" {IF} "cpu")\nif d.type == "cuda":\n    {what}\nprint(1)',
        )
        for what in ("print(torch.cuda.memory_allocated())", "x = make()", "print(1)\nelse:\n    run()")
    ),
]


@pytest.mark.parametrize(("before", "after"), DEVICES)
def test_devices(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}{MAIN}", f"import torch\n{after}{MAIN}", "safe")


SILENT = [
    'first = torch.device("cuda:0")\nfree = {first: 4}\nassert pick([first], 3, free) == first',
    'def test_free():\n    device = torch.device("cuda:0")\n    assert free({device: 10}, {device: 3}) == 7',
    # It is read only where there is CUDA.
    'def f():\n    device = "cuda"\n    return torch.device(device if torch.cuda.is_available() else "cpu")',
    'device = "cuda"\nif torch.cuda.is_available():\n    net = net.to(device)\nprint(1)',
    # Nothing is placed by it, and what it is compared for only prints.
    'd = torch.device("cuda")\nif d == torch.device("cuda"):\n    print(d)\nprint(1)',
    'd = torch.device("cuda")\nx = torch.zeros(1)\nif x.device == d:\n    print("there")\nelse:\n    print(d.type)\nprint(1)',
    'd = torch.device("cuda")\nif d.type == "cuda" and a:\n    if b:\n        print(f"on {d}")\nprint(1)',
    'def f(d=torch.device("cuda")):\n    if d.type == "cuda":\n        print(1)\nprint(1)',
    'name = "cuda"',
    'def f(x) -> torch.device("cuda"):\n    y: torch.device("cuda:0") = g(x)\n    return y',
    'def f(x: torch.device("cuda")):\n    return x',
    "with FakeTensorMode():\n    device = torch.device('cuda')\n    x = torch.ones(2, device=device)",
    'backend = "cuda"',
    'device_type = "cuda"',
    'device = "cpu"',
    'device = "cuda:1"',
    'device = f"cuda:{i}"',
    'device = "cuda" if ok else "cpu"',
    'device = torch.device("cuda" if ok else "cpu")',
    'device = torch.device("cuda") if ok else torch.device("cpu")',
    'device == torch.device("cuda")',
    'if x.device == torch.device("cuda"): pass',
    'if x.device in (torch.device("cuda"), None): pass',
    'seen = {torch.device("cuda"): 1}',
    'y = seen[torch.device("cuda")]',
    'print(torch.device("cuda"))',
    'name = str(torch.device("cuda"))',
    "name = f\"on {torch.device('cuda')}\"",
    'logger.info("on %s", torch.device("cuda"))',
    'self.assertEqual(x.device, torch.device("cuda"))',
    'torch.testing.assert_close(x.device, torch.device("cuda"))',
    'EXPECTED = {"device": torch.device("cuda")}',
    'expected_device = torch.device("cuda")',
    'def kind(d):\n    return d.type\nassert kind(torch.device("cuda")) == "cuda"',
    'def kind(n, d=None):\n    return d.type if n else d.index\nkind(1, d=torch.device("cuda"))',
    "kind = torch.device('cuda').type",
    'torch.cuda.synchronize(torch.device("cuda"))',
    'x = x.to(torch.device("cuda"))',
    'def f(device=torch.device("cuda")): pass',
    'if torch.cuda.is_available():\n    device = "cuda"\nelse:\n    device = "cpu"',
    'if torch.cuda.is_available():\n    device = torch.device("cuda")',
    'if args.cpu:\n    device = "cpu"\nelse:\n    device = "cuda"',
    # The program takes it back itself, and says so.
    'def f(d):\n    if d is None:\n        d = "cuda"\n    d = torch.device(d)\n    if not torch.cuda.is_available() and d.type == "cuda":\n'
    '        d = torch.device("cpu")\n        print("no CUDA")\n    return d',
    'device = torch.device("cuda")\nif device.type == "cuda":\n    if not torch.cuda.is_available():\n        print("no CUDA")\n'
    '        device = torch.device("cpu")',
    'if a:\n    device = "cuda:0"\nelif b:\n    device = "cuda"\nelse:\n    device = "cpu"',
    'assert torch.cuda.is_available()\ndevice = "cuda"',
    'if not torch.cuda.is_available():\n    raise SystemExit\ndevice = torch.device("cuda")',
    'def f(gpu):\n    if gpu:\n        return torch.device("cuda")\n    return torch.device("cpu")',
    'from enum import Enum\nclass Kind(Enum):\n    DEVICE = "cuda"',
    'run = {"device": "cuda"}\nsend(run["device"])',
    'run = {"device": "cuda"}\nown = {**run, "device": d}\nx = x.to(own["device"])',
    'run = {"device": "cuda"}\nown = run.copy()\nown = load()\nx = x.to(own["device"])',
    'run = {"device": "cuda"}\nown = run.copy()\nown["device"] = d\nx = x.to(own["device"])',
    'run = {"device": "cuda"}\nown = load(run)\nx = x.to(own["device"])',
    'def given(run):\n    return load(run)\nrun = {"device": "cuda"}\nown = given(run)\nx = x.to(own["device"])',
    'run = {"device": "cuda"}\nx = x.to(other["device"])',
    'run = {"kind": "cuda"}\nx = x.to(run["kind"])',
    'run = {"a": {"device": "cuda"}, "b": {"device": d}}\nx = x.to(run["b"]["device"])',
    'run = {"device": "cuda"}\nif cpu:\n    run["device"] = "cpu"\nx = x.to(run["device"])',
    'run = {"device": "cuda"}\nx = x.to(run["device"] if torch.cuda.is_available() else "cpu")',
    'run = {"device": "cuda"}\nif torch.cuda.is_available():\n    x = x.to(run["device"])',
    'run = {"device": "cuda"}\nrun = load()\nx = x.to(run["device"])',
    'run = send(device="cuda")\nx = x.to(run["device"])',
    'runs = [{"device": "cuda"}]\nx = x.to(runs[0]["device"])',
    'DEVICES = [torch.device("cpu")] + [torch.device("cuda")] * torch.cuda.is_available()',
    'DEVICES = ("cpu",) + torch.cuda.is_available() * (torch.device("cuda"),)',
    'parser.add_argument("--device", default=torch.device("cuda"))',
    'fake_tensor = make()\nfake_tensor.device = "cuda:0"',
    'x = MagicMock()\nx.device = "cuda"',
    'x = mock.Mock()\nx.model.device = torch.device("cuda")',
    'mock_device = torch.device("cuda")',
    'pick.return_value = torch.device("cuda")',
    'x = MagicMock(device=torch.device("cuda"))',
    'monkeypatch.setattr(module, "device", torch.device("cuda"))',
    'with mock.patch.object(module, "device", torch.device("cuda")):\n    pass',
    'present = torch.cuda.is_available()\nif present:\n    device = "cuda"',
    'def _place():\n    device = "cuda"\n    return device\n@require_cuda\ndef test():\n    _place()',
    'pytestmark = pytest.mark.skipif(not torch.cuda.is_available())\nDEVICE = "cuda"\ndef test():\n    f(DEVICE)',
    'DEVICE = "cuda"\ndef _make():\n    return f(DEVICE)\n@require_cuda\ndef test():\n    _make()',
    'if backend == "nccl":\n    device = "cuda"',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


def test_a_device_of_more_than_repeated_lists() -> None:
    assert found(CODE, 'import torch\nDEVICES = [torch.device("cuda")] * torch.cuda.is_available()\n') == ()
    assert found(CODE, 'import torch\nDEVICES = [torch.device("cuda")] * 2\n')


def test_a_device_of_more_than_skipped_tests() -> None:
    before = (
        'import torch\nDEVICE = "cuda"\n@require_cuda\ndef test_a():\n    f(DEVICE)\ndef test_b():\n    f(DEVICE)\n'
    )
    assert found(CODE, before)


@pytest.mark.parametrize(
    ("last", "is_found"),
    [("", False), ("x = torch.ones(2, device=device)\n", True), ("    score(2)\nelse:\n    score(1)\n", True)],
)
def test_a_device_of_a_script_that_ends_without_cuda(last: str, is_found: bool) -> None:
    text = (
        "import sys\nimport torch\n\ndevice = 'cuda'\n\n\ndef main():\n    if not torch.cuda.is_available():\n"
        "        sys.exit(1)\n    score(torch.ones(2, device=device))\n\n\ndef score(x):\n    return x.to(device)\n\n\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    assert bool(found(CODE, text + last)) is is_found
    assert found(CODE, text.replace("if __name__ == '__main__':\n    main()\n", ""))


def test_a_device_of_more_than_fake_tensors() -> None:
    head = "import torch\nfrom torch._subclasses import FakeTensorMode\ndevice = torch.device('cuda')\n"
    fake = "with FakeTensorMode():\n    x = torch.ones(2, device=device)\n"
    assert found(CODE, head + fake) == ()
    assert places(CODE, f"{head}{fake}y = torch.ones(2, device=device)\n{MAIN}") == [(3, "safe")]
    assert places(CODE, f"{head}{fake}    x.to(device)\n{MAIN}") == [(3, "safe")]


def test_no_torch() -> None:
    assert found(CODE, 'device = "cuda"\n') == ()
    assert found(CODE, 'import jax\ndevice = jax.device("cuda")\n') == ()


def test_other_names_of_torch() -> None:
    check(
        CODE,
        'import torch as th\n\ndef f():\n    device = th.device("cuda")\n',
        'import torch as th\n\ndef f():\n    device = th.device("cuda" if th.cuda.is_available() else "cpu")\n',
        "safe",
    )
    check(
        CODE,
        'from torch import device\n\ndef f():\n    return device("cuda")\n',
        "import torch\nfrom torch import device\n\n"
        'def f():\n    return device("cuda" if torch.cuda.is_available() else "cpu")\n',
        "safe",
    )


def test_library_module() -> None:
    text = """
        import torch
        device = "cuda"
        class A:
            device = "cuda"
            def f(self):
                self.device = "cuda"
    """
    assert places(CODE, text) == [(2, "unsafe"), (4, "unsafe"), (6, "safe")]
    assert fixed(CODE, text, unsafe=False).count("is_available") == 1


def test_visible_devices_set_later() -> None:
    text = """
        import os
        import torch

        device = torch.device("cuda")
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        net.to(device)
    """
    assert places(CODE, text) == [(4, "unsafe")]


@pytest.mark.parametrize(
    ("start", "device", "kind"),
    [
        ("Pool(2)", 'device = torch.device("cuda")', "unsafe"),
        ("Pool(2)", 'run(torch.device("cuda"))', "unsafe"),
        ("get_context('spawn').Pool(2)", 'device = torch.device("cuda")', "safe"),
        ("ThreadPool(2)", 'device = torch.device("cuda")', "safe"),
    ],
)
def test_a_program_that_forks_asks_for_nothing_at_its_top(start: str, device: str, kind: str) -> None:
    """Where nothing has asked for CUDA yet, the processes that it forks can use it."""
    head = "import torch\nfrom multiprocessing import Pool, get_context\nfrom multiprocessing.pool import ThreadPool\n"
    text = f"{head}net = make()\n{device}\n{MAIN}    {start}.map(work, [1])\n"
    assert places(CODE, text) == [(5, kind)]


@pytest.mark.parametrize(
    ("line", "device"),
    [("device = {}", "device"), ("DEFAULTS = {{'device': {}}}\ncfg = dict(DEFAULTS)", "cfg['device']")],
)
def test_torch_by_the_star_import_of_an_unknown_library(line: str, device: str) -> None:
    before = f"from zoo.imports import *\n\n{line.format(repr('cuda:0'))}\nx = torch.zeros(2).to({device})\n"
    with_torch, without = before, before.replace("torch.", "")
    check(CODE, with_torch, with_torch.replace("'cuda:0'", f"'cuda:0' {IF} 'cpu'"), "safe")
    assert found(CODE, without) == ()


FORKED = """import torch
from multiprocessing import Pool


def score(net, texts):
    return Pool(2).map(len, texts)


def train(net, texts):
    return score(net.train(), texts)


{above}if __name__ == "__main__":
    device = torch.device("cuda")
    print("starts"){between}
    net = torch.nn.Linear(2, 2){move}
    print(train(net, ["a", "b"]))
"""


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ({}, "safe"),
        ({"move": "\n    x = torch.ones(2, device=device)"}, "safe"),
        ({"move": ""}, "unsafe"),
        ({"move": ".to(device) if len(score) else None"}, "unsafe"),
        ({"move": "\n    place = lambda: net.to(device)"}, "unsafe"),
        ({"move": "\n    if net:\n        net.to(device)"}, "unsafe"),
        ({"between": "\n    score(None, [])"}, "unsafe"),
        ({"between": "\n    train(None, [])"}, "unsafe"),
        ({"between": "\n    Pool(2).map(len, [])"}, "unsafe"),
        ({"above": "score(None, [])\n\n"}, "unsafe"),
    ],
)
def test_a_program_that_uses_its_device_before_it_forks_may_ask(parts: dict[str, str], kind: str) -> None:
    text = FORKED.format(**{"above": "", "between": "", "move": ".to(device)", **parts})
    assert [one for _, one in places(CODE, text)] == [kind]


def test_a_function_that_uses_its_device_before_it_forks_may_ask() -> None:
    head = "import torch\nfrom multiprocessing import Pool\n\n\ndef main(net, texts):\n"
    text = f'{head}    device = torch.device("cuda")\n{{}}    return net, Pool(2).map(len, texts)\n'
    assert [one for _, one in places(CODE, text.format("    net = net.to(device)\n"))] == ["safe"]
    assert [one for _, one in places(CODE, text.format("    net = net.eval()\n"))] == ["unsafe"]


def test_newlines_and_tabs() -> None:
    before = 'import torch\r\ndef f():\r\n\tdevice = "cuda"  # where\r\n'
    assert fixed(CODE, before) == before.replace('"cuda"', f'"cuda" {IF} "cpu"')


def test_targets() -> None:
    text = 'import torch\n\ndef f(x):\n    device = torch.device("cuda")\n    dev = "cuda"\n'
    accelerator = fixed(CODE, text, target=Target("accelerator", torch_min_version=(2, 6)))
    assert "device = torch.accelerator.current_accelerator() if torch.accelerator.is_available()" in accelerator
    assert "dev = torch.accelerator.current_accelerator().type if" in accelerator
    project = fixed(CODE, text, target=Target("project", "torch_device", "from testing import torch_device"))
    assert project.startswith("import torch\nfrom testing import torch_device\n")
    assert "device = torch_device\n    dev = torch_device\n" in project


def test_a_number_is_a_card_in_a_file_without_the_word_cuda() -> None:
    assert places(CODE, "import torch\n\nrun(torch.device(0))\n") == [(3, "unsafe")]


def test_a_number_alone_is_a_card_of_any_accelerator() -> None:
    text = "import torch\n\nd = torch.device(0)\nprint(torch.ones(2).to(d))\n"
    (finding,) = found(CODE, text)
    assert finding.message == "`torch.device(0)` needs an accelerator on every machine"
    assert finding.fix is not None and "any accelerator" in finding.fix.message
    assert fixed(CODE, text, unsafe=False) == text


ENVIRONMENT = [
    ('os.environ["OMP_NUM_THREADS"] = "1"\n', "", "from torch import nn"),
    ('os.environ["CUDA_VISIBLE_DEVICES"] = "0"\nos.environ.setdefault("A", "1")  # for torch\n', "", "import torch"),
    ('os.environ.update(A="1", B="2")\n', 'name = "a"\n', "import torch"),
]


@pytest.mark.parametrize(("settings", "line", "below"), ENVIRONMENT)
def test_torch_is_imported_below_what_sets_the_environment(settings: str, line: str, below: str) -> None:
    head = f"import numpy\nimport os\n{settings}"
    tail = f"{below}{MAIN}"
    after = f'{head}import torch\n{line}DEVICE = "cuda" {IF} "cpu"\n{tail}'
    check(CODE, f'{head}{line}DEVICE = "cuda"\n{tail}', after, "safe")


def test_the_accelerator_that_the_program_has_is_given_to_functions() -> None:
    device = (
        'device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")'
    )
    before = f'import torch\n\n{device}\nbuild(torch.device("cuda"))\n'
    target = Target("accelerator", torch_min_version=(2, 6))
    check(CODE, before, f"import torch\n\n{device}\nbuild(device)\n", "safe", target=target)


def test_the_card_of_any_accelerator_is_no_card_of_cuda() -> None:
    text = "import torch\n\nrun(torch.device(torch.accelerator.current_device_index()))\n"
    assert found(CODE, text) == found("DEV106", text) == ()


BRANCH = """import torch
def main(rank):
    if rank < 0:
        device = torch.device("cuda")
    else:
        torch.cuda.set_device(rank)
        device = torch.device({device})
        torch.distributed.init_process_group(backend="nccl")
    return device
"""


def test_where_nccl_is_started_another_device_would_not_help() -> None:
    text = BRANCH.format(device='"cuda"')
    literal, choice = '"cuda")', f'"cuda" {IF} "cpu")'
    check(CODE, text, text.replace(literal, choice, 1), "safe", "none")
    other = text.replace("nccl", "gloo")
    check(CODE, other, other.replace(literal, choice), "safe", "safe")


def test_a_device_for_nccl_is_for_cuda() -> None:
    text = 'import torch\n\ngroup._register_backend(torch.device("cuda"), ProcessGroup.BackendType.NCCL, backend)\n'
    assert found(CODE, text) == ()
    assert found(CODE, text.replace("NCCL", "GLOO")) != ()


def test_one_definition_for_all_that_a_function_places() -> None:
    text = """
        import torch


        def run(net, text):
            offload(text, onload=torch.device("cuda"))
            net.to("cuda")
    """
    after = devlint.fix(textwrap.dedent(text), target="accelerator", isolated=True).text
    assert after.count("torch.accelerator.current_accelerator()") == 1
    assert "onload=device)" in after
    assert "net.to(device)" in after


IS_THERE = f'torch.device("cuda" {IF} "cpu")'
SCRIPT = 'import torch\nfrom own import build, net\n\n{}net = build(torch.device("cuda"{}))\n{}net.run()\n'
GIVEN = [
    ("", "", "net.cuda()\n", "build(device)"),
    (f"device = {IS_THERE}\n", "", "net.to(device)\n", "build(device)"),
    (f"device = {IS_THERE}\n", "", "", "build(device)"),
    ("", ', 1 if True else "x"', "net.cuda()\n", "build(torch.device("),
    (f"device = {IS_THERE}.type\n", "", "net.to(device)\n", f"build({IS_THERE})"),
    ("device = pick()\n", "", "net.to(device)\n", f"build({IS_THERE})"),
]


def _fixed_all(text: str) -> str:
    return devlint.fix(text, select=["DEV101", CODE], isolated=True).text


@pytest.mark.parametrize(("above", "more", "below", "expected"), GIVEN)
def test_a_function_is_given_the_device_that_the_program_has(above: str, more: str, below: str, expected: str) -> None:
    assert expected in _fixed_all(SCRIPT.format(above, more, below))


BRANCHES = """import torch


def run(teach, distill, fuse):
    if teach:
        return distill(3, torch.device("cuda"))
    return fuse({})
"""


@pytest.mark.parametrize(("given", "count"), [('torch.device("cuda")', 1), ('torch.device("cuda").type', 0)])
def test_one_definition_for_all_that_a_function_hands_on(given: str, count: int) -> None:
    after = _fixed_all(BRANCHES.format(given))
    assert after.count("    device = torch.device(") == count
    assert after.count(IF) == 1


CLASS = """import torch
from own import build


class Runner:
    def set_up(self):
        device = torch.device("cuda")
        self.net = build(device)


def load(path):
    {}


def read(path):
    return torch.ones(path).cuda()
"""


def test_the_function_that_others_ask_gives_a_device_too() -> None:
    text = _fixed_all(CLASS.format("return build(path).cuda()"))
    assert text.count("is_available") == 1
    assert "        device = get_device()\n" in text
    assert _fixed_all(text) == text
    assert f"        device = {IS_THERE}\n" in _fixed_all(CLASS.format("return build(path)"))


def test_a_function_of_the_file_that_gives_the_device() -> None:
    own = f"def pick():\n    return {IS_THERE}\n\n\n"
    text = CLASS.format("pass").replace("class", own + "class", 1)
    assert "        device = pick()\n" in fixed(CODE, text)
    other = text.replace('"cpu")', '"mps")')
    assert f"        device = {IS_THERE}\n" in fixed(CODE, other)
    card = text.replace('device("cuda")', 'device("cuda:0")')
    assert "device = pick()" not in fixed(CODE, card)


_PARSER = "import argparse\nimport torch\nparser = argparse.ArgumentParser()\nparser.add_argument({})\n{}"
_PARSED = "args = parser.parse_args()\n"
_ASKS = "torch.cuda.is_available()"

DEFAULT_CHOICES = [
    ("'--cpu', action='store_true'", "'cpu' if args.cpu else 'cuda'", f"'cpu' if args.cpu or not {_ASKS} else 'cuda'"),
    (
        "'--no-cuda', action='store_true'",
        "'cuda' if not args.no_cuda else 'cpu'",
        f"'cuda' if not args.no_cuda and {_ASKS} else 'cpu'",
    ),
    ("'--cuda', default=True", "'cuda' if args.cuda else 'cpu'", f"'cuda' if args.cuda and {_ASKS} else 'cpu'"),
    (
        "'--gpu', type=int, default=0",
        "'cuda:0' if args.gpu >= 0 else 'cpu'",
        f"'cuda:0' if args.gpu >= 0 and {_ASKS} else 'cpu'",
    ),
    (
        "'--cpu', action='store_true'",
        "'cuda' if args.other or not args.cpu else 'cpu'",
        f"'cuda' if (args.other or not args.cpu) and {_ASKS} else 'cpu'",
    ),
    (
        "'--gpu', type=int, default=0",
        "'cuda:%d' % args.gpu if args.gpu >= 0 else 'cpu'",
        f"'cuda:%d' % args.gpu if args.gpu >= 0 and {_ASKS} else 'cpu'",
    ),
    (
        "'--gpu', default='0'",
        "'cuda:' + args.gpu if args.gpu != '-1' else 'cpu'",
        f"'cuda:' + args.gpu if args.gpu != '-1' and {_ASKS} else 'cpu'",
    ),
    (
        "'--gpu', type=int, default=0",
        "'cuda:{}'.format(args.gpu) if args.gpu != '-1' else 'cpu'",
        f"'cuda:{{}}'.format(args.gpu) if args.gpu != '-1' and {_ASKS} else 'cpu'",
    ),
    (
        "'--use', default='gpu', choices=['cpu', 'gpu']",
        "'cpu' if args.use == 'cpu' else 'cuda'",
        f"'cpu' if args.use == 'cpu' or not {_ASKS} else 'cuda'",
    ),
]


@pytest.mark.parametrize(("option", "before", "after"), DEFAULT_CHOICES)
@pytest.mark.parametrize("place", ["device = {}", "x = torch.ones(1).to({})", "place = torch.device({})"])
def test_a_choice_that_options_decide_for_cuda(option: str, before: str, after: str, place: str) -> None:
    text = _PARSER.format(option, _PARSED) + place + "\n"
    assert fixed(CODE, text.format(before)) == text.format(after)


DEFAULT_BRANCHES = [
    ("'--cpu', action='store_true'", "args.cpu", f"args.cpu or not {_ASKS}", "device = 'cpu'", "device = 'cuda'"),
    (
        "'--gpu', type=int, default=0",
        "args.gpu >= 0",
        f"args.gpu >= 0 and {_ASKS}",
        "torch.cuda.set_device(args.gpu)\n    device = torch.device(f'cuda:{args.gpu}')",
        "print('slow')\n    device = torch.device('cpu')",
    ),
    ("'--gpu', default=True", "(args.gpu)", f"(args.gpu) and {_ASKS}", "place = torch.device('cuda')", "place = 'cpu'"),
]


@pytest.mark.parametrize(("option", "test", "after", "body", "other"), DEFAULT_BRANCHES)
def test_branches_that_options_decide_for_cuda(option: str, test: str, after: str, body: str, other: str) -> None:
    options, branches = _PARSER.format(option, _PARSED), f":\n    {body}\nelse:\n    {other}\n"
    assert fixed(CODE, f"{options}if {test}{branches}") == f"{options}if {after}{branches}"


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("assert torch.cuda.is_available()\n    device = 'cuda'", "device = 'cpu'"),
        ("device = 'cuda'", "device = 'cpu'\n    raise SystemExit('CUDA only')"),
        ("name = 'cuda'", "name = 'cpu'"),
        ("device = 'cuda'", "device = 'mps'"),
        ("device = 'cuda'", "other_device = 'cpu'"),
        ("device = 'cuda'\n    device = find()", "device = 'cpu'"),
        ("device = 'cuda'", "device = find()"),
    ],
)
def test_branches_that_are_no_choice_of_a_device(body: str, other: str) -> None:
    text = _PARSER.format("'--gpu', default=True", _PARSED) + f"if args.gpu:\n    {body}\nelse:\n    {other}\n"
    assert "unless the user" not in str(found(CODE, text)) and f"if args.gpu and {_ASKS}" not in fixed(CODE, text)


def test_a_flag_that_is_the_opposite_of_an_option() -> None:
    text = _PARSER.format("'--no-cuda', action='store_true'", f"{_PARSED}args.cuda = not args.no_cuda\n")
    before = "device = torch.device('cuda') if args.cuda else torch.device('cpu')\n"
    after = f"device = torch.device('cuda') if args.cuda and {_ASKS} else torch.device('cpu')\n"
    assert fixed(CODE, text + before) == text + after


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("'--cuda', action='store_true'", "device = 'cuda' if args.cuda else 'cpu'"),
        ("'--cpu', default=True", "device = 'cpu' if args.cpu else 'cuda'"),
        ("'--use', default='cpu'", "device = 'cuda' if args.use == 'gpu' else 'cpu'"),
        ("'--gpu', default='-1'", "device = 'cuda:' + args.gpu if args.gpu != '-1' else 'cpu'"),
        ("'--gpu'", "device = 'cuda:' + args.gpu if args.gpu != '-1' else 'cpu'"),
        ("'--gpu', default='10'", "device = 'cuda:' + args.gpu if args.gpu < '2' else 'cpu'"),
        ("'--cpu', action='store_true'", "device = 'mps' if args.cpu else 'cuda'"),
        ("'--cpu', action='store_true'", "name = 'cpu' if args.cpu else 'cuda'"),
        ("'--cpu', action='store_true'", "device = 'cpu' if args.cpu or other else 'cuda'"),
        ("'--cpu', action='store_true'", "args.cpu = args.cpu or ask()\ndevice = 'cpu' if args.cpu else 'cuda'"),
        ("'--no-cuda', action='store_true'", f"device = 'cuda' if not args.no_cuda and {_ASKS} else 'cpu'"),
        (
            "'--no-cuda', action='store_true'",
            f"args.cuda = not args.no_cuda and {_ASKS}\ndevice = 'cuda' if args.cuda else 'cpu'",
        ),
    ],
)
def test_a_choice_that_is_the_users_or_asks(option: str, line: str) -> None:
    assert found(CODE, _PARSER.format(option, _PARSED) + line + "\n") == ()


def test_a_choice_by_an_option_of_another_file(tmp_path: Path) -> None:
    options = _PARSER.format("'--cpu', action='store_true'", _PARSED)
    model = "import torch\n\n\nclass Model:\n    def __init__(self, args):\n        self.cpu = args.cpu\n"
    before = f"{model}        self.device = torch.device('cpu' if args.cpu else 'cuda')\n"
    write_files(tmp_path, {"pyproject.toml": "", "options.py": options, "model.py": before})
    after = fix_files(tmp_path)["model.py"]
    assert f"torch.device('cpu' if args.cpu or not {_ASKS} else 'cuda')" in after
    write_files(tmp_path, {"main.py": "from options import args\nargs.cpu = ask()\n", "model.py": before})
    assert "model.py" not in fix_files(tmp_path)


def test_a_flag_that_another_script_sets_for_its_own_options(tmp_path: Path) -> None:
    text = _PARSER.format("'--no-cuda', action='store_true'", f"{_PARSED}args.cuda = not args.no_cuda\n")
    before = f"{text}device = torch.device('cuda' if args.cuda else 'cpu')\n"
    write_files(tmp_path, {"one.py": before, "two.py": before})
    changed = fix_files(tmp_path)
    assert [f"args.cuda and {_ASKS}" in changed[one] for one in ("one.py", "two.py")] == [True, True]
    write_files(tmp_path, {"two.py": "from one import args\nargs.cuda = ask()\n"})
    assert fix_files(tmp_path) == {}


COPIED = """import copy
import torch

run = {{"device": {}, "rate": 0.1}}


def given(settings, more=None):
    if more is None:
        return settings
    own = dict(settings)
    own.update(more)
    return own


own = {}
x = torch.ones(2).to(own["device"])
"""


@pytest.mark.parametrize(
    "made",
    [
        "run",
        "dict(run)",
        '{"size": 3, **run}',
        "run.copy()",
        "copy.copy(run)",
        "copy.deepcopy(run)",
        "given(run)",
        "given(settings=run)",
        "given(dict(run), 3)",
    ],
)
def test_settings_that_are_copied_before_something_is_placed_by_them(made: str) -> None:
    assert fixed(CODE, COPIED.format('"cuda"', made)) == COPIED.format(f'"cuda" {IF} "cpu"', made)


@pytest.mark.parametrize(
    "made",
    [
        '{**run, "device": d}',
        "load(run)",
        "given(3, run)",
        "given(*run)",
        "run.copy(3)",
        'run.copy()\nown["device"] = d',
        "run.copy()\nown = load()",
        "run.copy()\nown.device = 3\nown = [own]",
    ],
)
def test_settings_that_become_something_else(made: str) -> None:
    assert found(CODE, COPIED.format('"cuda"', made)) == ()


_CHOOSES = "import torch\n\ndef f(x, {}):\n    device = 'cuda:0' if {} else 'cpu'\n    return x.to(device)\n"


@pytest.mark.parametrize(
    ("parameter", "test", "calls", "is_found"),
    [
        ("cuda=True", "cuda", "", True),
        ("cuda=True", "cuda", "f(1)", True),
        ("cuda=True", "cuda", "f(1)\nf(2, ask())", True),
        ("cuda", "cuda", "f(1, True)", True),
        ("cards", "len(cards) > 0", "f(1, [int(one) for one in args.cards.split(',')])", False),
        ("cuda=True", "cuda", "f(1, cuda=torch.cuda.is_available())", False),
        ("cuda=True", "cuda", "f(1, False)", False),
        ("cuda=False", "cuda", "", False),
        ("cuda=None", "cuda", "", False),
        ("cuda", "cuda", "", False),
        ("cuda", "cuda", "f(1, True)\nf(2, False)", False),
        ("cuda", "cuda", "f(*given)", False),
        ("cuda=True", "cuda and torch.cuda.is_available()", "", False),
    ],
)
def test_a_choice_that_a_parameter_decides_for_cuda(parameter: str, test: str, calls: str, is_found: bool) -> None:
    text = _CHOOSES.format(parameter, test)
    after = _CHOOSES.format(parameter, f"{test} and {_ASKS}") if is_found else text
    assert fixed(CODE, f"{text}\n{calls}\n") == f"{after}\n{calls}\n"


def test_a_choice_by_the_cards_that_the_callers_option_names() -> None:
    options = _PARSER.format("'--cards', default='0'", _PARSED)
    text = f"{options}\ndef f(x, cards):\n    device = f'cuda:{{cards[0]}}' if len(cards) > 0 else 'cpu'\n    return x.to(device)\n"
    calls = "cards = [int(one) for one in args.cards.split(',')]\nf(1, cards)\n"
    assert fixed(CODE, text + calls) == text.replace("> 0", f"> 0 and {_ASKS}") + calls


TOLD = """import torch
from unittest import TestCase
from planner import Topology


class TestPlanner(TestCase):
    def setUp(self):
        device = {made}
        {used}

    def test_plan(self):
        assert self.topology.plan()
"""
TOLD_CASES = [
    ('"cuda"', "self.topology = Topology(2, compute_device=device)", "unsafe"),
    ('torch.device("cuda:0")', "self.topology = Topology(2, device)", "unsafe"),
    ('"cuda"', "self.topology = Topology(2, device, torch.zeros(2, device=device))", "safe"),
    ('torch.device("cuda")', "self.topology = Topology(2).to(device)", "safe"),
]


@pytest.mark.parametrize(("made", "used", "safety"), TOLD_CASES)
def test_a_device_that_a_test_only_hands_on_may_be_data(made: str, used: str, safety: str) -> None:
    assert places(CODE, TOLD.format(made=made, used=used)) == [(8, safety)]


def test_what_is_no_test_hands_on_where_to_put_something() -> None:
    text = TOLD.replace("test_plan", "plan").format(made='"cuda"', used="self.topology = Topology(2, device)")
    assert places(CODE, text) == [(8, "safe")]


@pytest.mark.parametrize(("body", "safety"), [("return torch.ones(2).to(device)", "safe"), ("return device", "unsafe")])
def test_a_function_of_the_project_says_whether_a_test_has_a_device_for_data(
    tmp_path: Path, body: str, safety: str
) -> None:
    text = (
        'import torch\nfrom planner import make\n\n\ndef test_plan():\n    device = "cuda"\n    assert make(device)\n'
    )
    planner = f"import torch\n\n\ndef make(device):\n    {body}\n"
    write_files(tmp_path, {"test_planner.py": text, "planner.py": planner})
    after = fix_files(tmp_path, unsafe=False).get("test_planner.py", text)
    assert ("is_available" in after) is (safety == "safe")


DATA = """
import torch
from planner import block, sort_keys


def test_plan(model=None):
    found = {call}{more}
    assert found.index == 2
"""
DATA_CASES = [
    ('block(0, device=torch.device("cuda"))', "", "unsafe"),
    ('sort_keys([torch.device("cuda"), torch.device("cuda:0")], [0])[0]', "", "unsafe"),
    ('block(torch.device("cuda:0"))', "\n    torch.zeros(2)", "unsafe"),
    ('block(torch.device("cuda:0"))', "\n    model.cuda()", "safe"),
    ('block(torch.device("cuda"))', '\n    torch.zeros(2, device="cuda")', "safe"),
    ('block(torch.device("cuda"))', '\n    model.to("cuda")', "safe"),
]


@pytest.mark.parametrize(("call", "more", "safety"), DATA_CASES)
def test_a_device_is_data_in_a_test_that_puts_nothing_on_one(call: str, more: str, safety: str) -> None:
    assert {one for _, one in places(CODE, DATA.format(call=call, more=more))} == {safety}
    helper = DATA.replace("def test_plan", "def plan").format(call=call, more=more)
    assert {one for _, one in places(CODE, f"{helper}\n\ndef test_all():\n    plan()\n")} == {"safe"}
    cards = DATA.replace("cuda:0", "cuda:7").format(call=call, more=more)
    assert {one for _, one in places("DEV106", cards)} <= {safety}


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("return device == x.device", False),
        ("return x.device.type in (device, 'cpu')", False),
        ("return LIMITS[device]", False),
        ("return {device, torch.device('cpu')}", False),
        ("return {device: 3}", False),
        ("return f'{device}-graph'", False),
        ("print(device, device.type)", False),
        ("assert device == x.device", False),
        ("return x.to(f'{device}:0')", True),
        ("return 3 if device == x.device else 4", True),
        ("if device.type == 'cuda': x = x.cuda()", True),
        ("print(device, x.to(device))", True),
        ("return place(x, device)", True),
        ("return device", True),
    ],
)
@pytest.mark.parametrize(
    "head", ["def f(x):\n    device = torch.device('cuda')\n    ", "def f(x, device=torch.device('cuda')):\n    "]
)
def test_a_name_that_is_only_compared_looked_up_or_printed(head: str, line: str, is_found: bool) -> None:
    text = f"import torch\n\n{head}{line}\n"
    code = CODE if "device = " in head else "DEV104"
    assert (len(found(code, text)) == 1) is is_found


def test_what_others_may_import_is_no_data() -> None:
    text = "import torch\n\ndevice = torch.device('cuda')\n\n\ndef f(x):\n    return x.device == device\n{}"
    assert len(found(CODE, text.format(""))) == 1
    assert found(CODE, text.format("\n\nprint(f(torch.ones(1)))\n")) == ()


def test_members_of_an_enum_and_sets_of_devices() -> None:
    kinds = (
        "class Kind(Enum):\n    GPU = torch.device('cuda')\n    BOTH = (torch.device('cuda'), torch.device('cpu'))\n"
    )
    assert found(CODE, f"import torch\nfrom enum import Enum\n\n{kinds}") == ()
    assert found(CODE, "import torch\n\nKINDS = {torch.device('cuda'), torch.device('cpu')}\n") == ()
    assert len(found(CODE, "import torch\n\nKINDS = [torch.device('cuda'), torch.device('cpu')]\n")) == 1


def test_what_skips_without_cuda_keeps_skipping() -> None:
    skipped = 'if device.type == "cuda" and not torch.cuda.is_available():\n    exit({})\n'
    text = f"import torch\n\ndevice = torch.device('cuda')\n{skipped}print(torch.ones(2, device=device))\n"
    assert fixed(CODE, text.format(0), unsafe=False) == text.format(0)
    assert fixed(CODE, text.format(1), unsafe=False) != text.format(1)


def test_a_class_that_says_cuda_where_its_base_says_cpu_is_the_twin_for_cuda() -> None:
    code = (
        "import torch\n\nclass Sums:\n    device = DEVICE\n\n    def test(self):\n        torch.ones(2, device=self.device)\n"
        "\nclass FastSums(Sums):\n    device = 'cuda'\n"
    )
    assert found(CODE, code.replace("DEVICE", "'cpu'")) == ()
    assert len(found(CODE, code.replace("DEVICE", "None"))) == 1
