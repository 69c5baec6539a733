"""The leaf that is a value put into the environment."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import CALL, CLOSED, DOT, GAP, OPENED, any_of, brackets
from devlint.rules.triggers.names import Call
from devlint.rules.triggers.trigger import Leaf
from devlint.syntax.python_tree.nodes import text_of
from devlint.torch_api.environment_variables import COUNTING, SETTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree


class EnvironmentValue(Leaf):
    """A value that may be no string, put into ``os.environ`` or into what a program is started with."""

    words = (b"env",)

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        value = (
            rf"{OPENED}(?:[\d\-+~.\[]|{any_of(COUNTING)}{CALL}"
            rf"|\w++(?![\w.(\[\"'])|[\w.]++{GAP}(?:{brackets()})?+{GAP}=(?!=))"
        )
        given = rf"{CALL}(?:[^,()]|{brackets()})*+,{value}"
        handed = rf"env(?<!\wenv){GAP}={OPENED}"
        yield rf"environ{CLOSED}{brackets()}{CLOSED}=(?!=){value}"
        yield rf"{handed}\w", rf"\]{CLOSED}=(?!=){value}"
        yield rf"environ{DOT}(?:setdefault|__setitem__){given}"
        yield "putenv", rf"putenv(?:{given}|{GAP}as\b)"
        yield rf"environ{GAP}as\b"
        yield rf"environ{DOT}update{CALL}"
        yield rf"patch{DOT}dict"
        yield rf"{handed}(?:\{{|\w++{CALL})"

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        for assign in tree.of_type(ast.Assign):
            if text_of(assign.value) is None and any(isinstance(one, ast.Subscript) for one in assign.targets):
                yield assign
        yield from (one for one in tree.calls({*SETTERS, "update", "dict"}) if isinstance(one.func, ast.Attribute))
        yield from Call("os", "putenv").find(tree)
        yield from (one for one in tree.of_type(ast.keyword) if one.arg == "env")
