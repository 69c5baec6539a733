"""The leaves that are questions whether a device is CUDA, names of types that are given CUDA, and all that says it."""

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
            values = [one for side in (test.left, *test.comparators) for one in getattr(side, "elts", (side,))]
            if any(text_of(one) == "cuda" for one in values):
                yield test
        yield from tree.calls(["startswith"])
        yield from (one for kind in (ast.If, ast.IfExp) for one in tree.of_type(kind))
        for name, value in tree.given:
            if name.lower().endswith("device_type") and text_of(value) == "cuda":
                yield value
        yield from (one for one in tree.of_type(ast.keyword) if one.arg == "default" and text_of(one.value) == "cuda")


class SaysCuda(Leaf):
    """``"cuda:0"``, ``torch.cuda``, ``x.is_cuda``, ``"nccl"``, and decorators called after CUDA or GPUs."""

    words = (b"cuda", b"CUDA", b"nccl", b"NCCL", b"gpu", b"GPU")

    def patterns(self) -> Iterator[str]:
        yield from (word.decode() for word in self.words)

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        for name in ("cuda", "is_cuda", "NCCL"):
            yield from tree.attributes.get(name, ())
        yield from (one for one, text in tree.strings if "cuda" in text or "nccl" in text)
        yield from tree.of_type(ast.ImportFrom)
        yield from (one for one in tree.of_type(ast.Import) if any("cuda" in alias.name for alias in one.names))
        yield from (one for owner in (*tree.functions, *tree.of_type(ast.ClassDef)) for one in owner.decorator_list)
