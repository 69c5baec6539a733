"""Code that is for CUDA alone, or does without it already: nothing that it calls needs a test for CUDA of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.resolution import origin, sole_value
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_naming import CAUGHT, NEGATES, SAYS_CUDA, is_for_cuda, is_named_for_cuda
from devlint.torch_api.device_naming import NOT_FOR_CUDA

_FILES = regex(r"(?:^|_)(?:apex|megatron|deepspeed)(?:_|$)", re.IGNORECASE)
_NEED_CUDA = regex(
    r"(?:triton|tilelang|cutlass|cuda|cupy|cudnn|pycuda|flash_attn|apex|amp_C|tensorrt|trt|torch_tensorrt|nvidia"
    r"|transformer_engine|pynvml|numba\.cuda|torch\.cuda\.(?:comm|nccl|gds|jiterator|tunable)|\w*_cuda(?:_\w+)?"
    r"|\w*cuda_ext\w*)(?:\.|\Z)"
)
_PROFILING = regex(r"prof|nvtx|nsys|trace", re.IGNORECASE)
_OTHER = regex(rf"\b(?:{'|'.join(sorted(NOT_FOR_CUDA))}|accelerator)\b|[\"']cpu")
_NEEDED = ("torch.cuda.device", "torch.cuda.nvtx.range", "torch.cuda.graph")


def does_without(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a call at ``node`` that fails without CUDA does no harm: it is guarded, caught, or for CUDA alone."""
    return runs_guarded(ctx, node) or needs_cuda(ctx) or is_caught(ctx, node, *CAUGHT) or _is_inside(ctx, node)


@fact
def needs_cuda(ctx: FileContext) -> bool:
    """Whether the whole file is for CUDA: by its name or its folder's, or by what it cannot be imported without."""
    parts = ctx.source.path.replace("\\", "/").split("/")[-2:]
    words = [part.partition(".")[0] for part in parts]
    if "csrc" in parts or any(is_named_for_cuda(word) or _FILES.search(word) for word in words):
        return True
    for statement in ctx.module.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if any(_NEED_CUDA.match(name) for name in _imported(small)):
                return True
    return '.cu"' in ctx.source.text or ".cu'" in ctx.source.text


def _imported(statement: cst.CSTNode) -> Iterator[str]:
    """The modules that an import names, absolute ones only."""
    if isinstance(statement, cst.Import):
        yield from (dotted_name(alias.name) or "" for alias in statement.names)
    elif isinstance(statement, cst.ImportFrom) and not statement.relative and statement.module is not None:
        module = dotted_name(statement.module) or ""
        names = () if isinstance(statement.names, cst.ImportStar) else statement.names
        yield module
        yield from (f"{module}.{dotted_name(alias.name)}" for alias in names)


def _is_inside(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether what holds ``node`` is for CUDA by its name, its test or its ``with``."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.FunctionDef, cst.ClassDef)):
            if child is parent.body and is_for_cuda(parent.name.value):
                return True
        elif isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            if _chooses(ctx, parent, child):
                return True
        elif isinstance(parent, cst.With) and child is parent.body:
            if any(_is_entered_with_cuda(ctx, item.item) for item in parent.items):
                return True
    return False


def _chooses(ctx: FileContext, choice: cst.If | cst.IfExp, branch: cst.CSTNode) -> bool:
    """Whether one branch of a choice is for CUDA by the words of its test, or the other one by its own for another."""
    value = sole_value(ctx, choice.test) if isinstance(choice.test, cst.Name) else None
    test = ctx.text_of(value or choice.test)
    if SAYS_CUDA.search(test) and (branch is choice.body) is (NEGATES.search(test) is None):
        return True
    other = choice.body if branch is choice.orelse else choice.orelse
    return _OTHER.search(test) is not None or (other is not None and _OTHER.search(_text(ctx, other)) is not None)


def _text(ctx: FileContext, node: cst.CSTNode) -> str:
    span = ctx.span(node)
    return ctx.source.text[span.start : span.end]


def is_profiled(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where the user asks for a profile."""
    tests = (parent.test for child, parent in ctx.tree.path_up(node) if isinstance(parent, cst.If))
    return any(_PROFILING.search(ctx.text_of(test)) for test in tests)


def _is_entered_with_cuda(ctx: FileContext, manager: cst.BaseExpression) -> bool:
    """Whether a context manager cannot be entered without CUDA."""
    if not isinstance(manager, cst.Call):
        return False
    called = origin(ctx, manager.func) or dotted_name(manager.func) or ""
    if called == "torch.cuda.stream":
        return not (manager.args and dotted_name(manager.args[0].value) == "None")
    return called in _NEEDED
