"""Whether a name is certainly bound when a place of the program is reached: structural, silent where in doubt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

import libcst as cst

from devlint.context import FileContext
from devlint.facts.bindings import Binding, How, dotted_name
from devlint.facts.scopes import Scope, scopes
from devlint.tree import children

_EXITS = frozenset(
    "exit quit sys.exit os._exit os.abort parser.error "
    "pytest.skip pytest.fail pytest.exit self.skipTest self.fail".split()
)
_SWALLOWS = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})


def statements(block: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """The statements of a module or block."""
    body = getattr(block, "body", ())
    return body if isinstance(body, (list, tuple)) else ()


def exits(block: cst.CSTNode) -> bool:
    """Whether control never runs off the end of a block."""
    body = statements(block)
    if not body:
        return False
    last = body[-1]
    if isinstance(last, cst.SimpleStatementLine):
        return _small_exits(last.body[-1])
    return _if_exits(last) if isinstance(last, cst.If) else _small_exits(last)


def _if_exits(statement: cst.If) -> bool:
    orelse = statement.orelse
    if orelse is None or not exits(statement.body):
        return False
    return _if_exits(orelse) if isinstance(orelse, cst.If) else exits(orelse.body)


def _small_exits(statement: cst.CSTNode) -> bool:
    if isinstance(statement, (cst.Return, cst.Raise, cst.Continue, cst.Break)):
        return True
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        return dotted_name(statement.value.func) in _EXITS
    return False


def block_path(ctx: FileContext, node: cst.CSTNode, top: cst.CSTNode) -> list[tuple[cst.CSTNode, int]]:
    """From ``top`` inwards: each block that holds ``node``, and the index of the statement that leads to it."""
    found = []
    for child, parent in ctx.tree.path_up(node):
        body = statements(parent)
        index = next((i for i, one in enumerate(body) if one is child), None)
        if index is not None:
            found.append((parent, index))
        if parent is top:
            break
    return found[::-1]


def certainly_bound(
    ctx: FileContext, name: str, scope: Scope, at: cst.CSTNode, by: Optional[Sequence[Binding]] = None
) -> bool:
    """Whether ``name`` of ``scope`` is bound (by one of the bindings ``by``) on every path that reaches ``at``."""
    found = scope.bindings.get(name, ()) if by is None else by
    if not found or any(binding.how is How.DELETE for binding in scope.bindings[name]):
        return False
    if any(binding.how is How.PARAMETER for binding in found):
        return True
    table = scopes(ctx)
    holder: Optional[Scope] = table.scope_of(at)
    while holder is not None and holder is not scope and not holder.is_function:
        holder = holder.parent
    marks = {id(binding.node) for binding in found if table.scope_of(binding.node) is scope}
    if holder is scope or holder is None:
        return _bound_before(ctx, marks, scope.node, at)
    return _bound_when_called(ctx, marks, scope, at)


def _bound_before(ctx: FileContext, marks: set[int], top: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a statement that runs before ``at`` in the same scope certainly binds."""
    for block, index in block_path(ctx, at, top):
        if any(binds(one, marks) for one in statements(block)[:index]):
            return True
        parent = statements(block)[index]
        if id(parent) in marks and isinstance(parent, cst.For) and not _is_iterated(ctx, parent, at):
            return True
        if isinstance(parent, cst.With) and any(id(item) in marks for item in parent.items):
            if any(one is parent.body for one in ctx.tree.ancestors(at)):
                return True
        if isinstance(parent, cst.Try) and parent.orelse is not None:
            if any(one is parent.orelse for one in ctx.tree.ancestors(at)) and block_binds(parent.body, marks):
                return True
    return False


def _is_iterated(ctx: FileContext, loop: cst.For, at: cst.CSTNode) -> bool:
    """Whether ``at`` is not in the body of the loop."""
    return not any(one is loop.body for one in ctx.tree.ancestors(at))


def binds(statement: cst.CSTNode, marks: set[int]) -> bool:
    """Whether running ``statement`` to its end certainly runs one of the nodes ``marks``."""
    if id(statement) in marks and not isinstance(statement, cst.For):
        return True
    if isinstance(statement, cst.SimpleStatementLine):
        return any(id(small) in marks for small in statement.body)
    if isinstance(statement, cst.If):
        if statement.orelse is None:
            return False
        orelse = statement.orelse
        other = binds(orelse, marks) if isinstance(orelse, cst.If) else _binds_or_exits(orelse.body, marks)
        return other and _binds_or_exits(statement.body, marks)
    if isinstance(statement, cst.With):
        if any(id(item) in marks for item in statement.items):
            return True
        return block_binds(statement.body, marks) and not any(_swallows(item.item) for item in statement.items)
    if isinstance(statement, (cst.Try, cst.TryStar)):
        return _try_binds(statement, marks)
    return False


def _swallows(manager: cst.CSTNode) -> bool:
    """Whether a context manager goes on after an exception: ``contextlib.suppress(...)``, ``pytest.raises(...)``."""
    called = dotted_name(manager.func) if isinstance(manager, cst.Call) else None
    return (called or "").rpartition(".")[2] in _SWALLOWS


def _try_binds(statement: cst.CSTNode, marks: set[int]) -> bool:
    assert isinstance(statement, (cst.Try, cst.TryStar))
    if statement.finalbody is not None and block_binds(statement.finalbody.body, marks):
        return True
    body = block_binds(statement.body, marks)
    if statement.orelse is not None:
        body = body or block_binds(statement.orelse.body, marks)
    return body and all(_binds_or_exits(handler.body, marks) for handler in statement.handlers)


def block_binds(block: cst.CSTNode, marks: set[int]) -> bool:
    """Whether running a block to its end certainly binds."""
    return any(binds(one, marks) for one in statements(block))


def _binds_or_exits(block: cst.CSTNode, marks: set[int]) -> bool:
    return block_binds(block, marks) or exits(block)


def scope_body(scope: Scope) -> Sequence[cst.CSTNode]:
    """The statements of a module, function or class."""
    node = scope.node
    return statements(node if isinstance(node, cst.Module) else getattr(node, "body", node))


def holds(ctx: FileContext, statement: cst.CSTNode, binding: Binding) -> bool:
    """Whether a binding is made by ``statement`` or by something in it."""
    return any(one is statement for one in (binding.node, *ctx.tree.ancestors(binding.node)))


def may_reach(ctx: FileContext, scope: Scope, found: Sequence[Binding], at: cst.CSTNode) -> list[Binding]:
    """Those of the bindings ``found`` of ``scope`` whose value a name may have at ``at``, the others being overwritten.

    Seen from a nested function, which may run at any time, only what the scope ends with counts.
    """
    table = scopes(ctx)
    holder: Optional[Scope] = table.scope_of(at)
    while holder is not None and holder is not scope and not holder.is_function:
        holder = holder.parent
    own = [one for one in found if table.scope_of(one.node) is scope]
    foreign = [one for one in found if one not in own]
    body = scope_body(scope)
    path = block_path(ctx, at, scope.node) if holder is scope or holder is None else []
    reached: list[Binding] = []
    for block, index in reversed(path) if path else [(ctx.tree.parent(body[-1]), len(body))] if body else []:
        before = statements(block)[:index] if block is not None else ()
        again = _runs_earlier_too(ctx, block)
        reached += [one for one in own if any(up is again for up in ctx.tree.ancestors(one.node))]
        for statement in reversed(before):
            inside = [one for one in own if holds(ctx, statement, one)]
            reached += inside
            if binds(statement, {id(one.node) for one in inside}):
                return [one for one in found if one in reached or one in foreign]
    headers = [one for one in own if one.how in (How.PARAMETER, How.LOOP, How.WITH, How.EXCEPT)]
    return [one for one in found if one in reached or one in foreign or one in headers]


def _runs_earlier_too(ctx: FileContext, block: Optional[cst.CSTNode]) -> Optional[cst.CSTNode]:
    """What may have run, in whole or in part, before a block starts: the body of a loop, the ``try`` of a handler."""
    owner = ctx.tree.parent(block) if block is not None else None
    if isinstance(owner, (cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally)):
        return ctx.tree.parent(owner)
    return block if isinstance(owner, (cst.For, cst.While)) else None


def _bound_when_called(ctx: FileContext, marks: set[int], scope: Scope, at: cst.CSTNode) -> bool:
    """Whether ``scope`` binds before anything in it can call the function that holds ``at``."""
    body = scope_body(scope)
    index = next((i for i, one in enumerate(body) if binds(one, marks)), None)
    if index is None:
        return False
    holder = next((i for i, one in enumerate(body) if any(one is up for up in (at, *ctx.tree.ancestors(at)))), None)
    if holder is None:
        return False
    wanted = getattr(getattr(body[holder], "name", None), "value", None)
    if not isinstance(body[holder], (cst.FunctionDef, cst.ClassDef)):
        return index < holder
    return wanted not in names_run_by(ctx, body[: index + 1], scope)


def names_run_by(ctx: FileContext, body: Sequence[cst.CSTNode], scope: Scope) -> frozenset[str]:
    """Names that running ``body`` may look up, through the functions and classes of ``scope`` that it may call."""
    return ctx.fact(_NamesRun).by(body, scope)


class _NamesRun:
    """Names that code looks up, each piece of it looked through once."""

    def __init__(self, ctx: FileContext) -> None:
        self._tree = ctx.tree
        self._at_once: dict[int, frozenset[str]] = {}
        self._inside: dict[int, frozenset[str]] = {}
        self._by: dict[tuple[int, int, int], frozenset[str]] = {}

    def by(self, body: Sequence[cst.CSTNode], scope: Scope) -> frozenset[str]:
        """The names that running the first statements of ``scope``, given as ``body``, may look up."""
        key = (id(scope), len(body), id(body[-1]) if body else 0)
        if key not in self._by:
            found: set[str] = set()
            waiting = {name for one in body for name in self._run_by(one)}
            while waiting:
                found |= waiting
                called = {name: scope.bindings.get(name, ()) for name in waiting}
                waiting = {name for bound in called.values() for one in bound for name in self._below(one.node)} - found
            self._by[key] = frozenset(found)
        return self._by[key]

    def _run_by(self, statement: cst.CSTNode) -> frozenset[str]:
        if id(statement) not in self._at_once:
            self._at_once[id(statement)] = frozenset(_names_run(statement))
        return self._at_once[id(statement)]

    def _below(self, definition: cst.CSTNode) -> frozenset[str]:
        """The names in the body of a function or class; nothing for what binds otherwise."""
        if not isinstance(definition, (cst.FunctionDef, cst.ClassDef)):
            return frozenset()
        if id(definition) not in self._inside:
            below = self._tree.below(definition.body)
            self._inside[id(definition)] = frozenset(one.value for one in below if one.__class__ is cst.Name)
        return self._inside[id(definition)]


def _names_run(statement: cst.CSTNode) -> Iterator[str]:
    """Names looked up while a statement runs; the body of a ``def`` does not run yet."""
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.FunctionDef):
            stack += [*node.decorators, node.params]
        elif isinstance(node, cst.ClassDef):
            stack += [*node.decorators, *node.bases, *node.keywords, node.body]
        elif isinstance(node, cst.Name):
            yield node.value
        else:
            stack += children(node)


def is_main_guard(node: cst.CSTNode) -> bool:
    """Whether ``node`` is ``if __name__ == "__main__":``."""
    if not isinstance(node, cst.If) or not isinstance(node.test, cst.Comparison):
        return False
    sides = [node.test.left, *(target.comparator for target in node.test.comparisons)]
    return any(isinstance(side, cst.Name) and side.value == "__name__" for side in sides)
