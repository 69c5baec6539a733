"""Code that is for CUDA alone, or does without it already: nothing that it calls needs a test for CUDA of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import libcst as cst

from devlint.analysis.cuda.failing.kernel_code import imports_always, runs_kernels
from devlint.analysis.guards.cuda_implementations import implements_cuda
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import bases, class_of
from devlint.analysis.names.exception_handling import handles_full_card, is_caught
from devlint.analysis.names.resolution import attributes_named, origin, sole_value, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.project.ask import project_around
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact, fact_of
from devlint.torch_api.cuda_naming import CAUGHT, NEGATES, SAYS_CUDA, is_file_for_cuda, is_for_cuda
from devlint.torch_api.device_naming import NOT_FOR_CUDA
from devlint.torch_api.libraries import KERNELS, NEEDS_CUDA, RUNS_ELSEWHERE, TENSORRT

_FILES = regex(r"(?:^|_)(?:apex|megatron|deepspeed)(?:_|$)", re.IGNORECASE)
_PROFILING = regex(r"prof|nvtx|nsys|trace", re.IGNORECASE)
_OTHER = regex(rf"\b(?:{'|'.join(sorted(NOT_FOR_CUDA))}|accelerator)\b|[\"']cpu")
_OWNERS = (cst.FunctionDef, cst.ClassDef)
_NEEDED = ("torch.cuda.device", "torch.cuda.nvtx.range", "torch.cuda.graph")


def does_without(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a call at ``node`` that fails without CUDA does no harm: it is guarded, caught, or for CUDA alone."""
    return is_caught(ctx, node, *CAUGHT) or runs_on_cuda_alone(ctx, node)


def runs_on_cuda_alone(ctx: FileContext, node: cst.CSTNode) -> bool:
    """The same but for what is caught."""
    if runs_guarded(ctx, node) or _is_for_cuda(ctx):
        return True
    if ctx.target.kind == "cuda" and handles_full_card(ctx, node):
        return True
    function = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef)), None)
    if _is_inside(ctx, node) or implements_cuda(ctx, node) or _extends_cuda_code(ctx, node):
        return True
    return function is not None and uses_cuda_code(ctx, function)


@fact
def needs_cuda(ctx: FileContext) -> bool:
    """Whether the whole file is for CUDA: by its name or its folder's, or by what it cannot be imported without."""
    return _is_called_so(ctx) or _is_by_content(ctx)


@fact
def _is_by_content(ctx: FileContext) -> bool:
    """Whether a file cannot be imported without CUDA's libraries, or compiles code for it."""
    return imports_always(ctx, NEEDS_CUDA) or '.cu"' in ctx.source.text or ".cu'" in ctx.source.text


def _is_called_so(ctx: FileContext, own_name: bool = True) -> bool:
    """Whether a file or its folder is called after CUDA, or after a library that is for CUDA."""
    path = ctx.source.path.replace("\\", "/").split("/")[-2:]
    words = [part.partition(".")[0] for part in path]
    asked = words if own_name else words[:-1]
    if ctx.target.kind == "cuda":
        return "csrc" in words or any(map(is_file_for_cuda, asked)) or any(map(_FILES.search, words))
    return "csrc" in words or any(map(is_for_cuda, asked))  # GPUs and Megatron's devices are of others, too


@fact
def _is_for_cuda(ctx: FileContext) -> bool:
    """Whether nothing in a file wants a test for CUDA; a script's own name decides nothing where all else is fixed."""
    is_fixed = ctx.target.kind == "cuda" and is_script(ctx)
    return _is_called_so(ctx, own_name=not is_fixed) or (runs_kernels(ctx) if is_fixed else _is_by_content(ctx))


@fact
def imports_cuda_alone(ctx: FileContext) -> bool:
    """Whether a file imports what no other accelerator has; Triton runs on others, too."""
    return imports_always(ctx, NEEDS_CUDA, but=RUNS_ELSEWHERE)


def _is_inside(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether what holds ``node`` is for CUDA by its name, its test or its ``with``."""
    owners = (
        parent for child, parent in ctx.tree.path_up(node) if isinstance(parent, _OWNERS) and child is parent.body
    )
    called = [one for one in owners if is_for_cuda(one.name.value)]
    return is_chosen(ctx, node) or any(not _is_used_without(ctx, one) for one in called)


def is_chosen(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a test or a ``with`` around ``node`` is for CUDA by its words."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            if _chooses(ctx, parent, child):
                return True
        elif isinstance(parent, cst.With) and child is parent.body and enters_cuda(ctx, parent):
            return True
    return False


def enters_cuda(ctx: FileContext, block: cst.With) -> bool:
    """Whether a ``with`` cannot be entered without CUDA: ``with torch.cuda.device(1):``."""
    return any(is_entered_with_cuda(ctx, item.item) for item in block.items)


def _is_used_without(ctx: FileContext, definition: cst.FunctionDef | cst.ClassDef) -> bool:
    """Whether the file uses what is called after CUDA where nothing asks for CUDA: its name has decided nothing."""
    name, scope = definition.name.value, scopes(ctx).scope_of(definition)
    uses: Iterable[cst.CSTNode] = attributes_named(ctx, name) if scope.is_class else uses_of(ctx, scope, name)
    for use in uses:
        around = (one for one in ctx.tree.ancestors(use) if isinstance(one, _OWNERS))
        if any(one is definition or is_for_cuda(one.name.value) for one in around) or is_chosen(ctx, use):
            continue
        called = isinstance(ctx.tree.parent(use), cst.Call)
        if called and not (runs_guarded(ctx, use) or is_caught(ctx, use, *CAUGHT)):
            return True
    return False


@fact_of
def uses_cuda_code(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a function uses Triton or the like, or what a file of the project defines that imports it.

    Or if it runs an engine of TensorRT, whoever has made it: ``engine.create_execution_context()``.
    """
    if any(isinstance(one, cst.Attribute) and one.attr.value in TENSORRT for one in ctx.tree.below(function.body)):
        return True
    names = (one for one in ctx.tree.below(function.body) if isinstance(one, cst.Name))
    named = {one.value for one in names if not _is_optional(ctx, one, function)}
    own = scopes(ctx).opened_by(function)
    tables = [scopes(ctx).module.bindings, *([own.bindings] if own is not None else [])]
    bound = [binding for table in tables for one in named for binding in table.get(one, ())]
    imported = {one.origin for one in bound if one.how is How.IMPORT and one.origin}
    needing = _needing(ctx)
    return any(needing.match(one) or _is_cuda_code(ctx, one, needing) for one in sorted(imported))


def _extends_cuda_code(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a place is in a class that is one of such a library: ``class Adam(apex.optimizers.FusedAdam)``."""
    definition = class_of(ctx, node)
    return definition is not None and bool(definition.bases) and any(map(_needing(ctx).match, bases(ctx, definition)))


def _needing(ctx: FileContext) -> re.Pattern[str]:
    """Matches the full names of libraries that are for CUDA; in a script only of those that run nowhere else."""
    return KERNELS if ctx.target.kind == "cuda" and is_script(ctx) else NEEDS_CUDA


def _is_optional(ctx: FileContext, name: cst.Name, function: cst.FunctionDef) -> bool:
    """Whether a function reads a name under a test of its own, and may do without it."""
    for child, parent in ctx.tree.path_up(name):
        if parent is function:
            return False
        if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            return True
    return False


def _is_cuda_code(ctx: FileContext, imported: str, needing: re.Pattern[str]) -> bool:
    """Whether a name is imported from a file of the project that cannot be imported without such a library."""
    definition = project_around(ctx).imported(imported)
    for one in definition.module.tree.body if definition is not None else ():
        names = [alias.name for alias in one.names] if isinstance(one, ast.Import) else []
        names += [one.module or ""] if isinstance(one, ast.ImportFrom) and not one.level else []
        if any(needing.match(name) for name in names):
            return True
    return False


def _chooses(ctx: FileContext, choice: cst.If | cst.IfExp, branch: cst.CSTNode) -> bool:
    """Whether one branch of a choice is for CUDA by the words of its test, or the other one by its own for another."""
    value = sole_value(ctx, choice.test) if isinstance(choice.test, cst.Name) else None
    test = ctx.text_of(value or choice.test)
    if SAYS_CUDA.search(test) and (branch is choice.body) is (NEGATES.search(test) is None):
        return True
    other = choice.body if branch is choice.orelse else choice.orelse
    words = ctx.text_of(other) if other is not None else ""
    return _OTHER.search(test) is not None or (_OTHER.search(words) is not None and SAYS_CUDA.search(words) is None)


def is_profiled(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where the user asks for a profile."""
    tests = (parent.test for child, parent in ctx.tree.path_up(node) if isinstance(parent, cst.If))
    return any(_PROFILING.search(ctx.text_of(test)) for test in tests)


def is_entered_with_cuda(ctx: FileContext, manager: cst.BaseExpression) -> bool:
    """Whether a context manager cannot be entered without CUDA."""
    if not isinstance(manager, cst.Call):
        return False
    called = origin(ctx, manager.func) or dotted_name(manager.func) or ""
    if called == "torch.cuda.stream":
        return not (manager.args and dotted_name(manager.args[0].value) == "None")
    return called in _NEEDED
