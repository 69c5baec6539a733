"""The blocks of a program: where a statement stands, which binds for certain, which never ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.names.bindings import Binding, dotted_name
from devlint.analysis.names.exception_handling import goes_on_after_exception
from devlint.analysis.names.scopes import Scope
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.tree import children

_EXITS = frozenset(
    "exit quit sys.exit os._exit os.abort parser.error "
    "pytest.skip pytest.fail pytest.exit self.skipTest self.fail".split()
)


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
    return isinstance(statement, cst.Expr) and calls_exit(statement)


def calls_exit(statement: cst.Expr) -> bool:
    """Whether a statement is a call that ends the program: ``sys.exit(1)``."""
    return isinstance(statement.value, cst.Call) and dotted_name(statement.value.func) in _EXITS


def stops(block: cst.CSTNode) -> bool:
    """Whether a block ends with an exception or ends the program, so that no caller goes on: ``raise``, ``exit()``."""
    body = statements(block)
    last: cst.CSTNode | None = body[-1] if body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, cst.Raise) or (isinstance(last, cst.Expr) and calls_exit(last))


def branches(statement: cst.If) -> Iterator[cst.BaseSuite]:
    """The blocks of an ``if`` with its ``elif`` and ``else``."""
    yield statement.body
    if isinstance(statement.orelse, cst.If):
        yield from branches(statement.orelse)
    elif statement.orelse is not None:
        yield statement.orelse.body


def block_path(ctx: FileContext, node: cst.CSTNode, top: cst.CSTNode) -> list[tuple[cst.CSTNode, int]]:
    """From ``top`` inwards: each block that holds ``node``, and the index of the statement that leads to it."""
    found = []
    for child, parent in ctx.tree.path_up(node):
        index = index_in(ctx, parent, child)
        if index is not None:
            found.append((parent, index))
        if parent is top:
            break
    return found[::-1]


def statements_above(ctx: FileContext, node: cst.CSTNode, top: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements above ``node`` in each block of ``top`` that holds it."""
    for block, index in block_path(ctx, node, top):
        yield from statements(block)[:index]


def index_in(ctx: FileContext, block: cst.CSTNode, statement: cst.CSTNode) -> int | None:
    """Which of the statements of ``block`` a node is; None if it is none of them."""
    if not statements(block):
        return None
    order = ctx.fact(_orders)
    if id(block) not in order:
        order[id(block)] = {id(one): index for index, one in enumerate(statements(block))}
    return order[id(block)].get(id(statement))


def holder_in(ctx: FileContext, block: cst.CSTNode, at: cst.CSTNode) -> int | None:
    """Which statement of ``block`` is or holds ``at``."""
    return next((index_in(ctx, block, child) for child, parent in ctx.tree.path_up(at) if parent is block), None)


def _orders(ctx: FileContext) -> dict[int, dict[int, int]]:
    """The indices of statements, by block: filled as they are needed."""
    return {}


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
        return block_binds(statement.body, marks) and not any(
            goes_on_after_exception(item.item) for item in statement.items
        )
    if isinstance(statement, (cst.Try, cst.TryStar)):
        return _try_binds(statement, marks)
    return False


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


def is_main_guard(node: cst.CSTNode) -> bool:
    """Whether ``node`` is ``if __name__ == "__main__":``."""
    if not isinstance(node, cst.If) or not isinstance(node.test, cst.Comparison):
        return False
    sides = compared_values(node.test)
    return any(isinstance(side, cst.Name) and side.value == "__name__" for side in sides)


@fact
def has_main_part(ctx: FileContext) -> bool:
    """Whether a file has a part that runs only where it is the program, so that others may import it."""
    return any(map(is_main_guard, ctx.module.body))


def is_below_test(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an ``if`` decides on a place that is no question for the main part: ``if TYPE_CHECKING:``."""
    return any(isinstance(one, cst.If) and not is_main_guard(one) for one in ctx.tree.ancestors(node))


def is_by_choice(ctx: FileContext, node: cst.CSTNode, region: cst.CSTNode) -> bool:
    """Whether a test in a region, or the left side of ``and`` and ``or``, decides whether it comes to a node."""
    for child, parent in ctx.tree.path_up(node):
        if parent is region:
            return False
        if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            return True
        if isinstance(parent, cst.BooleanOperation) and child is parent.right:
            return True
    return False


def tests_around(ctx: FileContext, node: cst.CSTNode) -> frozenset[tuple[str, bool]]:
    """The tests that lead to a node in its function, as they are written, each with its result."""
    found: set[tuple[str, bool]] = set()
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            break
        if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
            found.add((ctx.text_of(parent.test), child is parent.body))
        elif isinstance(parent, (cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase, cst.BooleanOperation)):
            found.add((str(id(parent)), True))
    return frozenset(found)


def is_run_later(function: cst.FunctionDef) -> bool:
    """Whether calling a function does not run it yet: a generator or a coroutine."""
    if function.asynchronous is not None:
        return True
    stack: list[cst.CSTNode] = [function.body]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Yield):
            return True
        if not isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            stack += children(node)
    return False
