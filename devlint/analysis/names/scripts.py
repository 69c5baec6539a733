"""Whether a file is a script or a library module: what runs when it is started, and what it leaves to its importers."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import is_main_guard
from devlint.analysis.names.program_options import PARSE_CALLS
from devlint.analysis.names.scopes import bound_values
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.tree import children

_WORK = frozenset({"cuda", "to", "backward", "parse_args", "parse_known_args", "train", "eval", "step"})
_SLOTS = frozenset({"device", "device_map"})
_RUN = frozenset({"main", "run", "fit", "step"})
"""Names in the main part of a program."""
_PARSE = PARSE_CALLS | {"ArgumentParser"}
"""Names in the main part of a program, except for a module of a package, which may only try its classes out."""
_STARTS = _PARSE | _RUN | frozenset({"app", "cli", "Fire", "launch", "train"})
"""What the main part of a program calls, and one that only tries out the file's functions does not."""


@fact
def is_script(ctx: FileContext) -> bool:
    """Whether running the file does something: a main part, or torch work among the top-level statements."""
    if ctx.source.path.replace("\\", "/").rpartition("/")[2] == "__init__.py":
        return False
    return ctx.source.is_run or any(_does_work(ctx, one) for one in ctx.module.body)


def _does_work(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether running a top-level statement trains, moves, makes tensors on CUDA, parses arguments or prints."""
    if isinstance(statement, cst.If) and is_main_guard(statement):
        return not is_demo(ctx, statement)
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return any(_is_work(node) for node in executed_nodes(statement))
    if _is_top_function(ctx, _called(statement)) and not _registers(ctx, statement):
        return True
    return _called(statement) == "print" or _moves(statement)


def _moves(statement: cst.CSTNode) -> bool:
    """Whether a statement moves something or trains; what decorates a function, ``@smp.step()``, does not."""
    nodes = list(executed_nodes(statement))
    decorating = {id(one.decorator) for one in nodes if isinstance(one, cst.Decorator)}
    return any((_is_work(node) and id(node) not in decorating) or _makes_on_cuda(node) for node in nodes)


def _called(statement: cst.CSTNode) -> str | None:
    """The function that a line calls and does nothing else."""
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    value = first.value if isinstance(first, cst.Expr) else None
    return dotted_name(value.func) if isinstance(value, cst.Call) else None


def _only_prints(statement: cst.CSTNode) -> bool:
    return _called(statement) == "print" and not _moves(statement)


def _is_top_function(ctx: FileContext, name: str | None) -> bool:
    """Whether a name is that of a function of the file: ``main()`` at the end of a script."""
    return name in ctx.fact(_top_functions)


def _registers(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether a line hands classes or functions of the file to one of its functions: ``register(Adapter)``."""
    line = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    call = line.value if isinstance(line, cst.Expr) and isinstance(line.value, cst.Call) else None
    given = [dotted_name(one.value) for one in call.args] if call is not None else []
    return bool(given) and ctx.fact(_top_definitions).issuperset(given)


def _top_definitions(ctx: FileContext) -> frozenset[str]:
    return frozenset(one.name.value for one in ctx.module.body if isinstance(one, (cst.FunctionDef, cst.ClassDef)))


def _top_functions(ctx: FileContext) -> frozenset[str]:
    return frozenset(one.name.value for one in ctx.module.body if isinstance(one, cst.FunctionDef))


def _is_work(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _WORK


def _makes_on_cuda(node: cst.CSTNode) -> bool:
    """Whether a call is given ``device="cuda"`` or ``device_map="cuda"``."""
    if not isinstance(node, cst.Call):
        return False
    slots = [arg.value for arg in node.args if arg.keyword is not None and arg.keyword.value in _SLOTS]
    return any(isinstance(one, cst.SimpleString) and one.value[1:5] == "cuda" for one in slots)


@fact
def exported_names(ctx: FileContext) -> frozenset[str | None]:
    """The names that ``__all__`` holds."""
    values = bound_values(ctx, "__all__", ctx.module)
    values += [one.value for one in ctx.tree.of_type(cst.AugAssign) if dotted_name(one.target) == "__all__"]
    return frozenset(string_value(node) for value in values for node in ctx.tree.below(value))


def executed_nodes(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes that run when a statement runs: bodies of functions do not, those of classes do."""
    stack: list[cst.CSTNode] = [statement]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, cst.FunctionDef):
            stack += [*node.decorators, node.params]
        elif not isinstance(node, cst.Lambda):
            stack += children(node)[::-1]


def is_demo(ctx: FileContext, guard: cst.If) -> bool:
    """Whether a main part is empty, or makes instances of the file's classes and calls no function.

    Such a file is there to be imported: asking for CUDA at its top would freeze the GPUs that its importer chooses.
    """
    names = {one.value for one in ctx.tree.below(guard.body) if isinstance(one, cst.Name)}
    own = {one.name.value: type(one) for one in ctx.module.body if isinstance(one, (cst.FunctionDef, cst.ClassDef))}
    used = {own[name] for name in names & set(own)}
    program = _RUN if _has_relative_import(ctx) else _RUN | _PARSE
    return not names or (used == {cst.ClassDef} and not names & program)


@fact
def only_tries_itself(ctx: FileContext) -> bool:
    """Whether all that the file does when it is started is to print and to try out what it defines: no ``main``."""
    body = ctx.module.body
    guards = [one for one in body if isinstance(one, cst.If) and is_main_guard(one)]
    others = (one for one in body if one not in guards and not _only_prints(one))
    if ctx.source.is_run or any(_does_work(ctx, one) for one in others):
        return False
    calls = [one for guard in guards for one in ctx.tree.below(guard.body) if isinstance(one, cst.Call)]
    called = [(dotted_name(one.func) or "").rpartition(".") for one in calls]
    return not any(name in _STARTS and not _is_top_function(ctx, owner) for owner, _, name in called)


def _has_relative_import(ctx: FileContext) -> bool:
    """Whether a module has a relative import (``from . import layers``), and so cannot be started as a file."""
    lines = (one.body for one in ctx.module.body if isinstance(one, cst.SimpleStatementLine))
    return any(isinstance(small, cst.ImportFrom) and small.relative for line in lines for small in line)
