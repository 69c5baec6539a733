"""The table of torch.accelerator against the torch that is installed; on a machine without an accelerator."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import libcst as cst
import pytest

from devlint.analysis.apis.accelerator_members import accelerator_member, is_since
from devlint.core.target import Target
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_api import (
    FAILS_WITHOUT_DEVICE,
    HARMLESS,
    INSTEAD,
    KEYWORDS_SINCE,
    MODULES_SINCE,
    RENAMED,
    SINCE,
)
from tests.support.rule_cases import source
from tests.support.torch_build import is_cuda_build

torch = pytest.importorskip("torch")
INSTALLED = tuple(int(part) for part in torch.__version__.split(".")[:2])
ARGUMENTS = {"set_device_index": (0,), "set_device_idx": (0,), "set_stream": (torch.Stream("cpu"),)}


@pytest.mark.parametrize(("name", "since"), sorted({**SINCE, **MODULES_SINCE}.items()))
def test_a_name_is_there_since_its_release(name: str, since: tuple[int, int]) -> None:
    exists = member(name) is not None
    assert exists == (since <= INSTALLED), (
        f"torch {torch.__version__} {'has' if exists else 'lacks'} torch.accelerator.{name}, "
        f"which the table says is there since {since}: correct the table, or say since when it is gone"
    )


def member(name: str) -> object:
    """What torch.accelerator has under a dotted name; None if nothing."""
    value = torch.accelerator
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def test_what_the_modules_hold_is_in_torch_accelerator_too() -> None:
    for name in ("memory", "graphs"):
        assert MODULES_SINCE[name] > INSTALLED or set(getattr(torch.accelerator, name).__all__) <= set(SINCE), name


def test_no_name_is_missing_from_the_table() -> None:
    missing = set(torch.accelerator.__all__) - set(SINCE)
    assert not missing, f"new in torch {torch.__version__}: torch.accelerator.{', '.join(sorted(missing))}"


def test_keywords_are_there_since_their_release() -> None:
    for name, (keyword, since) in KEYWORDS_SINCE.items():
        names = getattr(torch.accelerator, name).__code__.co_varnames
        assert (keyword in names) == (since <= INSTALLED), f"torch.accelerator.{name}({keyword}=…)"


@pytest.mark.parametrize("name", sorted({*RENAMED, *INSTEAD}))
def test_what_is_said_never_to_have_been_there_is_not_there(name: str) -> None:
    assert not hasattr(torch.accelerator, name), f"torch {torch.__version__} has torch.accelerator.{name}: see SINCE"
    assert RENAMED.get(name, "is_available") in SINCE


def test_what_is_said_to_be_there_instead_is_there() -> None:
    for text in INSTEAD.values():
        for name in re.findall(r"`torch\.([\w.]+)`", text):
            value = torch
            for part in name.split("."):
                value = getattr(value, part)


without_device = pytest.mark.skipif(torch.accelerator.is_available(), reason="what fails, fails without an accelerator")


@without_device
@pytest.mark.parametrize("name", sorted(FAILS_WITHOUT_DEVICE))
def test_what_fails_without_a_device(name: str) -> None:
    function = member(name)
    if SINCE[name] > INSTALLED:
        assert function is None
        return
    assert callable(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        said = failure(function, *ARGUMENTS.get(name, ()))
    words = "accelerator|driver|not supported|^$" if is_cuda_build() else "accelerator"
    assert re.search(words, said), (
        f"torch.accelerator.{name} without an accelerator in torch {torch.__version__}: {said or 'it works, see HARMLESS'}"
    )


def failure(function: Callable[..., object], *arguments: object) -> str:
    """What a RuntimeError says; empty where there is none."""
    try:
        function(*arguments)
    except RuntimeError as error:
        return str(error)
    return ""


@without_device
def test_what_does_not_fail_without_a_device() -> None:
    accelerator = torch.accelerator
    assert (accelerator.is_available(), accelerator.device_count(), accelerator.current_accelerator(True)) == (
        False,
        0,
        None,
    )
    with accelerator.device_index(None):
        entered = accelerator.device_index(0)
    with pytest.raises(RuntimeError, match="accelerator|driver"):
        entered.__enter__()
    assert {"is_available", "device_count", "current_accelerator", "device_index"} == HARMLESS


def test_the_parts_of_the_table_are_about_its_names() -> None:
    assert set(SINCE) >= HARMLESS | FAILS_WITHOUT_DEVICE
    assert set(KEYWORDS_SINCE) <= set(SINCE)


MEMBERS = [
    ("import torch", "torch.accelerator.synchronize", "synchronize"),
    ("import torch as th", "th.accelerator.synchronize", "synchronize"),
    ("from torch import accelerator as acc", "acc.manual_seed", "manual_seed"),
    ("import torch.accelerator", "torch.accelerator.memory.empty_cache", "empty_cache"),
    ("from torch.accelerator import synchronize as wait", "wait", "synchronize"),
    ("import torch", "torch.accelerator.memory", "memory"),
    ("import torch", "torch.accelerator.random.initial_seed", "random.initial_seed"),
    ("import torch", "torch.accelerator", None),
    ("import torch", "torch.cuda.synchronize", None),
    ("from accelerate import accelerator", "accelerator.device", None),
    ("accelerator = Accelerator()", "accelerator.device", None),
]


@pytest.mark.parametrize(("line", "expression", "member"), MEMBERS)
def test_member(line: str, expression: str, member: object) -> None:
    ctx = FileContext(source(f"{line}\n{expression}\n"))
    assert accelerator_member(ctx, ctx.tree.of_type(cst.Expr)[-1].value) == member


def test_is_since() -> None:
    old, new = (FileContext(source(""), Target(torch_min_version=version)) for version in ((2, 8), (2, 9)))
    assert [is_since(ctx, "empty_cache") for ctx in (old, new)] == [False, True]
    assert is_since(FileContext(source("")), "synchronize")
    assert not is_since(new, "manual_seed")
