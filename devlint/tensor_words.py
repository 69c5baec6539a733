"""Whether a file may move a tensor that is then thrown away, by its words alone: a cheap look before DEV405's own."""

from __future__ import annotations

import re
from functools import cache

from devlint.code_patterns import DTYPE, any_of, brackets
from devlint.prefilter import code_of
from devlint.regexes import regex
from devlint.tensor_names import KEPT, NEW, ONLY_TENSORS, PARAMETERS, PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

_ALWAYS = PARTS | PARAMETERS
_END = r"[ \t\r]*+(?:[\n;#]|\Z)"
_HEADER = r"\n[ \t]*+(?:if|elif|else|for|while|with|try|except|finally|def|class|async|match|case)\b[^\n#]*:"
_RECEIVER = r"(?!\.)(?:[\w.\x80-\xff]++|\[[^\[\]\n]*+\]|[ \t]*+\\\r?\n[ \t]*+)++"
_BEFORE = rf"(?:[\n;]|{_HEADER})[ \t]*+({_RECEIVER})\Z|(?:;|{_HEADER})[ \t]*+\("
"""What stands before a move from the start of its line on: nothing but its receiver, or parentheses around it."""
_NO_DEVICE = rf"[ \t]*+\((?:torch\.{DTYPE}|(?:dtype=)?(?:\w++\.)++dtype|dtype=\w++)\)"
"""Where a tensor gets another type, and is not moved."""
_CALLED = rf"(?!{_NO_DEVICE})[ \t]*+{brackets()}{_END}"
_OPENING = r"\n[ \t]*+\("
_IN_PARENTHESES = rf"\n[ \t]*+(?=\(){brackets()}(?:[ \t]*+\.[ \t]*+(?:to|cuda)[ \t]*+{brackets()})?+{_END}"
"""A statement in parentheses, or a move of something in parentheses."""
_OTHER = r"(?s:\s*\(.*\)\s*(?:==|!=|[<>&|+*/-]).*\)\s*[;#]?)"
_NEAR = 2_000
"""Characters of a line that are looked at before a move; a line of a megabyte may hold very many."""
_LAST = regex(r"(\w+)(?:\[[^\[\]\n]*\])*\s*\Z")
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
_TENSOR_TYPE = r"[^=\n]*?(?:Tensor|Parameter|Variable)"
_PARAMETERS_OF = regex(r"[^\n]*?(?:parameters|buffers)\(")
_BEFORE_UNPACKED = regex(r"[ \t]*[(\[]?[\w.,* \t]*\Z")
_AFTER_UNPACKED = regex(r"[\w.,* \t)\]]*=(?!=)")
_DEPTH = 5


def moves_tensor(data: bytes) -> bool:
    """Whether a statement that is nothing but a move may be one of a tensor."""
    if not _moved(data):
        return False
    code = code_of(data)
    moved = _moved(code)
    return bool(moved) and _moves_tensor(code.decode("utf-8", "replace"), moved)


def _moved(data: bytes) -> set[bytes]:
    """What statements move that do nothing else; nothing stands for what is in parentheses."""
    moves = [*_compiled(r"\.to\b").finditer(data), *_compiled(r"\.cuda\b").finditer(data)]
    receivers = (_receiver(data, *move.span()) for move in moves)
    found = {receiver for receiver in receivers if receiver is not None}
    if moves and any(_is_move(data, one.start()) for one in _compiled(_OPENING).finditer(data)):
        found.add(b"")
    return found


def _receiver(data: bytes, start: int, end: int) -> Optional[bytes]:
    """What is moved by the method between ``start`` and ``end``; None where the statement is more than that."""
    first = max(start - _NEAR, 0)
    line = data.rfind(b"\n", first, start)
    while data[max(line - 2, 0) : max(line, 0)].rstrip(b"\r").endswith(b"\\"):
        line = data.rfind(b"\n", first, line)
    before = _compiled(_BEFORE).search(data, max(line, first), start)
    if before is None or not _compiled(_CALLED).match(data, end) or _is_opened(data, before.start()):
        return None
    return before[1] or b""


def _is_opened(data: bytes, at: int) -> bool:
    """Whether a line ends there in a bracket that it opens."""
    line = data[max(data.rfind(b"\n", 0, at), at - _NEAR) + 1 : at].rstrip()
    return data.startswith(b"\n", at) and line.endswith((b"(", b"[", b"{")) and b"#" not in line


def _is_move(data: bytes, at: int) -> bool:
    """Whether what begins there is a statement in parentheses that moves something."""
    found = _compiled(_IN_PARENTHESES).match(data, at)
    return (
        found is not None and (b".to" in found[0] or b".cuda" in found[0]) and not _compiled(_OTHER).fullmatch(found[0])
    )


def _moves_tensor(text: str, moved: set[bytes]) -> bool:
    """Whether something that is moved may be a tensor, by what the whole text says of its last name."""
    names = [_LAST.search(one.decode("utf-8", "replace")) for one in moved]
    return any(name is None or _may_be_tensor(text, name[1], _DEPTH) for name in names)


@cache
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


def _may_be_tensor(text: str, name: str, depth: int) -> bool:
    """Whether any of the words around ``name`` may make it a tensor."""
    if name in _ALWAYS or depth == 0:
        return True
    around = rf"(?:(\.(\w+)\()|:({_TENSOR_TYPE})|((?::[^=\n]*)?=(?!=)\s*)|[,)]|in\b)"
    for found in re.finditer(rf"{name}(?<!\w{name})(?!\w)[ \t]*{around}", text):
        method, called, annotated, assigned = found.groups()
        if annotated or (method and called in ONLY_TENSORS):
            return True
        if assigned and _may_give_tensor(text, found.end(), name, depth):
            return True
        if not assigned and not method and (_PARAMETERS_OF.match(text, found.end()) or _is_unpacked(text, found)):
            return True
    return False


def _may_give_tensor(text: str, at: int, name: str, depth: int) -> bool:
    """Whether the value that begins there may be a tensor."""
    other = re.compile(_NAME).match(text, at)
    if other is None:
        again = re.compile(rf"(?:\w++\.)*?{name}\.(?:{_COMPILED}|\w++{brackets()}{_LINE_END})").match(text, at)
        return again is None and re.compile(_CONSTRUCTED).match(text, at) is None
    values = [one for one in other.groups() if one is not None]
    if any(one in ("None", "True", "False", name) or one.isdigit() for one in values):
        return False
    return all(_may_be_tensor(text, one, depth - 1) for one in values)


def _is_unpacked(text: str, name: re.Match[str]) -> bool:
    """Whether a name is one of several that get a value at once."""
    line = text.rfind("\n", 0, name.start()) + 1
    if text[max(line - 200, 0) : line].rstrip().endswith(("(", ",")):
        return False  # an argument in a call of several lines
    before = _BEFORE_UNPACKED.match(text[line : name.start()])
    return before is not None and _AFTER_UNPACKED.match(text, name.end()) is not None
