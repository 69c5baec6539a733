from __future__ import annotations

import ast

import libcst as cst
import pytest

from devlint.analysis.guards.conditions import HasCuda, Names
from devlint.analysis.guards.implications import flag_polarity, implies_cuda
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.python_terms import python_term
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
torch.cuda.device_count() == 1
get_num_gpus() > 1
utils.gpu_count() >= 2
num_gpus == 2
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
use_cuda if other else False
use_cuda if other else torch.cuda.device_count()
None if other else 0 if no_cuda else 1
has_extension_available("quanto_cuda")
is_available("cuda")
torch.cuda.device_count() >= n
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
torch.cuda.device_count() != 1
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
torch.cuda.device_count() < world_size
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
get_device_count() > 1
use_cuda if other else 1
is_available("cuda.h")
is_available("cuda", other)
torch.cuda.device_count() == n
torch.cuda.device_count() > n or other
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
    loose = HasCuda(Names())
    python = python_term(ast.parse(text, mode="eval").body)
    assert (loose.follows(python), loose.follows(python, False)) == expected
    ctx, test = expression(f"not ({text})")
    assert (implies_cuda(ctx, test), implies_cuda(ctx, test, False)) == expected[::-1]


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("cuda", True),
        ("_use_gpu", True),
        ("opt.with_cuda", True),
        ("do_cuda", True),
        ("gpu_available", True),
        ("args.cuda_condition", True),
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
