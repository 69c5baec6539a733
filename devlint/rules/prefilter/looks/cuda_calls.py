"""Whether a function of torch.cuda may be called where there is no CUDA: the look of DEV501."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.guards import does_without
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree
from devlint.torch_api import cuda_functions

_HARMLESS = frozenset(f"torch.cuda.{name}" for name in cuda_functions.HARMLESS.split())


def may_call_without_cuda(tree: SyntaxTree) -> bool:
    """Whether a call of ``torch.cuda`` is harmful, and nothing that is certain keeps it from being reached."""
    return any(_may_fail(tree, call) and not does_without(tree, call) for call in tree.of_type(ast.Call))


def _may_fail(tree: SyntaxTree, call: ast.Call) -> bool:
    called = tree.called(call.func)
    return any(one.startswith("torch.cuda.") and one not in _HARMLESS for one in called)
