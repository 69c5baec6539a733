"""Whether a file may move a tensor that is then thrown away, by its words alone: a cheap look before DEV405's own."""

from __future__ import annotations

import re

from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import CLOSED, CUDA_METHOD, GAP, OPENED, TO_METHOD, any_of, brackets
from devlint.rules.prefilter.rule_filter import MANY_COMMENTS, code_of
from devlint.torch_api.tensor_functions import KEPT, NEW, ONLY_TENSORS, PARAMETERS, PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ALWAYS = PARTS | PARAMETERS
_MOVES = (regex(TO_METHOD.encode()), regex(CUDA_METHOD.encode()))
_GIVEN = regex(brackets().encode())
_TYPE = regex(rb"\((?:dtype=[\w.]++|(?:\w++\.)++(?!\w*(?i:dev))\w++)\)")
"""What says only which type the numbers are to have."""
_GOES_ON = regex(rb"[ \t\f\r)\\]*+[^ \t\f\r)\\\n;#]")
_OWNER = rb"[\w\x80-\xff]++(?:\[[^\[\]\n\"'#]*+\])*+\."
_ALONE = regex(rb"[ \t]*+(?:" + _OWNER + rb")*?([\w\x80-\xff]++)(?:\[[^\[\]\n\"'#]*+\])*+\.\Z")
"""What is plainly a receiver and all that stands before a move on its line."""
_TAKEN = regex(
    rb"[ \t]*+(?:[\w.,\[\]'\" *]++[-+*/@]?=(?!=)|return\b)(?:[^;:\[]|\[[^\[\];]*+\])*+\Z"
    rb"|.*\w\([^()\[\]{}\"'#;:]*+\Z"
)
"""What stands there where the result gets a name, is returned, or is given to a call."""
_NEAR = 2_000
"""Characters that are looked at before a move; a line of a megabyte may hold very many."""
_MANY = 500
"""Moves of what brackets hold that are looked at, each from behind; nobody writes as many."""
_OPENING, _CLOSING, _PARENTHESIS = b"([{", b")]}", ord("(")
_QUOTES, _COMMENT, _SPACE = b"\"'", ord("#"), b" \t\f\r\n\\"
_WORD = regex(rb"[\w\x80-\xff)\]]")
_COMPILED = r"_orig_mod\b"
"""What only a module has, once it is compiled."""
_LINE_END = r"[ \t]*+(?:[\n;#]|\Z)"
_CONSTRUCTED = (
    r"(?:(?:\w++\.)*+(?!(?:Parameter|Variable|\w*Tensor)\()(?:[A-Z]\w*|\w*load|from_(?!numpy)\w+|compile|deepcopy|getattr)"
    rf"|cls|self\.(?:\w++\.)*+(?!{any_of(KEPT | NEW)})\w++){brackets()}{_LINE_END}"
)
_NAMED = r"(?:\w++\.)*+(\w++)"
_NAME = rf"{_NAMED}(?: if [^\n]*? else {_NAMED})?+[ \t]*+(?:[\n;#,)]|\Z)"
"""A name alone, or one of two names."""
_AFTER = regex(
    rf"(?:{CLOSED}(?:\.{GAP}(\w+){CLOSED}\(|:{OPENED}([\"']|(?:[^=\n]{{0,500}}?|(?:[\w.\[\s\\]|#.*\n){{0,500}}?)(?:Tensor|Parameter|Variable))"
    rf"|((?::[^=\n]{{0,500}}+)?=(?!=){OPENED}))|{GAP}(?:[,)\]]|in\b))"
)
"""What follows a name that is asked something, has a type, gets a value, or stands among others."""
_RENAMED = regex(rf"(?:Tensor|Parameter|Variable){GAP}as\b".encode())
"""An import that gives a type of tensors another name."""
_PARAMETERS_OF = regex(r"[^\n]*?(?:parameters|buffers)\b")
_TARGETS = r"(?:[\w.,* \t]|(?<!\w)[(\[]|\[[^\[\]\n]*+\]|[)\]])*+"
_BEFORE_UNPACKED = regex(rf"(?:.*[;:])?(?:[\w., \t]*+=)*+{_TARGETS}\Z")
_AFTER_UNPACKED = regex(rf"{_TARGETS}=(?!=)")
_ITEM = rf"(?:[\w.,*\s\\(\[]|#.*\n|[)\]](?!{GAP}=(?!=)))"
_LAST_OF_LINES = regex(rf"{_ITEM}{{{_NEAR}}}|{_ITEM}*+[)\]]{GAP}=(?!=)")
"""What follows one of several names that get a value at once, on lines of their own; or more than is looked at."""
_DEPTH = 5


def moves_tensor(data: bytes) -> bool:
    """Whether a statement that is nothing but a move may be one of a tensor."""
    if data.count(b"#") > MANY_COMMENTS:
        data = code_of(data)
    if next(_moved(data), None) is None:
        return False
    code = code_of(data)
    names = set()
    for name in _moved(code):
        if not name:
            return True
        names.add(name)
    if not names or _RENAMED.search(code):
        return bool(names)
    text = code.decode("utf-8", "replace")
    denied: set[tuple[str, int]] = set()
    return any(_may_be_tensor(text, name.decode("utf-8", "replace"), _DEPTH, denied) for name in names)


def _moved(data: bytes) -> Iterator[bytes]:
    """The last names of what statements may do nothing with but move it; nothing stands for what is less plain."""
    looks = 0
    for move in (move for moves in _MOVES for move in moves.finditer(data)):
        line = data.rfind(b"\n", max(move.start() - _NEAR, 0), move.start()) + 1
        before = data[line : move.start()] if line else b"\n"
        if _TAKEN.match(before) or _goes_on(data, move.end() - 1):
            continue
        alone = _ALONE.match(before)
        if alone is not None:
            yield alone[1]
            continue
        looks += 1
        if looks > _MANY or not _is_of_call(data, move.start()):
            yield b""


def _goes_on(data: bytes, at: int) -> bool:
    """Whether what is moved there is used at once, or only gets another type."""
    if _TYPE.match(data, at):
        return True
    given = _GIVEN.match(data, at)
    return given is not None and _GOES_ON.match(data, given.end()) is not None


def _is_of_call(data: bytes, at: int) -> bool:
    """Whether what a call gives is moved, which is no loss."""
    depth, first = 0, max(at - _NEAR, 0)
    at = data.rfind(b".", 0, at) - 1
    while at > first:
        sign = data[at]
        if sign in _CLOSING:
            depth += 1
        elif sign in _OPENING:
            depth -= 1
            if not depth:
                return sign == _PARENTHESIS and _WORD.match(data, at - 1) is not None
        elif sign in _QUOTES:
            start = data.rfind(data[at : at + 1], first, at)
            if start < 0 or b"\n" in data[start:at] or b"\\" in data[start:at]:
                return False
            at = start
        elif sign == _COMMENT or not (depth or sign in _SPACE):
            return False
        at -= 1
    return False


def _may_be_tensor(text: str, name: str, depth: int, denied: set[tuple[str, int]]) -> bool:
    """Whether any of the words around ``name`` may make it a tensor; it is asked once."""
    if name in _ALWAYS or depth == 0:
        return True
    if (name, depth) in denied:
        return False
    denied.add((name, depth))
    for place in re.finditer(rf"{name}(?<!\w{name})(?!\w)", text):
        found = _AFTER.match(text, place.end())
        if found is None:
            continue
        method, annotated, assigned = found.groups()
        if annotated or method in ONLY_TENSORS:
            return True
        if assigned and ("(" in assigned or _may_give_tensor(text, found.end(), name, depth, denied)):
            return True
        if not (assigned or method):
            if _PARAMETERS_OF.match(text, found.end()) or _is_unpacked(text, place.start(), found.end()):
                return True
    return False


def _may_give_tensor(text: str, at: int, name: str, depth: int, denied: set[tuple[str, int]]) -> bool:
    """Whether the value that begins there may be a tensor."""
    other = re.compile(_NAME).match(text, at)
    if other is None:
        again = re.compile(rf"(?:\w++\.)*?{name}\.(?:{_COMPILED}|\w++{brackets()}{_LINE_END})").match(text, at)
        return again is None and re.compile(_CONSTRUCTED).match(text, at) is None
    values = [one for one in other.groups() if one is not None]
    if any(one in ("None", "True", "False", name) or one.isdigit() for one in values):
        return False
    return all(_may_be_tensor(text, one, depth - 1, denied) for one in values)


def _is_unpacked(text: str, start: int, end: int) -> bool:
    """Whether a name is one of several that get a value at once."""
    if _LAST_OF_LINES.match(text, end):
        return True
    line = text.rfind("\n", max(start - _NEAR, 0), start) + 1
    if line and text[max(line - 200, 0) : line].rstrip().endswith(("(", ",")):
        return False  # an argument in a call of several lines
    before = not line or _BEFORE_UNPACKED.match(text[line:start])
    return bool(before) and _AFTER_UNPACKED.match(text, end) is not None
