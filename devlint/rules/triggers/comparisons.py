"""Leaves that are comparisons: a device taken for a string, a device compared with another one."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import (
    CALL,
    CLOSE,
    CLOSED,
    DOT,
    GAP,
    NEAR,
    OPEN,
    OPENED,
    QUOTE,
    any_of,
    brackets,
    imported,
)
from devlint.rules.triggers.devices import MAKES_DEVICE
from devlint.rules.triggers.trigger import Leaf
from devlint.syntax.python_tree.nodes import text_of
from devlint.torch_api.device_naming import DEVICE_TYPES, STRING_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree


class UsedAsString(Leaf):
    """What is compared with a string, looked up among strings, or asked what only strings are asked: a device."""

    words = (b"device",)

    def patterns(self) -> Iterator[tuple[str, ...]]:
        called = r"device(?!_type|_map|s)\w*+"
        device = rf"{called}(?:{CLOSED}{brackets()})*+"
        owner = rf"{OPENED}(?:\w++(?:{GAP}{brackets()})*+{DOT})*+\w*?"
        to_device = rf"{owner}{device}(?!{DOT}type\b)"
        as_string = (
            rf"(?:{CLOSED}(?:[!=]=|(?:not{GAP})?in\b)(?:{GAP}[(\[{{])*+{GAP}{OPEN}"
            rf"|{GAP}(?:\.|\)(?<!str\(device\)){DOT}){GAP}{any_of(STRING_METHODS)})"
        )
        key = rf"\}}{CLOSED}(?:\[|\.{GAP}get{CALL})"
        left_of_in = rf"in\b(?:(?<={QUOTE}in)|(?<=[\"')t\s\\]\sin))"
        uses = (
            *_next_to_string("==", to_device),
            *_next_to_string("!=", to_device),
            (
                rf"{left_of_in}{OPENED}(?:\w++{DOT})*+(?:\w*?device|\w++{GAP}[(\[{{]{NEAR}device)",
                rf"{left_of_in}{to_device}",
                rf"{QUOTE}{CLOSED}(?:not{GAP})?in\b{to_device}",
            ),
            (rf"{device}{as_string}",),
            (rf"{key}{NEAR}device", rf"{key}{owner}device"),
            ("match", rf"match\b{owner}device"),
        )
        is_device = rf"\.{GAP}device\b|get_default_device|{imported('torch', ['device'])}"
        return ((*use, is_device) for use in uses)

    def find(self, tree: SyntaxTree) -> Iterator[ast.expr]:
        return _used_as_strings(tree)


def _next_to_string(sign: str, to_device: str) -> Iterator[tuple[str, ...]]:
    """Something compared with a string, which stands next to a sign or, in parentheses, before it."""
    kind = rf"(?:(?:{'|'.join(sorted(DEVICE_TYPES))})|[a-z]++:\d++){CLOSE}"
    right = rf"(?<!type {sign})(?<!type{sign}){OPENED}{OPEN}{kind}"
    next_to = rf"(?<={QUOTE}{sign})|(?<={QUOTE}\s{sign})|{right}"
    ends = "|".join(rf"(?<={end}{sign})" for end in (r"\n", r"[\s\\]\s", r"[\"'\s\\)]\)", r"[\"'\s\\)]\)\s"))
    yield sign, rf"{sign}(?:{next_to}|{ends})", rf"{sign}(?:{next_to})"
    yield sign, rf"{sign}(?:{next_to}|{ends})", rf"{QUOTE}(?:{kind}{CLOSED}[!=]=|{CLOSED}[!=]={to_device})"


class DeviceCompared(Leaf):
    """A device on one side of ``==`` or ``!=``, in a file that names one by its kind alone."""

    words = (b"device",)

    def patterns(self) -> Iterator[tuple[str, ...]]:
        gpu = rf"{QUOTE}(?:{'|'.join(sorted(DEVICE_TYPES - {'cpu', 'meta'}))}){QUOTE}"
        a_name = rf"{OPENED}(?!None\b|True\b|False\b)(?=[a-zA-Z_])"
        name = rf"{a_name}\w++(?!{GAP}[.(\[])"
        other = rf"(?!{OPENED}{OPEN}(?:cpu|meta){QUOTE})"
        owner = rf"(?:\w++(?:{GAP}{brackets()})*+{DOT})"
        on_left = rf"device{CLOSED}(?:[!=]=|\({other}{NEAR}\){CLOSED}[!=]=)"
        yield MAKES_DEVICE, on_left, rf"device{CLOSED}[!=]={name}", gpu
        yield MAKES_DEVICE, on_left, rf"device{CALL}{other}(?:[^()]|{brackets()})++\){CLOSED}[!=]="
        for sign in ("==", "!="):
            on_right = rf"{sign}{a_name}{NEAR}device"
            yield MAKES_DEVICE, sign, on_right, rf"{sign}{OPENED}(?:\w++{DOT})?device{CALL}{other}"
            yield MAKES_DEVICE, sign, on_right, rf"{sign}{OPENED}\w*?device\w*+(?!{GAP}[.(\[])", gpu
            yield MAKES_DEVICE, sign, on_right, rf"{sign}(?<!\.device {sign}){OPENED}{owner}++device\b", gpu
            asked = rf"\.{GAP}device\b[ \t)]*+[,;#\r\n]"
            yield MAKES_DEVICE, sign, rf"device(?<!\wdevice){CALL}{other}", rf"{sign}{name}", asked, gpu
        yield MAKES_DEVICE, rf"device{GAP}as\b", "[!=]="

    def find(self, tree: SyntaxTree) -> Iterator[ast.Compare]:
        for one in tree.of_type(ast.Compare):
            if len(one.ops) == 1 and isinstance(one.ops[0], (ast.Eq, ast.NotEq)):
                yield one


def _used_as_strings(tree: SyntaxTree) -> Iterator[ast.expr]:
    """What is compared with strings, looked up among them, or asked what only strings are asked."""
    for test in tree.of_type(ast.Compare):
        sides = (test.left, test.comparators[0])
        if len(test.ops) == 1 and any(_has_strings(one) for one in sides):
            yield from sides
    for call in tree.of_type(ast.Call):
        if isinstance(call.func, ast.Attribute):
            if call.func.attr in STRING_METHODS:
                yield call.func.value
            elif call.func.attr == "get" and isinstance(call.func.value, ast.Dict):
                yield from call.args[:1]
    for looked_up in tree.of_type(ast.Subscript):
        if isinstance(looked_up.value, ast.Dict) and isinstance(looked_up.slice, ast.expr):
            yield looked_up.slice
    for match in tree.of_type(getattr(ast, "Match", ast.AST)):
        yield match.subject


def _has_strings(node: ast.expr) -> bool:
    """Whether an expression is a string, or a row of strings."""
    several = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    return any(text_of(one) is not None for one in several)
