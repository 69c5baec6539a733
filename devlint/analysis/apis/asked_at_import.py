"""Files that ask for CUDA whenever they are imported: asking there once more changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import making_call, origin
from devlint.analysis.names.scripts import executed_nodes
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.tree import children
from devlint.torch_api.layers import WEIGHTLESS_LAYERS

_QUESTION = "torch.cuda.is_available"
_HARMLESS = frozenset(
    "collections contextlib dataclasses enum functools itertools logging math numpy operator pathlib pytest re torch"
    " typing unittest warnings".split()
)
"""Libraries that choose no visible GPUs."""
_CHOICES = (cst.IfExp, cst.BooleanOperation)
_LOSSES = ("Loss", "Criterion")
_TENSORS_OF_LOSSES = frozenset({"weight", "pos_weight"})
_BLOCKS = (cst.If, cst.While, cst.For, cst.Try, cst.TryStar, cst.Match)


@fact
def asks_at_import(ctx: FileContext) -> bool:
    """Whether a file certainly asks for CUDA when it is imported, before anything that may choose the visible GPUs.

    ``HAS_CUDA = torch.cuda.is_available()``, ``@pytest.mark.skipif(not torch.cuda.is_available(), reason="…")``.
    """
    if _QUESTION.rpartition(".")[2] not in ctx.source.text:
        return False
    for statement in ctx.module.body:
        if any(isinstance(one, cst.Call) and origin(ctx, one.func) == _QUESTION for one in certain_nodes(statement)):
            return True
        if not all(_is_harmless(ctx, one) for one in executed_nodes(statement)):
            return False
    return False


def certain_nodes(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes that certainly run when a statement runs: no branches, and no operands that others may skip."""
    if isinstance(statement, _BLOCKS):
        if isinstance(statement, cst.If):
            yield from certain_nodes(statement.test)
        return
    if isinstance(statement, _CHOICES):
        first = statement.test if isinstance(statement, cst.IfExp) else statement.left
        yield from certain_nodes(first)
        return
    yield statement
    if isinstance(statement, cst.FunctionDef):
        parts: list[cst.CSTNode] = [*statement.decorators, statement.params]
    elif isinstance(statement, (cst.Lambda, cst.GeneratorExp, cst.ListComp, cst.SetComp, cst.DictComp)):
        parts = []
    else:
        parts = list(children(statement))
    for part in parts:
        yield from certain_nodes(part)


def _is_harmless(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a node calls nothing, or a library that chooses no visible GPUs."""
    called = node.func if isinstance(node, cst.Call) else None
    return called is None or (origin(ctx, called) or "").partition(".")[0] in _HARMLESS


def certainly_moves(ctx: FileContext, owner: cst.Module | cst.FunctionDef) -> bool:
    """Whether a module or a function moves something to CUDA whenever it runs."""
    body = owner.body if isinstance(owner, cst.Module) else statements(owner.body)
    called = (one.func for line in body for one in certain_nodes(line) if isinstance(one, cst.Call))
    moves = (one for one in called if isinstance(one, cst.Attribute) and one.attr.value == "cuda")
    return any(not is_weightless(ctx, one.value) for one in moves)


def is_weightless(ctx: FileContext, moved: cst.BaseExpression) -> bool:
    """Whether what is moved may be a layer without a tensor, or a loss, ``nn.MSELoss()``: that starts no CUDA."""
    made = making_call(ctx, moved)
    if made is None:
        return False
    name = (dotted_name(made.func) or "").rpartition(".")[2]
    if not name.endswith(_LOSSES):
        return name in WEIGHTLESS_LAYERS
    given = [one for one in made.args if one.keyword is None or one.keyword.value in _TENSORS_OF_LOSSES]
    return all(isinstance(one.value, (cst.BaseNumber, cst.SimpleString)) for one in given)
