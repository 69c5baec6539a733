"""A call that is all of a statement, and moves what may be a tensor to what may be a device."""

from __future__ import annotations

import _ast as ast
import re

from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import CLOSED, GAP, brackets
from devlint.rules.triggers.names import Method, called
from devlint.torch_api.device_naming import looks_like_device
from devlint.torch_api.moves import PARTS
from devlint.torch_api.tensor_functions import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.prefilter.code import Code
    from devlint.rules.triggers.syntax_tree import SyntaxTree

_NEAR = 2_000
"""Characters that are looked at before a call; a line of a megabyte may hold very many."""
_TAKEN = regex(
    rb"[ \t]*+(?:[\w.,\[\]'\" *]++[-+*/@]?=(?!=)|return\b)(?:[^;:\[]|\[[^\[\];]*+\])*+\Z"
    rb"|.*\w\((?:[^()\[\]{}\"'#;:]|\[[\"']\w*+[\"']\])*+\Z"
)
"""What stands before it where the result gets a name, is returned, or is given to a call."""
_BRACKETS = regex(brackets().encode())
_GOES_ON = regex(rb"[ \t\f\r)\\]*+[^ \t\f\r)\\\n;#]")
_KIND = regex(rb"\(\s*+(?:dtype[ \t]*+=(?!=)|\w++(?:\.\w++)*?\.(\w++)\s*+[,)])")
"""The brackets of a move to a type of numbers: to a keyword of it, or to some attribute."""
_MIRRORED = bytes.maketrans(b"()[]{}", b")(][}{")
_CALLED = regex(rb"[\s\\]*+\.[\s\\]*+(?=\()(" + brackets().encode() + rb")[ \t]*+[\w(\[][^\n#]*+\n")
"""A call before the name of a method, read backwards from it to the beginning of the line that the call is on."""
_PART = regex(
    rb"((?:[ \t]*+\.[ \t]*+(?:\w++|(?:" + brackets().encode() + rb"[ \t]*+)++\w*+))++)"
    rb"(?:[ \t]*+[-+*/%,=|&<>@~]|[ \t]++\w"
    rb"|[ \t]*+\r?\n\s*+(?:[-+*/%,=|&<>@~}\]]|\)[ \t]*+[-+*/%,=|&<>@~\w(\[]))[^\n#]*+\n"
)
"""A name or what stands in brackets, with attributes, elements and calls, as a part of an expression: after an
operator, a word or an open bracket.

It is read backwards, too, from the name of a method; on the line where that ends there must be no comment.
"""
_ATTRIBUTE = regex(rb"[\s\\]*+\.[\s\\]*+(\w++)[\s\\]*+\.")
"""An attribute before the name of a method, read backwards from that."""


class Statement(Method):
    """``x.name(...)`` that is all of a statement, where ``x`` is not what a call gives."""

    nodes = ("Expr",)

    def __init__(self, *names: str) -> None:
        super().__init__(*names)
        # `to` alone is in every file: where it stands apart from its dot, the device that it is given is asked for.
        self.words = (b".to", b"cuda", b"cpu", b"dev", b"Dev", b"DEV", b"accelerator")

    def matches(self, code: Code) -> bool:
        return code.holds_where(map(called, self.names), _stands_alone)

    def find(self, tree: SyntaxTree) -> Iterator[ast.Call]:
        statements = {one.value for one in tree.of_type(ast.Expr)}
        for call in super().find(tree):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else call
            if call in statements and not isinstance(owner, ast.Call):
                yield call

    def is_at(self, node: object) -> bool:
        return super().is_at(getattr(node, "value", None))


def _stands_alone(text: bytes, start: int, end: int) -> bool:
    """Whether a call may be all of a statement, its receiver no call, and what it is given a device.

    What is before it on its line does not take the result, nor what is after.
    """
    line = text.rfind(b"\n", max(start - _NEAR, 0), start) + 1
    if line and _TAKEN.match(text, line, start):
        return False
    given = _BRACKETS.match(text, end - 1)
    if given is None:
        return True
    if _GOES_ON.match(text, given.end()) or not _may_be_device(given.group()):
        return False
    backwards = text[max(start - _NEAR, 0) : start][::-1].translate(_MIRRORED)
    if _is_certain(_PART.match(backwards)) or _is_certain(_CALLED.match(backwards)):
        return False
    attribute = _ATTRIBUTE.match(backwards)
    return attribute is None or _may_hold_tensor(text, attribute.group(1)[::-1])


def _may_hold_tensor(text: bytes, attribute: bytes) -> bool:
    """Whether an attribute of this name may be a tensor: a tensor or a layer has it, or it is given a value."""
    if attribute.decode() in PARTS | PARAMETERS:
        return True
    return re.search(rb"\.%b%b%b=(?!=)" % (GAP.encode(), attribute, CLOSED.encode()), text) is not None


def _may_be_device(given: bytes) -> bool:
    """Whether what stands in these brackets may name a device, and not just a type of numbers."""
    kind = None if b"device" in given else _KIND.match(given)
    return kind is None or (kind.group(1) is not None and looks_like_device(kind.group(1).decode()))


def _is_certain(backwards: re.Match[bytes] | None) -> bool:
    """Whether something matches, and holds no comment and no escapes, which cannot be read backwards."""
    return backwards is not None and not any(sign in backwards.group(1) for sign in (b"#", b"\\"))
