"""Leaves that are names of torch which only some releases have or none, and definitions by their names."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import GAP
from devlint.rules.triggers.names import Member
from devlint.rules.triggers.trigger import Leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree

_KINDS = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()


class LegacyType(Member):
    """``torch.cuda.FloatTensor`` and the like, by its name or in a string."""

    def __init__(self) -> None:
        super().__init__("torch.cuda", *(f"{kind}Tensor" for kind in _KINDS))

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        yield from super().find(tree)
        yield from (one for one, text in tree.strings if "Tensor" in text and "cuda" in text)


class CudaOrTorch(Leaf):
    """``torch.cuda if gpu else torch``: the module whose types of tensors a program takes."""

    words = (b"cuda",)

    def patterns(self) -> Iterator[str]:
        yield rf"cuda{GAP}\)*{GAP}if(?!\w)"

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        return (one for one in tree.of_type(ast.IfExp) if "torch.cuda" in tree.called(one.body))


def is_unknown(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``torch.accelerator`` is asked for a name that no release of it has."""
    from devlint.torch_api.module_members import is_never_of_accelerator

    if isinstance(node, ast.ImportFrom):
        return any(is_never_of_accelerator(alias.name) for alias in node.names)
    return any(is_never_of_accelerator(one.rpartition(".")[2]) for one in tree.called(node))


class FunctionNamed(Leaf):
    """A function whose name begins with a prefix."""

    nodes = ("FunctionDef",)

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.words = (prefix.encode(),)

    def patterns(self) -> Iterator[str]:
        yield rf"def{GAP}{self.prefix}"

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        return (one for one in tree.functions if one.name.startswith(self.prefix))

    def is_at(self, node: object) -> bool:
        return str(getattr(getattr(node, "name", None), "value", "")).startswith(self.prefix)
