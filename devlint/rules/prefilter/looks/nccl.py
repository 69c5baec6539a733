"""Whether NCCL may be the backend of processes: the look of DEV505."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, text_of


def may_be_backend(tree: SyntaxTree) -> bool:
    """Whether ``"nccl"`` is given to a call or to a name, and not listed or compared."""
    named = (one for one in tree.of_type(ast.Constant) if text_of(one) == "nccl")
    return any(isinstance(tree.parent(one), (ast.Call, ast.keyword, ast.Assign)) for one in named)
