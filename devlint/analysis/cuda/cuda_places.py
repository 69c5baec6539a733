"""Where a program says CUDA and no other accelerator: in code that runs, and whatever keeps it from failing."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.cuda.described_devices import is_described
from devlint.analysis.cuda.device_data import is_expectation
from devlint.analysis.cuda.fake_tensors import is_for_fake_tensors
from devlint.analysis.devices.vendor_chains import (
    asks_for_others,
    beside_other_accelerator,
    names_other_accelerator,
)
from devlint.analysis.guards.cuda_implementations import implements_cuda
from devlint.analysis.names.exception_handling import fails_as_expected
from devlint.analysis.names.mocks import is_mock
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_functions import UNASKED
from devlint.torch_api.cuda_naming import CAUGHT, IS_CUDA

_CARD = regex(r"cuda(?::|\Z)")
_TEXT = regex(r"(?:cuda|nccl)(?:\Z|:)|torch\.cuda\.|cpu:gloo,cuda:nccl")
_MODULE = "torch.cuda."
_NCCL = "torch.distributed.Backend.NCCL"
_GATE = regex(r"(?i)(?:^|_)(?:cuda|gpus?|nccl)(?:_|\Z)|cuda_?available")
_COLLECTIONS = (cst.Tuple, cst.List, cst.Set, cst.Dict, cst.Comparison)


@fact
def cuda_places(ctx: FileContext) -> list[cst.BaseExpression]:
    """The expressions of a file that mean CUDA alone, the outermost of each, in no special order."""
    candidates = [*_strings(ctx), *_members(ctx), *_gates(ctx)]
    return [one for one in candidates if not _is_settled(ctx, one)]


def _strings(ctx: FileContext) -> Iterable[cst.BaseExpression]:
    """``"cuda"``, ``"cuda:0"``, ``f"cuda:{i}"`` and ``"nccl"``, where they are more than a text of their own."""
    for text in ctx.tree.of_type(cst.SimpleString):
        if _TEXT.match(string_value(text) or "") and not isinstance(ctx.tree.parent(text), cst.Expr):
            yield text
    for pieces in ctx.tree.of_type(cst.FormattedString):
        first = pieces.parts[0] if pieces.parts else None
        if isinstance(first, cst.FormattedStringText) and _CARD.match(first.value):
            yield pieces


def _members(ctx: FileContext) -> Iterable[cst.BaseExpression]:
    """``torch.cuda.synchronize``, ``x.cuda()``, ``x.is_cuda`` and ``Backend.NCCL``."""
    for node in (*ctx.tree.of_type(cst.Attribute), *ctx.tree.of_type(cst.Name)):
        parent = ctx.tree.parent(node)
        if isinstance(parent, (cst.ImportAlias, cst.AsName)) or (
            isinstance(parent, cst.Attribute) and (origin(ctx, parent) or "").startswith(_MODULE)
        ):
            continue
        named = origin(ctx, node) or ""
        if named.endswith(_NCCL):
            yield node
        elif named.startswith(_MODULE):
            if named.removeprefix(_MODULE) not in UNASKED:
                yield node
        elif isinstance(node, cst.Attribute):
            moves = isinstance(parent, cst.Call) and parent.func is node and not parent.args
            if node.attr.value == IS_CUDA or (node.attr.value == "cuda" and moves):
                yield node


def _gates(ctx: FileContext) -> Iterable[cst.BaseExpression]:
    """Decorators of tests that are called after CUDA: ``@requires_cuda``, ``@require_torch_gpu``."""
    for decorator in ctx.tree.of_type(cst.Decorator):
        called = decorator.decorator.func if isinstance(decorator.decorator, cst.Call) else decorator.decorator
        name = called.attr if isinstance(called, cst.Attribute) else called
        if isinstance(name, cst.Name) and _GATE.search(name.value):
            yield decorator.decorator


def _is_settled(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether other accelerators have their own code beside a place, or it is there for CUDA's own sake."""
    if beside_other_accelerator(ctx, node) or implements_cuda(ctx, node) or is_mock(ctx, node):
        return True
    if fails_as_expected(ctx, node, *CAUGHT) or is_described(ctx, node) or is_for_fake_tensors(ctx, node):
        return True
    for parent in ctx.tree.ancestors(node):
        if isinstance(parent, _COLLECTIONS) and names_other_accelerator(ctx, parent):
            return True
        if isinstance(parent, cst.BaseSmallStatement) and is_expectation(parent):
            return True
        if isinstance(parent, (cst.IndentedBlock, cst.Module)) and asks_for_others(ctx, parent):
            return True
        if isinstance(parent, cst.FunctionDef):
            return False
    return False
