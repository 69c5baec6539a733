"""How a program uses CUDA streams, and whether None could take the place of one where there is no CUDA."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.process_groups import is_beside_nccl
from devlint.analysis.cuda.failing.failures_beside import Failures, runs_in_loop
from devlint.analysis.guards.cuda_mentions import cuda_mention_ids
from devlint.analysis.guards.cuda_only_code import does_without, runs_on_cuda_alone
from devlint.analysis.guards.guards import is_guarded, runs_guarded
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import statements, tests_around
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.resolution import attributes_named, is_torch, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.analysis.transfers.overridden_moves import overriding_class
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_functions import CURRENT_STREAMS, STREAM_FUNCTIONS, STREAM_MAKERS
from devlint.torch_api.cuda_members import cuda_member
from devlint.torch_api.cuda_naming import CAUGHT

_COLLECTIVES = frozenset("all_gather all_reduce broadcast recv reduce reduce_scatter send".split())
_GRAPHS = frozenset({"torch.cuda.CUDAGraph", "torch.cuda.graph", "torch.cuda.make_graphed_callables"})
_ORDERS = frozenset({"record_event", "record_stream", "synchronize", "wait_event", "wait_stream"})


def stream_calls(ctx: FileContext, names: frozenset[str]) -> list[cst.Call]:
    """The calls of those members of ``torch.cuda`` that no test for CUDA guards."""
    return [call for name, call in ctx.fact(_unguarded_calls) if name in names]


def _unguarded_calls(ctx: FileContext) -> list[tuple[str, cst.Call]]:
    found = []
    for call in ctx.tree.of_type(cst.Call):
        member = cuda_member(origin(ctx, call.func))
        if member is not None and member.name in STREAM_FUNCTIONS and not is_guarded(ctx, call):
            found.append((member.name, call))
    return found


def unguarded_streams(ctx: FileContext) -> list[cst.Call]:
    """The streams, events and graphs that are made without a test for CUDA."""
    return [call for call in stream_calls(ctx, STREAM_MAKERS) if not does_without(ctx, call)]


def is_for_kernel(ctx: FileContext, stream: cst.Call) -> bool:
    """Whether nothing but CUDA takes a stream: its handle is asked for, or NCCL is given it (``send(x, stream=s)``)."""
    parent = ctx.tree.parent(stream)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        if parent.keyword is None or parent.keyword.value != "stream" or not isinstance(call, cst.Call):
            return False
        return (dotted_name(call.func) or "").rpartition(".")[2] in _COLLECTIVES  # torch's own take no stream
    return isinstance(parent, cst.Attribute) and parent.attr.value == "cuda_stream"


def waits_for_tested(ctx: FileContext, stream: cst.Call) -> bool:
    """Whether the current stream waits for what a test says is there: ``if self.event: ….wait_event(self.event)``."""
    statement = ordering_statement(ctx, stream)
    call = statement.value if statement is not None else None
    given = [ctx.text_of(one.value) for one in call.args] if isinstance(call, cst.Call) else []
    around = tests_around(ctx, stream) if given else ()
    return any((one, True) in around or (f"{one} is not None", True) in around for one in given)


def is_beside_graph(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the function around ``node`` makes a graph: what it does for that is CUDA's own, and is said once."""
    return id(scopes(ctx).function_of(node)) in ctx.fact(_with_graphs)


def _with_graphs(ctx: FileContext) -> frozenset[int]:
    """The functions that make graphs, by their ids."""
    makers = (one for one in ctx.tree.of_type(cst.Call) if origin(ctx, one.func) in _GRAPHS)
    functions = (scopes(ctx).function_of(one) for one in makers)
    return frozenset(id(one) for one in functions if isinstance(one, cst.FunctionDef))


def fails_anyway(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` only runs where the program has failed without CUDA, so that a test does not help.

    An event, a graph or a group of processes is made wherever it runs, events are asked for the time between them, or a
    test above it asks for the current card.
    """
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.FunctionDef):
            break
        if isinstance(parent, cst.If) and child is not parent.test and _asks_for_card(ctx, parent.test):
            return True
    function = id(scopes(ctx).function_of(node))
    made = ctx.fact(_made_under).get(function, set()) | ctx.fact(_timed_under).get(function, set())
    return any(one <= tests_around(ctx, node) for one in made) or is_beside_nccl(ctx, node)


def is_lost_in_try(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a ``try`` around ``node`` is no way to do without CUDA: it only says so, or there is a failure above."""
    return _is_only_said(ctx, node) or _fails_above(ctx, node)


def _is_only_said(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a ``try`` that moves something to CUDA, too, only says that ``node`` fails, and leaves its work undone.

    Where a handler does anything else, it may be what the program does without CUDA.
    """
    if is_guarded(ctx, node):
        return False
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(parent, cst.Try) and child is parent.body:
            moves = cuda_mention_ids(ctx)
            lines = [one for handler in parent.handlers for one in statements(handler.body)]
            only_says = bool(lines) and all(map(_only_says, lines)) and parent.orelse is None
            return only_says and any(id(one) in moves for one in ctx.tree.below(parent.body))
    return False


def _fails_above(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether something is moved to CUDA in any case above a ``try`` that catches that ``node`` fails."""
    if not is_caught(ctx, node, *CAUGHT) or runs_on_cuda_alone(ctx, node):
        return False
    moved = ctx.fact(_moved).beside(node)
    return moved is not None and ctx.span(moved).end <= ctx.span(node).start


def _moved(ctx: FileContext) -> Failures:
    """What is moved to CUDA in any case where its function comes there."""
    moves = [one for one in ctx.tree.of_type(cst.Call) if cuda_move(ctx, one) and not overriding_class(ctx, one)]
    certain = (one for one in moves if not is_caught(ctx, one) and not runs_in_loop(ctx, one))
    return Failures(ctx, (one for one in certain if not runs_guarded(ctx, one)))


def _only_says(line: cst.CSTNode) -> bool:
    """Whether a statement prints, gives names to constants, or goes on."""
    for small in statements(line):
        if isinstance(small, (cst.Pass, cst.Continue)):
            continue
        if isinstance(small, cst.Assign) and isinstance(small.value, (cst.BaseString, cst.BaseNumber)):
            continue
        called = (
            dotted_name(small.value.func) if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) else ""
        )
        if called not in ("print", "traceback.print_exc"):
            return False
    return isinstance(line, cst.SimpleStatementLine)


def _asks_for_card(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test asks for the current card, which fails without CUDA, and does not ask for CUDA first."""
    asked = (one for one in ctx.tree.below(test) if isinstance(one, cst.Call))
    return any(origin(ctx, one.func) == "torch.cuda.current_device" and not is_guarded(ctx, one) for one in asked)


def _made_under(ctx: FileContext) -> dict[int, set[frozenset[tuple[str, bool]]]]:
    """By function, the tests under which it makes an event or a graph, which None cannot replace."""
    found: dict[int, set[frozenset[tuple[str, bool]]]] = {}
    for call in unguarded_streams(ctx):
        if origin(ctx, call.func) != "torch.cuda.Stream":
            found.setdefault(id(scopes(ctx).function_of(call)), set()).add(tests_around(ctx, call))
    return found


def _timed_under(ctx: FileContext) -> dict[int, set[frozenset[tuple[str, bool]]]]:
    """By function of a file that makes events, the tests under which it asks for the time between two."""
    found: dict[int, set[frozenset[tuple[str, bool]]]] = {}
    if any(origin(ctx, call.func) == "torch.cuda.Event" for call in unguarded_streams(ctx)):
        for asked in attributes_named(ctx, "elapsed_time"):
            found.setdefault(id(scopes(ctx).function_of(asked)), set()).add(tests_around(ctx, asked))
    return found


def ordering_statement(ctx: FileContext, node: cst.CSTNode) -> cst.Expr | None:
    """The statement around ``node`` that only orders work on streams: ``a.wait_stream(b)``."""
    for one in ctx.tree.ancestors(node):
        if isinstance(one, cst.Expr):
            func = one.value.func if isinstance(one.value, cst.Call) else None
            return one if isinstance(func, cst.Attribute) and func.attr.value in _ORDERS else None
        if isinstance(one, (cst.BaseCompoundStatement, cst.BaseSmallStatement, cst.Lambda, cst.CompFor)):
            return None
    return None


def ordering_statements(ctx: FileContext, stream: cst.Call) -> list[cst.Expr] | None:
    """The statements to skip where ``stream`` is None; None where more would have to change.

    A name must hold the stream and nothing else, only ``with torch.cuda.stream(name):`` and statements that order work
    may read it, and only such statements may ask for the current stream.
    """
    if _is_entered(ctx, stream):
        return []
    statement = ctx.tree.parent(stream)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    uses = _uses(ctx, statement, statement.targets[0].target)
    if uses is None:
        return None
    found: list[cst.Expr] = []
    for use in (*uses, *stream_calls(ctx, CURRENT_STREAMS)):
        if _is_entered(ctx, use):
            continue
        one = ordering_statement(ctx, use)
        if one is None:
            return None
        if not is_guarded(ctx, one):
            found.append(one)
    return list(dict.fromkeys(found))


def _uses(ctx: FileContext, statement: cst.Assign, target: cst.BaseExpression) -> list[cst.CSTNode] | None:
    """Where the name or attribute that ``statement`` alone sets is read."""
    if isinstance(target, cst.Name):
        scope = scopes(ctx).binder(target.value, target)
        found = scope.bindings[target.value] if scope is not None else []
        if len(found) != 1 or found[0].how is not How.ASSIGN:
            return None
        return [one for one in uses_of(ctx, scope, target.value) if one is not target]
    if not isinstance(target, cst.Attribute) or dotted_name(target) is None:
        return None
    uses: list[cst.CSTNode] = list(_attributes(ctx, target.attr.value, target))
    return None if any(isinstance(ctx.tree.parent(one), (cst.AssignTarget, cst.AnnAssign)) for one in uses) else uses


def _attributes(ctx: FileContext, name: str, but: cst.Attribute) -> Iterator[cst.Attribute]:
    """The attributes of that name on anything but torch."""
    for one in attributes_named(ctx, name):
        if one is not but and not (origin(ctx, one) or "").startswith("torch."):
            yield one


def _is_entered(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is what ``torch.cuda.stream(...)`` is given, which takes None as well."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    entered = isinstance(call, cst.Call) and isinstance(ctx.tree.parent(call), cst.WithItem)
    return entered and isinstance(call, cst.Call) and is_torch(ctx, call.func, "cuda.stream")
