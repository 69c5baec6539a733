from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.guards.cuda_conditions import (
    condition_text,
    flag_polarity,
    implies_cuda,
    is_repeatable,
    is_strict_flag,
)
from devlint.analysis.guards.guards import is_guarded
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source

# There is CUDA where these are true.
CUDA = """
torch.cuda.is_available()
torch.cuda.is_available() == True
torch.cuda.is_available() is not False
torch.accelerator.is_available()
torch.cuda.device_count()
torch.cuda.device_count() > 0
torch.cuda.device_count() >= 1
torch.cuda.device_count() != 0
cuda
CUDA
use_cuda
USE_CUDA
self.use_cuda
cuda_available
args.cuda
args["cuda"]
args.gpu
gpu_ids
len(gpu_ids)
len(gpus) > 0
n_gpu
n_gpu > 0
gpu >= 0
gpu > -1
gpu != -1
gpu is not None
bool(use_cuda)
str2bool(args.cuda)
has_gpu()
not no_cuda
not args.cpu
no_cuda is False
no_cuda == False
no_cuda is not True
no_cuda != True
use_cuda is True
use_cuda is not False
(use_cuda)
not (not use_cuda)
use_cuda and other
use_cuda or torch.cuda.is_available()
not (no_cuda or other)
x.is_cuda
device == "cuda"
"cuda" == device
device.type == "cuda"
x.device.type == "cuda"
args.device == "cuda:0"
device != "cpu"
device.type != "cpu"
device != torch.device("cpu")
device == torch.device("cuda")
"cuda" in device
"cuda" in str(device)
str(device).startswith("cuda")
device.type.startswith("cuda")
"""

# There is CUDA where these are false.
NO_CUDA = """
not torch.cuda.is_available()
torch.cuda.is_available() is False
torch.cuda.device_count() == 0
torch.cuda.device_count() < 1
no_cuda
args.no_cuda
disable_cuda
use_cpu
force_cpu
no_cuda is True
use_cuda is False
use_cuda is None
gpu is None
gpu < 0
gpu == -1
len(gpu_ids) == 0
not use_cuda or other
not (use_cuda and other)
not x.is_cuda
device == "cpu"
device.type.startswith("cpu")
"""

# These say nothing.
NEITHER = """
True
x
other
use_cuda or other
not (use_cuda or other) and other
no_cuda and other
torch.cuda.is_available
torch.cuda.device_count() == 1
no_cuda is None
use_cuda != no_cuda
device
device is not None
device_id
mode == "cuda"
device == "mps"
device in ("cuda", "mps")
name.startswith("cuda")
device.startswith(prefix)
config.get("cuda")
1 < x < 2
"""


def expression(text: str) -> tuple[FileContext, cst.BaseExpression]:
    ctx = FileContext(source(f"import torch\nif {text}: pass\n"))
    return ctx, ctx.tree.of_type(cst.If)[0].test


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, (True, False)) for text in lines(CUDA)),
        *((text, (False, True)) for text in lines(NO_CUDA)),
        *((text, (False, False)) for text in lines(NEITHER)),
    ],
)
def test_implies_cuda(text: str, expected: tuple[bool, bool]) -> None:
    ctx, test = expression(text)
    assert (implies_cuda(ctx, test), implies_cuda(ctx, test, False)) == expected
    ctx, test = expression(f"not ({text})")
    assert (implies_cuda(ctx, test), implies_cuda(ctx, test, False)) == expected[::-1]


@pytest.mark.parametrize(
    ("text", "strict"),
    [
        ("use_cuda", True),
        ("not args.no_cuda", True),
        ("no_cuda is False", True),
        ("use_cuda and torch.cuda.is_available()", True),
        ("use_cuda or args.gpu", True),
        ("gpu >= 0", True),
        ("gpu is not None", True),
        ("len(gpus) > 0", True),
        ("use_cuda and other", False),
        ("other", False),
        ("x.is_cuda", False),
        ('device.type == "cuda"', False),
        ('str(device).startswith("cuda")', False),
        ("torch.cuda.device_count()", False),
        ("torch.cuda.device_count() > 1", False),
        ("len(gpus) > 1", False),
    ],
)
def test_is_strict_flag(text: str, strict: bool) -> None:
    assert is_strict_flag(*expression(text)) is strict


@pytest.mark.parametrize(
    ("text", "repeatable"),
    [
        ("use_cuda", True),
        ("args.cuda", True),
        ('args["cuda"]', True),
        ("not use_cuda", True),
        ("use_cuda and torch.cuda.is_available()", True),
        ("torch.cuda.device_count() > 0", True),
        ("len(gpus) > 0", True),
        ("bool(use_cuda)", True),
        ("has_gpu()", False),
        ("str2bool(args.cuda)", False),
        ("len(read())", False),
        ("args[i()]", False),
        ("torch.cuda.is_available(x)", False),
        ("(use_cuda := x)", False),
    ],
)
def test_is_repeatable(text: str, repeatable: bool) -> None:
    assert is_repeatable(*expression(text)) is repeatable


@pytest.mark.parametrize(
    ("text", "positive", "negative"),
    [
        ("use_cuda", "use_cuda", "not use_cuda"),
        ("not use_cuda", "not use_cuda", "use_cuda"),
        ("has_gpu()", "has_gpu()", "not has_gpu()"),
        ("a and b", "a and b", "not (a and b)"),
        ("not (a and b)", "not (a and b)", "a and b"),
        ("(\n  a   and\n  b\n)", "a and b", "not (a and b)"),
        ("gpu  >=  0", "gpu >= 0", "gpu < 0"),
        ("gpu is None", "gpu is None", "gpu is not None"),
        ("not gpu is None", "gpu is not None", "gpu is None"),
        ("0 <= gpu < 8", "0 <= gpu < 8", "not (0 <= gpu < 8)"),
        ("gpu > 0", "gpu > 0", "not (gpu > 0)"),
        ("a and \\\n b", "a and b", "not (a and b)"),
    ],
)
def test_condition_text(text: str, positive: str, negative: str) -> None:
    ctx, test = expression(text)
    assert (condition_text(ctx, test), condition_text(ctx, test, False)) == (positive, negative)


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("cuda", True),
        ("_use_gpu", True),
        ("opt.with_cuda", True),
        ("do_cuda", True),
        ("gpu_available", True),
        ("no_gpu", False),
        ("without_cuda", False),
        ("cpu_only", False),
        ('opts["cpu"]', False),
        ("is_cuda", None),
        ("cudnn", None),
        ("gpu_id", None),
        ("barracuda", None),
        ("opts[i]", None),
        ("opts[0, 1]", None),
        ("f()", None),
    ],
)
def test_flag_polarity(text: str, polarity: object) -> None:
    assert flag_polarity(expression(text)[1]) is polarity


COUNTED = [
    'for i in range(torch.cuda.device_count()):\n    x.to(f"cuda:{i}")',
    'for i in range(1, torch.cuda.device_count()):\n    x.to(f"cuda:{i}")',
    'n = torch.cuda.device_count()\nfor i in range(n):\n    x.to(f"cuda:{i}")',
    'ys = [x.to(f"cuda:{i}") for i in range(torch.cuda.device_count())]',
]
UNCOUNTED = [
    'for i in range(2):\n    x.to(f"cuda:{i}")',
    'for i in range(max(1, torch.cuda.device_count())):\n    x.to(f"cuda:{i}")',
    'for i in range(torch.cuda.device_count()):\n    pass\nelse:\n    x.to(f"cuda:{i}")',
    'n = torch.cuda.device_count()\nn = 2\nfor i in range(n):\n    x.to(f"cuda:{i}")',
]


@pytest.mark.parametrize(("text", "guarded"), [(one, True) for one in COUNTED] + [(one, False) for one in UNCOUNTED])
def test_cards_that_are_counted_are_there(text: str, guarded: bool) -> None:
    ctx = FileContext(source(f"import torch\n{text}\n"))
    assert is_guarded(ctx, ctx.tree.of_type(cst.FormattedString)[0]) is guarded
