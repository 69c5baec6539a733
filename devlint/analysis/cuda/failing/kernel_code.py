"""What runs nowhere without CUDA's kernels: files that import them whatever there is, and functions that start one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.kernels.needed import runs_on_kernels
from devlint.core.diagnostic import Span
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.libraries import KERNELS


def imports_always(ctx: FileContext, libraries: re.Pattern[str], but: re.Pattern[str] | None = None) -> bool:
    """Whether an import at the top of a file, which stops where it fails, names a module of those libraries."""
    for statement in _top(ctx):
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            for name in _imported(small):
                if libraries.match(name) and not (but is not None and but.match(name)):
                    return True
    return False


@fact
def _top(ctx: FileContext) -> list[cst.CSTNode]:
    """The statements of a file that run in any case, those of a ``try`` too whose handlers all raise."""
    found: list[cst.CSTNode] = []
    for one in ctx.module.body:
        stops = isinstance(one, cst.Try) and bool(one.handlers) and all(_raises(two.body) for two in one.handlers)
        found += statements(one.body) if isinstance(one, cst.Try) and stops else [one]
    return found


def _raises(block: cst.BaseSuite) -> bool:
    """Whether a block ends with ``raise``."""
    last = statements(block)[-1]
    return isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Raise)


@fact
def runs_kernels(ctx: FileContext) -> bool:
    """Whether a file imports, whatever there is, what runs nowhere without CUDA: Triton, flash-attn, TensorRT.

    Or what its project compiles for CUDA; or of its project nothing but such files, as tests of kernels do. Or if it
    has TVM build for CUDA.
    """
    if imports_always(ctx, KERNELS) or _builds_with_tvm(ctx):
        return True
    return runs_on_kernels(project_around(ctx), own_module(ctx))


def _builds_with_tvm(ctx: FileContext) -> bool:
    """Whether a file has TVM build for CUDA alone: ``tvm.build(schedule, args, target="cuda")``."""
    calls = ctx.tree.of_type(cst.Call) if "tvm" in ctx.source.text else ()
    return any(
        origin(ctx, one.func) == "tvm.build" and any(string_value(arg.value) == "cuda" for arg in one.args)
        for one in calls
    )


def is_beside_kernel(ctx: FileContext, place: Span) -> bool:
    """Whether a function around a place starts a kernel of Triton or Numba, or imports such a module: "lazily"."""
    blocks = (*ctx.fact(_blocks_with_kernels), *ctx.fact(_functions_that_launch))
    return any(one.start <= place.start and place.end <= one.end for one in blocks)


def _functions_that_launch(ctx: FileContext) -> list[Span]:
    """The functions that start a kernel of Triton or Numba that the file defines: ``_kernel[grid](x)``."""
    if not any(one in ctx.source.text for one in ("triton", "numba")):
        return []
    kernels = {
        one.name.value
        for one in ctx.tree.of_type(cst.FunctionDef)
        if any(_makes_kernel(ctx, mark.decorator) for mark in one.decorators)
    }
    started = (one.func.value for one in ctx.tree.of_type(cst.Call) if isinstance(one.func, cst.Subscript))
    functions = (scopes(ctx).function_of(one) for one in started if isinstance(one, cst.Name) and one.value in kernels)
    return [ctx.span(one) for one in functions if one is not None]


def _makes_kernel(ctx: FileContext, mark: cst.BaseExpression) -> bool:
    """Whether a decorator makes a kernel of a function: ``@triton.jit``, ``@cuda.jit("...")`` of Numba."""
    called = mark.func if isinstance(mark, cst.Call) else mark
    return ctx.text_of(mark).startswith("triton.") or origin(ctx, called) == "numba.cuda.jit"


def _blocks_with_kernels(ctx: FileContext) -> list[Span]:
    found = []
    for kind in (cst.Import, cst.ImportFrom):
        for small in ctx.tree.of_type(kind):
            function = scopes(ctx).function_of(small)
            if function is not None and any(map(KERNELS.match, _imported(small))):
                block = next(one for one in ctx.tree.ancestors(small) if isinstance(one, cst.BaseSuite))
                found.append(ctx.span(function if _always_runs(ctx, small, function) else block))
    return found


def _always_runs(ctx: FileContext, node: cst.CSTNode, function: cst.FunctionDef) -> bool:
    """Whether a statement runs whenever its function does, the first time: ``if "render" not in globals():``."""
    for child, parent in ctx.tree.path_up(node):
        if parent is function:
            return True
        if isinstance(parent, cst.If) and child is parent.body and "globals()" in ctx.text_of(parent.test):
            continue
        if isinstance(parent, cst.BaseCompoundStatement) and not isinstance(parent, cst.With):
            return False
    return False


def _imported(statement: cst.CSTNode) -> Iterator[str]:
    """The modules that an import names, absolute ones only."""
    if isinstance(statement, cst.Import):
        yield from (dotted_name(alias.name) or "" for alias in statement.names)
    elif isinstance(statement, cst.ImportFrom) and not statement.relative and statement.module is not None:
        module = dotted_name(statement.module) or ""
        names = () if isinstance(statement.names, cst.ImportStar) else statement.names
        yield module
        yield from (f"{module}.{dotted_name(alias.name)}" for alias in names)
