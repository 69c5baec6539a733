"""Leaves that are strings: values of their own, names of variables of the environment, and what is put together."""

from __future__ import annotations

import _ast as ast

from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import GAP, OPEN, OPENED, QUOTE
from devlint.rules.triggers.trigger import Leaf, Trigger
from devlint.syntax.python_tree.nodes import text_of
from devlint.torch_api.environment_variables import ANCHORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.prefilter.code import Code
    from devlint.rules.triggers.syntax_tree import SyntaxTree

_AFTER_HOLE = r"\}:(?:\{|\d*+[\"']|(?<=[\"']\{\}:)|(?<=[\"']\{0\}:))"
_HOLE = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_COLON = regex(r":\d*\Z")
_TEMPLATE = regex(r"(?:\{0?\}|%s):")


class Text(Leaf):
    """A string with this value."""

    nodes = ("SimpleString",)

    def __init__(self, value: str) -> None:
        self.value = value
        self.words = (value.encode(),)

    def patterns(self) -> Iterator[str]:
        yield f"{QUOTE}{self.value}{QUOTE}"

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        return (one for one, text in tree.strings if text == self.value)

    def is_at(self, node: object) -> bool:
        return self.value in getattr(node, "value", "")


class Variable(Leaf):
    """A string or a keyword that holds one of these parts of names of variables of the environment."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts
        self.words = tuple(part.encode() for part in parts)

    def patterns(self) -> Iterator[str]:
        yield from self.parts

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        named: list[tuple[ast.AST, str]] = [*tree.strings]
        constants = tree.of_type(ast.Constant)
        named += [(one, one.value.decode("latin-1")) for one in constants if isinstance(one.value, bytes)]
        named += [(one, one.arg) for one in tree.of_type(ast.keyword) if one.arg]
        return (one for one, text in named if any(part in text for part in self.parts))


class MisspelledVariable(Trigger):
    """A string or a keyword that may hold the misspelled name of a variable of the environment."""

    words = ANCHORS

    def matches(self, code: Code) -> bool:
        from devlint.sources.environment_mentions import may_be_misspelled

        return may_be_misspelled(code.data)

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        return Variable(*(word.decode() for word in self.words)).find(tree)


class Joined(Leaf):
    """A string that is put together of a value, ``:`` and mostly a number, or another value."""

    words = (b"dev", b".to", b"cuda")

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        yield _AFTER_HOLE, rf"[fF][rR]?+[\"']++{_HOLE}:(?:{_HOLE}|\d*+)[\"']"
        yield _AFTER_HOLE, r"\}:(?:(?<=[\"']\{\}:)|(?<=[\"']\{0\}:))"
        yield r"%s:(?<=[\"']%s:)"
        yield rf"\+{OPENED}{OPEN}(?:{GAP}{OPEN})?:\d*+{QUOTE}"  # '' ':0' is one string, too

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        return (one for kind in (ast.JoinedStr, ast.BinOp, ast.Call) for one in tree.of_type(kind) if _is_joined(one))


def _is_joined(node: ast.AST) -> bool:
    """Whether a string is put together of a value, ``:`` and something."""
    if isinstance(node, ast.JoinedStr):
        return any(_COLON.match(text_of(one) or "") for one in node.values[1:])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _TEMPLATE.match(text_of(node.left) or "") is not None
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and any(
            _COLON.match(text_of(one) or "") for one in (node.right, getattr(node.left, "right", None))
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _TEMPLATE.match(text_of(node.func.value) or "") is not None
    return False
