"""Whether mixed precision may be for CUDA alone: the look of DEV502."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, arguments, text_of

_OF_CUDA = frozenset({"torch.cuda.amp.autocast", "torch.cuda.amp.GradScaler"})
_SCALERS = frozenset({"torch.amp.GradScaler", "torch.GradScaler"})
_GIVEN = frozenset({"torch.autocast", "torch.amp.autocast", *_SCALERS})


def may_be_for_cuda(tree: SyntaxTree) -> bool:
    """Whether the form of CUDA is named, or the other one told nothing but CUDA."""
    is_named = any(True for _ in tree.named(_OF_CUDA)) or not tree.modules.isdisjoint(_OF_CUDA)
    return is_named or any(_is_for_cuda(tree, one) for one in tree.named(_GIVEN))


def _is_for_cuda(tree: SyntaxTree, function: ast.expr) -> bool:
    call = tree.parent(function)
    if not isinstance(call, ast.Call):
        return False
    is_scaler = not tree.called(function).isdisjoint(_SCALERS)
    return is_scaler or any(text_of(one) == "cuda" for one in arguments(call))
