"""The leaf that is a value put into the environment."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import CALL, CLOSED, DOT, GAP, OPENED, any_of, brackets
from devlint.rules.triggers.names import Call
from devlint.rules.triggers.trigger import Leaf
from devlint.rules.triggers.values import may_be_no_string
from devlint.syntax.python_tree.nodes import dotted_text, last_name
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
        handed_on = [one for one in tree.of_type(ast.keyword) if one.arg == "env"]
        environments = {one.value.id for one in handed_on if isinstance(one.value, ast.Name)}
        written: set[str] = set()
        for assign in tree.of_type(ast.Assign):
            owners = [one.value for one in assign.targets if isinstance(one, ast.Subscript)]
            names = environments.intersection(map(last_name, owners))
            if (names or any(_is_environ(tree, one) for one in owners)) and may_be_no_string(tree, assign.value):
                written |= names
                yield assign
        for call in tree.calls({*SETTERS, "update", "dict"}):
            if isinstance(call.func, ast.Attribute):
                if dotted_text(call.func).endswith("patch.dict") or _is_environ(tree, call.func.value):
                    yield call
        yield from Call("os", "putenv").find(tree)
        for one in handed_on:
            if isinstance(one.value, (ast.Dict, ast.Call)) or last_name(one.value) in written:
                yield one


def _is_environ(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether an expression may be ``os.environ``."""
    return "os.environ" in tree.called(node)
