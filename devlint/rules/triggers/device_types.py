"""The leaf that is a question whether a device is CUDA, or a name for a device's type that is given CUDA."""

from __future__ import annotations

import _ast as ast

from devlint.rules.triggers.trigger import Leaf
from devlint.syntax.python_tree.nodes import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree


class AsksForCuda(Leaf):
    """``device.type == "cuda"``, ``"cuda" in str(device)``, ``x.is_cuda`` and ``device_type = "cuda"``."""

    words = (b"cuda",)

    def patterns(self) -> Iterator[str]:
        yield "cuda"

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        yield from tree.attributes.get("is_cuda", ())
        for test in tree.of_type(ast.Compare):
            if any(text_of(one) == "cuda" for one in (test.left, *test.comparators)):
                yield test
        yield from tree.calls(["startswith"])
        yield from (one for kind in (ast.If, ast.IfExp) for one in tree.of_type(kind))
        for name, value in tree.given:
            if name.lower().endswith("device_type") and text_of(value) == "cuda":
                yield value
        yield from (one for one in tree.of_type(ast.keyword) if one.arg == "default" and text_of(one.value) == "cuda")
