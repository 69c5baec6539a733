"""Where a text may make tensors on the CPU, told without a parse; what is moved at once is left out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import at_word
from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS, MAKERS

INITIALIZERS = frozenset(
    "__init__ _init_weights reset_parameters init_weights _reset_parameters _load_from_state_dict "
    "init_parameters _initialize_weights".split()
)
"""Methods that run before a module is moved."""
_LONGEST_CALL = 2_000
_MAKERS = MAKERS | CPU_CONSTRUCTORS
_OF_MODULE = r"{}\.(\w+)\s*\("
_OF_TORCH = regex(_OF_MODULE.format("torch"))
"""Begins with a literal, which Python finds fast; which of these functions make tensors is looked up."""
_OTHER_MODULE = regex(r"import torch as[ \t]+(\w+)")
_OTHER_NAMES = regex(r"from torch import\b(?:[ \t]*\(([^)]*)|([^\n]*))")
"""An import under which makers have other names than ``torch.zeros``."""
_KEPT = regex(r"\b(?:Parameter|Buffer)\(\s*$")
_KEEPS_MADE = regex(r"self\.\w+(?:[ \t]*:[^=\n]+)?[ \t]*=[ \t]*torch\.\w+\(")
_DEFINED = regex(r"def[ \t]+(\w+)")
_NO_CODE = ("#", ">>>", "... ")
"""How lines begin that are comments, or examples in a docstring."""
_NO_SIZE = ("[]", "()")
"""How a tensor is made that has no dimensions."""
_ASSIGNED = regex(r"\n[ \t]*(\w+)[ \t]*=[ \t]*$")
_COMPARED_OR_MADE = regex(r"\s*[<>]|\s*=\s*torch\.\w+\((?:\[\]|\(\))\)[ \t]*[\n#]")
"""What stands behind a name that is compared, or given another number."""
_BRACKET = regex(r"[()\[\]{}]")
_NEXT = regex(r"[ \t]*(?:\\?\n\s*)?\.\s*(\w+)\s*\(")
_WORD = regex(r"\w+")
_MOVES = frozenset("cuda item tolist type_as numpy".split())
_TAKES_DEVICE = regex(r"\bdevice\b|\.device\b|\bdevice\s*=")


class MakerRows(NamedTuple):
    """The rows of the calls of a text that may make a tensor on the CPU that is used there."""

    used: list[int]
    early: list[int]
    """Those in ``__init__`` and the like."""
    start: list[int]
    """Those of these in ``__init__`` itself, and in what it may call."""


@lru_cache(maxsize=2)
def rows_of_makers(text: str) -> MakerRows:
    """The rows of the calls that may make a tensor on the CPU, told apart by the functions that they stand in."""
    spans = sorted({one.span() for call in _calls(text) for one in call.finditer(text) if one[1] in _MAKERS})
    found = [start for start, end in spans if not _is_settled(text, start, end)]
    rows = MakerRows([], [], [])
    functions = [*_functions_above(text, found[-1])] if found else []
    row, at = 1, 0
    for start in found:
        row += text.count("\n", at, start)
        at = start
        name = _function_at(text, start, functions)
        if name is not None:
            (rows.early if name in INITIALIZERS else rows.used).append(row)
        if name == "__init__" or (name in INITIALIZERS and f"self.{name}(" in text):
            rows.start.append(row)
    return rows


def _calls(text: str) -> Iterator[re.Pattern[str]]:
    """What calls of torch look like in a text, by the names under which it imports torch and what it takes of it.

    Each begins with a literal.
    """
    yield _OF_TORCH
    if "import torch as" in text:
        for module in sorted({*_OTHER_MODULE.findall(text)} - {"torch"}):
            yield re.compile(_OF_MODULE.format(at_word(module)))
    if "from torch import" in text:
        imported = {name for one in _OTHER_NAMES.findall(text) for name in _WORD.findall(one[0] or one[1])}
        for name in sorted(imported & _MAKERS):
            yield re.compile(rf"({name})(?<![\w.]{name})\s*\(")


def keeps_made(text: str) -> bool:
    """Whether an attribute is given what a function of torch makes: ``self.cache = torch.zeros(n)``."""
    return _KEEPS_MADE.search(text) is not None


def _is_settled(text: str, start: int, end: int) -> bool:
    """Whether a call, whose arguments begin at ``end``, is given a device, moved at once, or made a parameter."""
    if _KEPT.search(text, max(start - 20, 0), start):
        return True
    close = _closing(text, end)
    if close < 0:
        return False
    if _says_device(text, end, close) or (text[end:close] in _NO_SIZE and _is_only_compared(text, start)):
        return True
    while (following := _NEXT.match(text, close + 1)) is not None:
        after = _closing(text, following.end())
        if after < 0:
            return False
        if following[1] in _MOVES or (following[1] == "to" and _TAKES_DEVICE.search(text, following.end(), after)):
            return True
        close = after
    return False


def _is_only_compared(text: str, start: int) -> bool:
    """Whether what a call makes is only compared: ``p = torch.rand([])``, and ``if p < self.drop:``."""
    assigned = _ASSIGNED.search(text, max(start - 80, 0), start)
    if assigned is None:
        return False
    name = assigned[1]
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        is_word = not (_is_of_word(text[at - 1 : at]) or _is_of_word(text[end : end + 1]))
        if is_word and _COMPARED_OR_MADE.match(text, end) is None:
            return False
        at = text.find(name, end)
    return True


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _closing(text: str, start: int) -> int:
    """Where the bracket is closed that was opened before ``start``; -1 where that is far away."""
    depth = 1
    for one in _BRACKET.finditer(text, start, start + _LONGEST_CALL):
        depth += 1 if one[0] in "([{" else -1
        if not depth:
            return one.start()
    return -1


def _says_device(text: str, start: int, close: int) -> bool:
    """Whether the arguments between two places hold a device, and not only an argument of an argument."""
    said = text.find("device", start, close)
    if said < 0:
        return False
    depth = 0
    for one in _BRACKET.finditer(text, start, said):
        depth += 1 if one[0] in "([{" else -1
    return depth == 0 and text[said - 1] in " \t\n(,"


def _functions_above(text: str, end: int) -> Iterator[tuple[int, int, str]]:
    """Where the functions begin that are defined above a place, how far these lines are indented, and their names."""
    at = -1
    while (at := text.find("def", at + 1, end)) >= 0:
        begin = text.rfind("\n", 0, at) + 1
        head = text[begin:at].expandtabs()
        found = _DEFINED.match(text, at) if head.strip() in ("", "async") else None
        if found is not None:
            yield begin, len(head) - len(head.lstrip()), found[1]


def _function_at(text: str, start: int, functions: list[tuple[int, int, str]]) -> str | None:
    """The name of the function that a place is in; None in what is no code: a comment, or an example."""
    if is_no_code(text, start):
        return None
    begin = text.rfind("\n", 0, start) + 1
    line = text[begin:start].expandtabs()
    inside = len(line) - len(line.lstrip())
    above = bisect_left(functions, (begin, 0, ""))
    return next((functions[i][2] for i in range(above - 1, -1, -1) if functions[i][1] < inside), None)


def is_no_code(text: str, start: int) -> bool:
    """Whether a place is in a comment that has its own line, or in an example of a docstring."""
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(_NO_CODE)
