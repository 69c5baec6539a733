"""Whether torch may be asked for a name that is a misspelling of one of its own: the look of DEV605."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, plain_text
from devlint.torch_api.module_members import DEVICE_NAMES, intended


def may_misspell(tree: SyntaxTree) -> bool:
    """Whether an attribute or an import of a module of torch is no name that it has."""
    for attribute in tree.of_type(ast.Attribute):
        modules = tree.called(attribute.value) & DEVICE_NAMES.keys()
        if any(intended(module, attribute.attr) for module in modules) and attribute.attr not in tree.fact(_in_strings):
            return True
    imports = tree.of_type(ast.ImportFrom)
    if any(intended(one.module or "", alias.name) for one in imports for alias in one.names):
        return True
    return any(_is_misspelled(one) for one in tree.modules)


def _in_strings(tree: SyntaxTree) -> frozenset[str]:
    """The last words of strings: a file with such a one asks whether the name is there, or makes it."""
    whole = [one for one in tree.of_type(ast.Constant) if not isinstance(tree.parent(one), ast.JoinedStr)]
    return frozenset((plain_text(one) or "").rpartition(".")[2] for one in whole)


def _is_misspelled(module: str) -> bool:
    """Whether a module's name is one, or that of a package around it."""
    parts = module.split(".")
    return any(intended(".".join(parts[:index]), parts[index]) for index in range(1, len(parts)))
