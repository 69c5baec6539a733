"""The devices that a program names: ``.cpu()``, ``.to("cuda:1")``, ``torch.device("cuda", 1)``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.analysis.places.values import (
    ANY,
    ANYWHERE,
    Device,
    Kind,
    Places,
    Site,
    Tensor,
    TensorPlace,
    Value,
)
from devlint.analysis.places.written.made_in_text import is_no_code
from devlint.core.lazy_regex import regex

_NAMED = regex(r"(cpu|cuda|xpu|mps|npu|hpu|mlu|musa)(:\d+)?")
_PERHAPS = regex(r"""["'.](?:cpu|cuda|xpu|mps|npu|hpu|mlu|musa)""")
"""Where a name may begin; without groups, and with one class first, which Python finds fast."""
_IN_TEXT = regex(r"""\.(cpu|cuda)\(\s*(\d+)?|["'](cpu|cuda|xpu|mps|npu|hpu|mlu|musa)((?::\d+)?)["']|["'](cuda):\{""")


def device_of_text(node: ast.Constant | ast.JoinedStr) -> Device | None:
    """The device that a text names: ``"cuda:1"``, ``f"cuda:{rank}"``; None for anything else."""
    if isinstance(node, ast.JoinedStr):
        first = node.values[0] if node.values else None
        is_card = isinstance(first, ast.Constant) and first.value == "cuda:"
        return Device([_place("cuda", node)]) if is_card else None
    if isinstance(node.value, str) and _NAMED.fullmatch(node.value):
        return Device([_place(node.value, node)])
    return None


def named_by_call(call: ast.Call, first: Value) -> Device:
    """What ``torch.device(...)`` gives whose first argument is this."""
    if not isinstance(first, Device) or not _names(first.places):
        return first if isinstance(first, Device) else Device([ANYWHERE])
    if len(call.args) + len(call.keywords) == 1:
        return first
    index = call.args[1] if len(call.args) > 1 else call.keywords[0].value
    return Device(_place(f"{one.name}{_index(index)}", call) for one in first.places)


def named_by_method(name: str, call: ast.Call) -> Places:
    """Where ``x.cpu()`` and ``x.cuda(1)`` put a tensor."""
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "device")]
    return frozenset([_place(f"{name}{_index(given[0]) if given else ''}", call)])


def noted(places: Places, node: ast.expr) -> Places:
    """Places of a tensor that is put there by a call; what is said of named ones is where this stands."""
    return frozenset(_place(one.name, node) if one.kind is Kind.NAMED else one for one in places)


def _index(node: ast.expr) -> str:
    """How a number is written after a kind of device; nothing where it is not known."""
    number = node.value if isinstance(node, ast.Constant) else None
    return f":{number}" if isinstance(number, int) and not isinstance(number, bool) else ""


def _place(name: str, node: ast.expr) -> TensorPlace:
    site = Site(node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)
    return TensorPlace(Kind.NAMED, name, frozenset([site]))


def _names(places: Places) -> bool:
    """Whether the program names each of some places."""
    return bool(places) and all(one.kind is Kind.NAMED for one in places)


def is_on_named_cpu(tensor: Tensor) -> bool:
    """Whether the program has put a tensor on the CPU, by name."""
    return any(one.kind is Kind.NAMED and one.name.startswith("cpu") for one in tensor.places)


def are_apart(one: Tensor, other: Tensor, is_strict: bool = True) -> bool:
    """Whether two tensors are certainly on different devices, in an operation that wants them on one.

    Without ``is_strict`` the one on the CPU may have no dimensions.
    """
    if not _names(one.places) or not _names(other.places):
        return False
    if not is_strict and any(each.rank in (0, ANY) and is_on_named_cpu(each) for each in (one, other)):
        return False
    return all(_differ(each.name, every.name) for each in one.places for every in other.places)


def _differ(one: str, other: str) -> bool:
    """Whether two names are those of different devices; ``cuda`` may be ``cuda:1``."""
    kind, _, index = one.partition(":")
    other_kind, _, other_index = other.partition(":")
    if kind != other_kind:
        return True
    return kind != "cpu" and bool(index and other_index) and index != other_index


def rows_of_names(text: str) -> list[int]:
    """The rows where a text names devices; none where it does not name two that differ."""
    rows: list[int] = []
    found: dict[str, None] = {}
    row, at = 1, 0
    for start in _starts_of_names(text):
        one = _IN_TEXT.match(text, start)
        if one is None or is_no_code(text, start) or _is_compared(text, start):
            continue
        row += text.count("\n", at, start)
        at = start
        rows.append(row)
        index = f":{one[2]}" if one[2] else one[4] or ""
        found[f"{one[1] or one[3] or one[5]}{index}"] = None
    return rows if _has_different(found) else []


def _starts_of_names(text: str) -> list[int]:
    """Where a text may name devices; nowhere, if the CPU is all that it names."""
    every = [(one.start(), one[0][1:]) for one in _PERHAPS.finditer(text)]
    return [start for start, _ in every] if any(name != "cpu" for _, name in every) else []


def _is_compared(text: str, start: int) -> bool:
    """Whether a name is only compared with what stands before it: ``device.type == "cuda"``."""
    return text[max(start - 40, 0) : start].rstrip(" ").endswith(("==", "!="))


def _has_different(names: Iterable[str]) -> bool:
    every = [*names]
    return any(_differ(one, other) for one in every for other in every)
