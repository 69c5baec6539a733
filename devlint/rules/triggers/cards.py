"""The leaf that is the number of a card."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import CALL, DOT, GAP, OPENED
from devlint.rules.triggers.places import is_slot
from devlint.rules.triggers.trigger import Leaf
from devlint.rules.triggers.values import may_be_number
from devlint.syntax.python_tree.nodes import arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree


class CardNumber(Leaf):
    """The number 0 or another one where torch takes a device: ``.to(0)``, ``.cuda(rank)``, ``device_ids=[0, 1]``."""

    # In a file that never says "cuda" it is looked for only where it is written in the usual way.
    words = (b"cuda", b"device_ids=", b".to(0", b".to(1", b"device=0", b"device=1")

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        yield rf"cuda(?<=[.\s\\]cuda){CALL}", rf"cuda(?<=[.\s\\]cuda){CALL}{GAP}(?![)*])"
        yield "device_ids", rf"device_ids{GAP}={OPENED}\[?{OPENED}\d"
        yield rf"to(?<=[.\s\\]to){CALL}{OPENED}\d"
        yield "Generator", rf"Generator(?:{CALL}{OPENED}\d|{GAP}as\b)"
        yield "set_default_device", rf"set_default_device(?:{CALL}{OPENED}\d|{GAP}as\b)"
        yield rf"device{GAP}={OPENED}\d"
        yield rf"Tensor(?:{DOT}to{CALL}|{GAP}as\b)"
        yield "Module", rf"Module(?:{DOT}to{CALL}|{GAP}as\b)"
        yield "load", rf"load(?:_url|_state_dict_from_url)?(?:{CALL}[^()]*,{OPENED}\d|{GAP}as\b)"

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        for call in tree.calls(["cuda"]):
            if isinstance(call.func, ast.Attribute):
                named = (ast.Name, ast.Attribute, ast.Subscript)  # whatever a number is called
                yield from (one for one in arguments(call) if isinstance(one, named) or may_be_number(tree, one))
        for number in tree.of_type(ast.Constant):
            if may_be_number(tree, number) and (is_slot(tree, number) or _is_pinned(tree, number)):
                yield number


def _is_pinned(tree: SyntaxTree, number: ast.Constant) -> bool:
    """Whether a number is in ``device_ids=[0, 1]``."""
    argument = tree.parent(tree.parent(number) or number)
    return isinstance(argument, ast.keyword) and argument.arg == "device_ids"
