from __future__ import annotations

import libcst as cst
import pytest

from devlint.analysis.guards.condition_text import condition_text, is_repeatable, is_strict_flag
from devlint.syntax.file_context import FileContext
from tests.support.rule_cases import source


def expression(text: str) -> tuple[FileContext, cst.BaseExpression]:
    ctx = FileContext(source(f"import torch\nif {text}: pass\n"))
    return ctx, ctx.tree.of_type(cst.If)[0].test


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
        ("len(gpus) >= 1", True),
        ("args.ngpu >= 1", True),
        ("ngpu < 1", True),
        ("len(gpus) >= 2", False),
        ("ngpu == 1", False),
        ("torch.cuda.device_count() >= 1", False),
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
        ("(a # of a\n and b['#'] # the last\n)", "a and b['#']", "not (a and b['#'])"),
    ],
)
def test_condition_text(text: str, positive: str, negative: str) -> None:
    ctx, test = expression(text)
    assert (condition_text(ctx, test), condition_text(ctx, test, False)) == (positive, negative)
