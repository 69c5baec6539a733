"""The leaf that is a name which torch does not have; imports little, for every file that uses torch asks it."""

from __future__ import annotations

from devlint.rules.triggers.trigger import Trigger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST
    from collections.abc import Iterator

    from devlint.rules.prefilter.code import Code
    from devlint.rules.triggers.syntax_tree import SyntaxTree


class MisspelledMember(Trigger):
    """An attribute or an import of a module of torch that may be a misspelling of a name that it has."""

    words = (b"torch",)

    def matches(self, code: Code) -> bool:
        from devlint.torch_api.misspelled_uses import names_misspelled

        return not code.is_searched or names_misspelled(code.data)

    def find(self, tree: SyntaxTree) -> Iterator[AST]:
        from _ast import Attribute, Import, ImportFrom

        from devlint.torch_api.module_members import DEVICE_NAMES, intended

        for attribute in tree.of_type(Attribute):
            modules = tree.called(attribute.value) & DEVICE_NAMES.keys()
            if any(intended(module, attribute.attr) for module in modules):
                if attribute.attr not in tree.fact(_in_strings):
                    yield attribute
        for one in tree.of_type(ImportFrom):
            if _is_misspelled(one.module or "") or any(intended(one.module or "", alias.name) for alias in one.names):
                yield one
        for other in tree.of_type(Import):
            if any(_is_misspelled(alias.name) for alias in other.names):
                yield other


def _in_strings(tree: SyntaxTree) -> frozenset[str]:
    """The last words of strings: a file with such a one asks whether the name is there, or makes it."""
    from _ast import JoinedStr

    from devlint.syntax.python_tree.nodes import plain_text

    whole = (one for one, _ in tree.strings if not isinstance(tree.parent(one), JoinedStr))
    return frozenset((plain_text(one) or "").rpartition(".")[2] for one in whole)


def _is_misspelled(module: str) -> bool:
    """Whether a module's name is one, or that of a package around it."""
    from devlint.torch_api.module_members import intended

    parts = module.split(".")
    return any(intended(".".join(parts[:index]), parts[index]) for index in range(1, len(parts)))
