"""Leaves that are names which torch does not have, and definitions by their names."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import GAP
from devlint.rules.triggers.names import Member
from devlint.rules.triggers.trigger import Leaf, Trigger
from devlint.syntax.python_tree.nodes import plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.prefilter.code import Code
    from devlint.rules.triggers.syntax_tree import SyntaxTree

_KINDS = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()


class MisspelledMember(Trigger):
    """An attribute or an import of a module of torch that may be a misspelling of a name that it has."""

    words = (b"torch",)

    def matches(self, code: Code) -> bool:
        from devlint.torch_api.module_members import names_misspelled

        return not code.is_searched or names_misspelled(code.data)

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        from devlint.torch_api.module_members import DEVICE_NAMES, intended

        for attribute in tree.of_type(ast.Attribute):
            modules = tree.called(attribute.value) & DEVICE_NAMES.keys()
            if any(intended(module, attribute.attr) for module in modules):
                if attribute.attr not in tree.fact(_in_strings):
                    yield attribute
        for one in tree.of_type(ast.ImportFrom):
            if _is_misspelled(one.module or "") or any(intended(one.module or "", alias.name) for alias in one.names):
                yield one
        for other in tree.of_type(ast.Import):
            if any(_is_misspelled(alias.name) for alias in other.names):
                yield other


def _in_strings(tree: SyntaxTree) -> frozenset[str]:
    """The last words of strings: a file with such a one asks whether the name is there, or makes it."""
    whole = (one for one, _ in tree.strings if not isinstance(tree.parent(one), ast.JoinedStr))
    return frozenset((plain_text(one) or "").rpartition(".")[2] for one in whole)


def _is_misspelled(module: str) -> bool:
    """Whether a module's name is one, or that of a package around it."""
    from devlint.torch_api.module_members import intended

    parts = module.split(".")
    return any(intended(".".join(parts[:index]), parts[index]) for index in range(1, len(parts)))


class LegacyType(Member):
    """``torch.cuda.FloatTensor`` and the like, by its name or in a string."""

    def __init__(self) -> None:
        super().__init__("torch.cuda", *(f"{kind}Tensor" for kind in _KINDS))

    def find(self, tree: SyntaxTree) -> Iterator[ast.AST]:
        yield from super().find(tree)
        yield from (one for one, text in tree.strings if "Tensor" in text and "cuda" in text)


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
