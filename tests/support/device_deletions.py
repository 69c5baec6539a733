"""Deletes devices from programs that work on a GPU: `device=` arguments, `.to(device)` and `.cuda()`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_DEVICE = re.compile(r"dev|cuda|gpu", re.IGNORECASE)


class Deletion(NamedTuple):
    """Bytes of a program whose deletion leaves a tensor or module on the CPU."""

    start: int
    end: int
    kind: str
    """argument or move."""


def deletions(text: str) -> list[Deletion]:
    """All of a program, without those that overlap others."""
    data = text.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = sorted(
        one
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        for one in _of_call(data, starts, node, node.func)
    )
    kept: list[Deletion] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _of_call(data: bytes, starts: Sequence[int], call: ast.Call, function: ast.Attribute) -> Iterator[Deletion]:
    end = starts[(call.end_lineno or 0) - 1] + (call.end_col_offset or 0)
    name_end = starts[(function.end_lineno or 0) - 1] + (function.end_col_offset or 0)
    before = len(data[: data.rfind(b".", 0, name_end - len(function.attr))].rstrip())
    owner = ast.unparse(function.value)
    if function.attr == "cuda" and owner not in ("torch", "torch.cuda"):
        yield Deletion(before, end, "move")
    elif function.attr == "to" and _is_move(call):
        yield Deletion(before, end, "move")
    else:
        for keyword in call.keywords:
            if keyword.arg == "device" and "cpu" not in ast.unparse(keyword.value):
                yield _of_argument(data, starts, keyword)


def _is_move(call: ast.Call) -> bool:
    """Whether a call of `to` moves to a device and does nothing else."""
    if len(call.args) + len(call.keywords) != 1:
        return False
    where = call.args[0] if call.args else call.keywords[0].value
    if isinstance(where, ast.Constant):
        return isinstance(where.value, str) and where.value.startswith("cuda")
    text = ast.unparse(where)
    return bool(_DEVICE.search(text)) and "dtype" not in text and "cpu" not in text


def _of_argument(data: bytes, starts: Sequence[int], keyword: ast.keyword) -> Deletion:
    start = starts[keyword.lineno - 1] + keyword.col_offset
    end = starts[(keyword.end_lineno or 0) - 1] + (keyword.end_col_offset or 0)
    before = data[:start].rstrip()
    if before.endswith(b","):
        return Deletion(len(before) - 1, end, "argument")
    after = re.match(rb"\s*,\s*", data[end:])
    return Deletion(start, end + (after.end() if after else 0), "argument")


def without(text: str, chosen: Sequence[Deletion]) -> str:
    """The program without them."""
    data = text.encode()
    for one in sorted(chosen, reverse=True):
        data = data[: one.start] + data[one.end :]
    return data.decode()
