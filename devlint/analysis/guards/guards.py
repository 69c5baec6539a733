"""The tests that stand between a place of the program and CUDA, or an accelerator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.guards.conditions import COUNTS
from devlint.analysis.guards.early_exits import early_exits
from devlint.analysis.guards.questions import FOR_ACCELERATOR, FOR_CUDA, Guard, Question
from devlint.analysis.guards.test_gates import gates_beside, gates_of, gates_of_case
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, is_overridden, methods_named, self_name
from devlint.analysis.names.control_flow import branches, exits, statements, stops
from devlint.analysis.names.resolution import attributes_named, origin, sole_value, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.default_devices import is_named_as_test
from devlint.syntax.file_context import FileContext


def guards_of(ctx: FileContext, node: cst.CSTNode, question: Question = FOR_CUDA) -> Iterator[Guard]:
    """The guards of ``node``, innermost first."""
    for child, parent in ctx.tree.path_up(node):
        yield from guards_at(ctx, child, parent, question)


def guard_of(ctx: FileContext, node: cst.CSTNode) -> Guard | None:
    """The innermost guard of ``node``."""
    return next(guards_of(ctx, node), None)


def is_guarded(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for CUDA (availability, or a flag that means it) holds."""
    return guard_of(ctx, node) is not None


def has_accelerator(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for an accelerator, CUDA or another, holds."""
    return runs_guarded(ctx, node, FOR_ACCELERATOR)


def runs_guarded(ctx: FileContext, node: cst.CSTNode, question: Question = FOR_CUDA) -> bool:
    """Whether ``node`` runs only where a test holds: one before it, or before all uses of its function or class."""
    if any(guards_of(ctx, node, question)):
        return True
    functions = (one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef))
    return any(_is_used_guarded(ctx, one, question) for one in functions)


def _is_used_guarded(ctx: FileContext, function: cst.FunctionDef, question: Question) -> bool:
    """Whether the file calls a function of its own, or hands it on, and only where the test holds."""
    known, key = ctx.fact(_used_guarded), (id(function), id(question))
    if key not in known:
        known[key] = False  # whoever is used by nobody but itself is not known to be guarded
        known[key] = _has_guarded_uses(ctx, function, question) or _is_made_guarded(ctx, function, question)
    return known[key]


def _used_guarded(ctx: FileContext) -> dict[tuple[int, int], bool]:
    """The answers so far, by function and question."""
    return {}


def _has_guarded_uses(ctx: FileContext, function: cst.FunctionDef, question: Question) -> bool:
    name = function.name.value
    scope = scopes(ctx).scope_of(function)
    is_sole_user = not scope.is_class and (is_script(ctx) or is_named_as_test(ctx.source.path))
    if name.startswith("__") or not (name.startswith("_") or is_sole_user):
        return False
    uses: Sequence[cst.CSTNode] = attributes_named(ctx, name) if scope.is_class else uses_of(ctx, scope, name)
    outside = [one for one in uses if not any(up is function for up in ctx.tree.ancestors(one))]
    return bool(outside) and all(runs_guarded(ctx, one, question) for one in outside)


def _is_made_guarded(ctx: FileContext, function: cst.FunctionDef, question: Question) -> bool:
    """Whether ``__init__`` of the class of a method raises an exception, or ends the program, where no test holds."""
    definition = class_of(ctx, function) if not function.decorators else None
    start = next(iter(methods_named(ctx, definition, "__init__")), None) if definition is not None else None
    if definition is None or start is None or start is function:
        return False
    return any(_ends_first(ctx, one, question) for one in (start, *_run_by(ctx, definition, start)))


def _ends_first(ctx: FileContext, function: cst.FunctionDef, question: Question) -> bool:
    """Whether a function raises an exception, or ends the program, where no test holds; nothing returns before."""
    owners = [one.owner for one in early_exits(ctx, None, function.body, question)]
    ending = [one for one in owners if isinstance(one, cst.If) and all(map(stops, filter(exits, branches(one))))]
    return bool(ending) and not _returns_before(ctx, function, ending[0])


def _run_by(ctx: FileContext, definition: cst.ClassDef, start: cst.FunctionDef) -> Iterator[cst.FunctionDef]:
    """The methods that ``__init__`` calls in any case, and no other class of the file overrides."""
    for line in statements(start.body):
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
        call = small.value if isinstance(small, (cst.Expr, cst.Assign)) else None
        owner, _, name = (dotted_name(call.func) or "").partition(".") if isinstance(call, cst.Call) else ("", "", "")
        found = methods_named(ctx, definition, name) if owner and owner == self_name(start) else []
        if len(found) == 1 and not is_overridden(ctx, definition, name) and not _returns_before(ctx, start, line):
            yield from found


def _returns_before(ctx: FileContext, function: cst.FunctionDef, place: cst.CSTNode) -> bool:
    """Whether a function may return before it comes to a place in it."""
    returns = (one for one in ctx.tree.below(function.body) if isinstance(one, cst.Return))
    return any(ctx.span(one).end <= ctx.span(place).start for one in returns)


def guards_at(ctx: FileContext, child: cst.CSTNode, parent: cst.CSTNode, question: Question) -> Iterator[Guard]:
    """Guards that ``parent`` puts before ``child``."""
    if isinstance(parent, (cst.If, cst.IfExp, cst.While)):
        if child is parent.body and question.implies(ctx, parent.test, True):
            yield Guard(parent, parent.test, True)
        elif child is parent.orelse and question.implies(ctx, parent.test, False):
            yield Guard(parent, parent.test, False)
    elif isinstance(parent, cst.BooleanOperation) and child is parent.right:
        holds = isinstance(parent.operator, cst.And)
        if question.implies(ctx, parent.left, holds):
            yield Guard(parent, parent.left, holds)
    elif isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.Multiply):
        times = parent.right if child is parent.left else parent.left
        if isinstance(child, (cst.Tuple, cst.List)) and question.implies(ctx, times, True):
            yield Guard(parent, times, True)  # devices = [torch.device("cuda")] * torch.cuda.is_available()
    elif isinstance(parent, cst.MatchCase) and child is parent.body:
        if isinstance(parent.pattern, cst.MatchValue) and string_value(parent.pattern.value) == "cuda":
            yield Guard(parent, parent.pattern.value, True)
    elif isinstance(parent, cst.For) and child is parent.body:
        yield from _counted(ctx, parent, parent.iter, question)
    elif isinstance(parent, (cst.ListComp, cst.SetComp, cst.GeneratorExp)) and child is parent.elt:
        yield from _counted(ctx, parent, parent.for_in.iter, question)
    elif isinstance(parent, (cst.IndentedBlock, cst.Module)):
        yield from early_exits(ctx, child, parent, question)
        if isinstance(child, (cst.FunctionDef, cst.ClassDef)):
            yield from gates_beside(ctx, child, parent, question)
    elif isinstance(parent, (cst.FunctionDef, cst.ClassDef)) and child is parent.body:
        yield from gates_of(ctx, parent, question)
    elif isinstance(parent, cst.Call) and isinstance(child, cst.Arg):
        yield from gates_of_case(ctx, child, parent, question)


def _counted(ctx: FileContext, loop: cst.CSTNode, values: cst.BaseExpression, question: Question) -> Iterator[Guard]:
    """``for i in range(torch.cuda.device_count())``: nothing runs without a card, and each number is one's.

    So it is for ``[f"cuda:{i}" for i in range(...)]``, which may have a name.
    """
    values = (sole_value(ctx, values) if isinstance(values, cst.Name) else None) or values
    values = values.for_in.iter if isinstance(values, cst.ListComp) else values
    last = values.args[-1].value if isinstance(values, cst.Call) and values.args else None
    if last is None or not isinstance(values, cst.Call) or dotted_name(values.func) != "range" or len(values.args) > 2:
        return
    count = sole_value(ctx, last) if isinstance(last, cst.Name) else last
    if isinstance(count, cst.Call) and origin(ctx, count.func) in COUNTS and question.implies(ctx, count, True):
        yield Guard(loop, count, True)
