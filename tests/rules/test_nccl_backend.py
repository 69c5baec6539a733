from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV505"
HEAD = "import torch\nimport torch.distributed as dist\n"
CHOICE = '"nccl" if torch.cuda.is_available() else "gloo"'
NEW = Target(torch_min_version=(2, 6))
ACCELERATOR = Target("accelerator", torch_min_version=(2, 6))
PROJECT = Target("project", "get_device()", "from lib import get_device", torch_min_version=(2, 6))

SILENT = [
    "dist.init_process_group('gloo')",
    "dist.init_process_group(backend)",
    "dist.init_process_group('cpu:gloo,xpu:xccl')",
    "dist.init_process_group('nccl' if torch.cuda.is_available() else 'gloo')",
    "dist.init_process_group('nccl' if use_cuda else 'mpi')",
    "if torch.cuda.is_available():\n    dist.init_process_group('nccl')",
    "if args.cuda:\n    dist.init_process_group('nccl')\nelse:\n    dist.init_process_group('gloo')",
    "backend = 'nccl'\nif sys.platform == 'win32':\n    backend = 'gloo'\ndist.init_process_group(backend)",
    "if dist.get_backend() == 'nccl':\n    pass",
    "print('nccl')",
    "init_process_group('nccl')",
    "parser.add_argument('--dist-backend', default='nccl', choices=['nccl', 'gloo'])",
    "parser.add_argument('--library', default='nccl')",
    "names = {'backend': 'nccl'}",
    "names = dict(backend='nccl')\nf(**names)",
    "dist.init_process_group(**{'init_method': 'nccl'})",
    "def init_nccl():\n    dist.init_process_group('nccl')",
    "try:\n    dist.init_process_group('nccl')\nexcept RuntimeError:\n    dist.init_process_group('gloo')",
    "import apex\ndist.init_process_group('nccl')",
    "dist.init_process_group('env://', init_method='nccl')",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


FIXED = [
    ('dist.init_process_group("nccl")', f"dist.init_process_group({CHOICE})"),
    ("dist.init_process_group('nccl')", "dist.init_process_group({})".format(CHOICE.replace('"', "'"))),
    (
        'torch.distributed.init_process_group(backend="nccl", rank=r)',
        f"torch.distributed.init_process_group(backend={CHOICE}, rank=r)",
    ),
    (
        'dist.init_process_group(\n    backend="nccl",  # fast\n    rank=r,\n)',
        f"dist.init_process_group(\n    backend={CHOICE},  # fast\n    rank=r,\n)",
    ),
    ('g = dist.new_group(ranks, None, "nccl")', f"g = dist.new_group(ranks, None, {CHOICE})"),
    ('g = dist.new_group(backend=("nccl"))', f"g = dist.new_group(backend=({CHOICE[:6]}){CHOICE[6:]})"),
    ('dist.init_process_group(**dict(backend="nccl"))', f"dist.init_process_group(**dict(backend={CHOICE}))"),
    (
        'how = {"backend": "nccl", "rank": r}\ndist.init_process_group(**how)',
        f'how = {{"backend": {CHOICE}, "rank": r}}\ndist.init_process_group(**how)',
    ),
    ('args.dist_backend = "nccl"', f"args.dist_backend = {CHOICE}"),
    ('BACKEND = "nccl"', f"BACKEND = {CHOICE}"),
    ('def f():\n    backend = "nccl"; return backend', f"def f():\n    backend = {CHOICE}; return backend"),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_fixed(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{before}\n", f"{HEAD}{after}\n", "unsafe")


def test_imported_function() -> None:
    check(
        CODE,
        'from torch.distributed import init_process_group\ninit_process_group("nccl")\n',
        f"import torch\nfrom torch.distributed import init_process_group\ninit_process_group({CHOICE})\n",
        "unsafe",
    )


def test_the_default_of_an_option_is_only_reported() -> None:
    text = f"{HEAD}parser.add_argument('--dist-backend', default='nccl', type=str)\n"
    assert places(CODE, text) == [(3, "none")]


DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


def test_a_device_of_the_program() -> None:
    before = f'{HEAD}{DEVICE}dist.init_process_group("nccl")\n'
    after = before.replace('"nccl"', "dist.get_default_backend_for_device(device)")
    check(CODE, before, after, "unsafe", target=NEW)
    check(CODE, before, before.replace('"nccl"', CHOICE), "unsafe")


def test_without_a_device_none_is_made_for_it() -> None:
    text = f'{HEAD}dist.init_process_group("nccl")\n'
    check(CODE, text, text.replace('"nccl"', CHOICE), "unsafe", target=NEW)


def test_accelerator() -> None:
    main = "if __name__ == '__main__':\n    dist.init_process_group('nccl')\n"
    result = fixed(CODE, f"{HEAD}{main}", target=ACCELERATOR)
    assert "device = torch.accelerator.current_accelerator() if torch.accelerator.is_available()" in result
    assert "dist.init_process_group(dist.get_default_backend_for_device(device))" in result
    assert "torch.cuda" not in result
    old = Target("accelerator", torch_min_version=(2, 5))
    assert places(CODE, f'{HEAD}dist.init_process_group("nccl")\n', old) == [(3, "none")]


def test_project() -> None:
    check(
        CODE,
        f'{HEAD}dist.init_process_group("nccl")\n',
        f"{HEAD}from lib import get_device\ndist.init_process_group(dist.get_default_backend_for_device(get_device()))\n",
        "unsafe",
        target=PROJECT,
    )
    old = Target("project", "get_device()", "from lib import get_device")
    check(CODE, f'{HEAD}dist.init_process_group("nccl")\n', f"{HEAD}dist.init_process_group({CHOICE})\n", target=old)


@pytest.mark.parametrize("backends", ["cuda:nccl,cpu:gloo", "cpu:gloo,cuda:nccl"])
def test_a_backend_for_each_device(backends: str) -> None:
    head = "import torch\nimport torch.distributed as dist\n\n"
    assert places(CODE, f'{head}dist.init_process_group("{backends}")\n') == [(4, "none")]
    guarded = f'if torch.cuda.is_available():\n    dist.init_process_group("{backends}")\n'
    assert places(CODE, head + guarded) == []
    assert places(CODE, f'{head}print("{backends}")\n') == []


def test_the_default_of_a_parameter() -> None:
    head = "import torch\nimport torch.distributed as dist\n\n\n"
    assert places(CODE, f'{head}def setup(rank, backend="nccl"):\n    dist.init_process_group(backend)\n') == [
        (5, "none")
    ]
    assert places(CODE, f'{head}def setup(rank, name="nccl"):\n    pass\n') == []


def test_a_name_that_is_only_for_groups() -> None:
    text = f'{HEAD}kind = "nccl"\ndist.init_process_group(kind)\n'
    check(CODE, text, text.replace('"nccl"', CHOICE), "unsafe")
    assert found(CODE, f"{text}print(kind)\n") == ()


def test_the_name_of_the_module() -> None:
    text = f'{HEAD}{DEVICE}backend = "nccl"\ndist.init_process_group(backend)\n'
    check(CODE, text, text.replace('"nccl"', "dist.get_default_backend_for_device(device)"), "unsafe", target=NEW)


def test_no_definition_of_the_accelerator_inside_of_a_call() -> None:
    text = f'{HEAD}class Options:\n    backend = "nccl"\n'
    assert places(CODE, text, ACCELERATOR) == [(4, "none")]
