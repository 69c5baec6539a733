"""Where a definition can go: after the imports, at the start of a function, after a flag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

import libcst as cst

from devlint.analysis.apis.forked_processes import forks_processes, is_handed_to_fork, runs_in_fork, sends_its_code
from devlint.analysis.apis.visible_devices import (
    is_chosen_by_importers,
    sets_visible_devices,
    visible_devices_writes,
)
from devlint.analysis.choosers.calls_of_choosers import hands_on_chooser
from devlint.analysis.guards.cuda_mentions import uses_cuda_at_once
from devlint.analysis.names.control_flow import block_path, holder_in, index_in, is_main_guard, scope_body, statements
from devlint.analysis.names.program_options import PARSE_CALLS
from devlint.analysis.names.reachable_names import may_look_up
from devlint.analysis.names.reaching_definitions import definition_in
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.scripts import executed_nodes, is_script, only_tries_itself
from devlint.analysis.names.torch_imports import first_torch_import
from devlint.analysis.owners.initializers import initializes_base
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_imported
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.device.anchors.import_uses import end_of_import
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.lines_below import insert_below


class Anchor(Record, eq=False):
    """A place for a new line: before or after a statement, in a scope."""

    scope: Scope
    statement: cst.CSTNode
    after: bool = True
    blank: bool = False
    """Whether empty lines set the new line off."""

    def insert(self, ctx: FileContext, lines: Sequence[str]) -> Edit | None:
        """The edit that writes ``lines`` here; None where the statement shares its line with another."""
        if not self.after:
            is_inner = ctx.tree.parent(self.statement) is not ctx.module
            is_definition = isinstance(self.statement, (cst.FunctionDef, cst.ClassDef))
            return line_edits.insert_line_before(
                ctx, self.statement, [*lines, ""] if is_inner and is_definition else lines
            )
        edit = insert_below(ctx, self.statement, lines)
        if edit is None or not self.blank or _is_in_paragraph(ctx, self.statement, edit.span.start):
            return edit
        below = [] if line_edits.blank_line_at(ctx, edit.span.start) else [""]
        return insert_below(ctx, self.statement, ["", *lines, *below])


def _is_in_paragraph(ctx: FileContext, statement: cst.CSTNode, below: int) -> bool:
    """Whether a statement that imports nothing goes on, from ``below``, without an empty line or a definition."""
    if is_import(statement) or imports_only(statement) or is_docstring(statement):
        return False
    following = next((two for one, two in pairwise(ctx.module.body) if one is statement), None)
    is_definition = following is None or isinstance(following, (cst.FunctionDef, cst.ClassDef))
    return not is_definition and not line_edits.blank_line_at(ctx, below)


def is_import(statement: cst.CSTNode) -> bool:
    """Whether a line only imports."""
    if isinstance(statement, cst.SimpleStatementLine):
        return all(isinstance(small, (cst.Import, cst.ImportFrom)) for small in statement.body)
    return False


@fact
def top_imports(ctx: FileContext) -> list[cst.SimpleStatementLine]:
    """The lines at the top of a module that only import."""
    return [one for one in ctx.module.body if isinstance(one, cst.SimpleStatementLine) and is_import(one)]


def imports_only(statement: cst.CSTNode) -> bool:
    """Whether a ``try`` or ``if`` only imports, or handles a missing import; a program's main part does more."""
    if not isinstance(statement, (cst.Try, cst.If)) or is_main_guard(statement):
        return False
    if isinstance(statement, cst.Try) and all(map(is_import, statements(statement.body))):
        return True
    return any(isinstance(node, (cst.Import, cst.ImportFrom)) for node in executed_nodes(statement)) and not any(
        isinstance(node, (cst.For, cst.While, cst.FunctionDef)) for node in executed_nodes(statement)
    )


@fact
def top_of_script(ctx: FileContext) -> Anchor | None:
    """The end of what a script begins with; None for a file that others import: it asks for nothing at its top.

    Nor does one whose processes are forked: they could not use CUDA. Those that get its code may see other GPUs.
    """
    if not is_script(ctx) or forks_processes(ctx) or sends_its_code(ctx):
        return None
    for_others = only_tries_itself(ctx) and is_imported(project_around(ctx))
    return preamble(ctx) if not for_others and not is_chosen_by_importers(ctx) else None


@fact
def preamble(ctx: FileContext) -> Anchor | None:
    """The end of what a module begins with: docstring, imports, environment variables, parsing of arguments.

    None where the visible GPUs are chosen later, inside a function or after the program's definitions.
    """
    module = scopes(ctx).module
    last: cst.CSTNode | None = None
    body = ctx.module.body
    imported = _first_import_of_torch(ctx)
    for statement in _of_one_cell(ctx, imported):
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef, cst.For, cst.While, cst.With)):
            break
        if uses_cuda_at_once(ctx, statement):
            break
        if _ends_preamble(ctx, statement):
            last = statement
    if last is None and body and is_docstring(body[0]):
        last = body[0]
    if imported is not None and body.index(imported) > (body.index(last) if last is not None else -1):
        last = _end_of_imports(ctx, imported)
    writes = [
        one for one in body if not isinstance(one, (cst.FunctionDef, cst.ClassDef)) and sets_visible_devices(ctx, one)
    ]
    if writes and body.index(writes[-1]) > (body.index(last) if last is not None else -1):
        last = writes[-1]
    if isinstance(last, cst.If) and not imports_only(last) and "__main__" in ctx.text_of(last):
        return None
    if hands_on_chooser(ctx) or (len(writes) == 0 and visible_devices_writes(ctx)):
        return None
    if last is None:
        return Anchor(module, body[0], after=False) if body else None
    return Anchor(module, end_of_import(ctx, last), blank=True)


def _first_import_of_torch(ctx: FileContext) -> cst.CSTNode | None:
    """The first top-level statement that imports torch by a name; it may stand below definitions and calls.

    A ``try`` that may go on without torch is taken only where no other statement imports it.
    """
    found = scopes(ctx).module.bindings.values()
    nodes = {id(up) for bound in found for one in bound if one.origin == "torch" for up in _with_parents(ctx, one.node)}
    lines = [one for one in ctx.module.body if id(one) in nodes and (is_import(one) or isinstance(one, cst.Try))]
    sure = (one for one in lines if not isinstance(one, cst.Try) or all(id(two) in nodes for two in one.handlers))
    whole = next(sure, lines[0] if lines else None)
    part = first_torch_import(ctx) if whole is None else None
    return whole or next((one for one in ctx.module.body if one is part and is_import(one)), None)


def _end_of_imports(ctx: FileContext, first: cst.CSTNode) -> cst.CSTNode:
    """The last of the imports that an import begins, without anything between them."""
    statements = _of_one_cell(ctx, first)
    following = statements[statements.index(first) + 1 :]
    imports = takewhile(lambda one: is_import(one) or imports_only(one), following)
    return [first, *imports][-1]


def _of_one_cell(ctx: FileContext, imported: cst.CSTNode | None) -> Sequence[cst.CSTNode]:
    """The statements of a module; of a notebook, those of the cell that imports torch, which may be run alone."""
    body = ctx.module.body
    cell = ctx.cell_of(imported) if imported is not None else None
    if imported is None or cell is None:
        return body

    def is_there(one: cst.CSTNode) -> bool:
        return ctx.cell_of(one) == cell

    at = body.index(imported)  # a cell's statements stand together: the places of all are dear
    above = [*takewhile(is_there, reversed(body[:at]))]
    return [*reversed(above), *takewhile(is_there, body[at:])]


def _with_parents(ctx: FileContext, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    yield from ctx.tree.ancestors(node)


def _ends_preamble(ctx: FileContext, statement: cst.CSTNode) -> bool:
    if is_import(statement) or imports_only(statement) or sets_visible_devices(ctx, statement):
        return True
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in PARSE_CALLS
        for node in executed_nodes(statement)
    )


def is_docstring(statement: cst.CSTNode) -> bool:
    """Whether a statement at the top of a body begins with a docstring."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    first = statement.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))


def runs_before(ctx: FileContext, anchor: Anchor, at: cst.CSTNode) -> bool:
    """Whether a line at ``anchor`` has certainly run when ``at`` is reached."""
    scope = anchor.scope
    table = scopes(ctx)
    holder: Scope | None = table.scope_of(at)
    while holder is not None and holder is not scope and not holder.is_function:
        holder = holder.parent
    block = ctx.tree.parent(anchor.statement)
    index = index_in(ctx, block, anchor.statement) if block is not None else None
    index = -1 if index is None else index
    if not anchor.after:
        index -= 1
    if holder is scope or holder is None:
        return any(one is block and place > index for one, place in block_path(ctx, at, scope.node))
    definition = definition_in(ctx, scope, at)
    if definition is not None:
        if any(one is block and place > index for one, place in block_path(ctx, definition, scope.node)):
            return True
    body = scope_body(scope)
    if block is None or statements(block) is not body:
        return False
    inner = table.scope_of(at)
    while inner.parent is not None and inner.parent is not scope:
        inner = inner.parent
    name = getattr(getattr(inner.node, "name", None), "value", None)
    if name is None:  # what calls a lambda is not known
        outer = holder_in(ctx, block, at)
        return outer is None or outer > index
    return not may_look_up(ctx, scope, index + 1, name)


def function_start(ctx: FileContext, function: cst.FunctionDef, at: cst.CSTNode) -> Anchor | None:
    """The first place in a function after its docstring, its imports and what chooses the visible GPUs."""
    if not isinstance(function.body, cst.IndentedBlock):
        return None
    scope = scopes(ctx).opened_by(function)
    body: Sequence[cst.CSTNode] = function.body.body
    start = 0
    for index, statement in enumerate(body):
        if is_docstring(statement) and index == 0:
            start = 1
        elif is_import(statement) and index == start:
            start = index + 1
        elif isinstance(statement, cst.SimpleStatementLine) and isinstance(
            statement.body[0], (cst.Global, cst.Nonlocal)
        ):
            start = index + 1
        elif index == start and initializes_base(statement) and not ctx.tree.is_around(statement, at):
            start = index + 1
        elif sets_visible_devices(ctx, statement) or (is_import(statement) and _binds_torch(scope, statement)):
            start = index + 1
    tried = body[start - 1] if start else None
    if isinstance(tried, cst.Try) and ctx.tree.is_around(tried.body, at):
        body = statements(tried.body)
        start = next((one for one in range(len(body), 0, -1) if sets_visible_devices(ctx, body[one - 1])), 0)
    anchor = Anchor(scope, body[start], after=False) if start < len(body) else Anchor(scope, body[-1])
    return anchor if runs_before(ctx, anchor, at) else None


def _binds_torch(scope: Scope, statement: cst.CSTNode) -> bool:
    """Whether a local import binds torch."""
    small = getattr(statement, "body", ())
    return any(one.origin == "torch" and one.node in small for found in scope.bindings.values() for one in found)


def outermost_function(ctx: FileContext, at: cst.CSTNode) -> cst.FunctionDef | None:
    """The function that holds ``at`` and is in no other; of a class that a function makes, the method.

    Such a class may be there for other processes, which have other devices. A function that a forked process runs is
    one of its own, too: what the function around it asks, the program asks before it forks.
    """
    found = None
    scope: Scope | None = scopes(ctx).scope_of(at)
    while scope is not None and not (scope.is_class and found is not None):
        if isinstance(scope.node, cst.Lambda) and is_handed_to_fork(ctx, scope.node):
            return None
        if isinstance(scope.node, cst.FunctionDef):
            found = scope.node
            if scope.parent is not None and runs_in_fork(ctx, found, scope.parent):
                break
        scope = scope.parent
    return found
