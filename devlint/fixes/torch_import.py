"""The name of torch at a place, and the import to add where it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.apis.environment_writes import environment_writes
from devlint.analysis.names.binding_positions import binding_positions
from devlint.analysis.names.bindings import Binding
from devlint.analysis.names.control_flow import binds, holds, index_in, is_main_guard, statements
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.scripts import executed_nodes
from devlint.core.diagnostic import Edit
from devlint.fixes.device.placement import is_docstring, is_import, preamble, top_imports
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext


def torch_name(ctx: FileContext, at: cst.CSTNode, after: bool = False) -> tuple[str, tuple[Edit, ...]] | None:
    """The name of torch at ``at``, with the import to add where it has none; None where ``torch`` is something else.

    With ``after`` it is enough that the statement ``at`` itself imports it.
    """
    table = scopes(ctx)
    for scope in table.enclosing(at):
        for name in ctx.fact(_names_of_torch).get(id(scope), ()):
            if table.binder(name, at) is scope and _is_imported_before(ctx, scope, scope.bindings[name], at, after):
                return name, ()
    owner = table.binder("torch", at)
    if owner is not None and not all(one.origin == "torch" for one in owner.bindings["torch"]):
        return None
    local = _local_import(ctx, at)
    if local is not None and not _follows(ctx, local, at, after):
        return None
    if local is not None:
        edit = line_edits.insert_line_before(ctx, local, ["import torch"])
    else:
        edit = _import_line(ctx, "import torch", ctx.span(at).start)
    return ("torch", (edit,)) if edit is not None else None


def _names_of_torch(ctx: FileContext) -> dict[int, list[str]]:
    """By scope, the names that are torch and nothing else."""
    found: dict[int, list[str]] = {}
    for scope in scopes(ctx).every():
        names = [name for name, bound in scope.bindings.items() if all(one.origin == "torch" for one in bound)]
        if names:
            found[id(scope)] = names
    return found


def _follows(ctx: FileContext, line: cst.CSTNode, at: cst.CSTNode, after: bool) -> bool:
    """Whether ``at`` stands in the block of ``line``, or deeper, and runs after it, or (``after``) is it."""
    block = ctx.tree.parent(line)
    body = statements(block) if block is not None else ()
    outer = next((one for one in (at, *ctx.tree.ancestors(at)) if ctx.tree.parent(one) is block), None)
    order = {id(one): index for index, one in enumerate(body)}
    if outer is None or id(outer) not in order:
        return False
    return order[id(line)] < order[id(outer)] or (after and outer is line)


def _is_imported_before(ctx: FileContext, scope: Scope, found: Sequence[Binding], at: cst.CSTNode, after: bool) -> bool:
    """Whether an import has run at ``at``; a function is taken to be called after the module's own imports."""
    table = scopes(ctx)
    if scope is table.module and table.function_of(at) is not None:
        return any(not _in_main_part(ctx, one.node) for one in found)
    if certainly_bound(ctx, found[0].name, scope, at, found):
        return True
    if after and binds(at, binding_positions(ctx, scope, found).node_ids):
        return True
    if after and isinstance(at, cst.Try) and any(holds(ctx, at, one) for one in found):
        return True
    start = ctx.span(at).start
    return any(ctx.span(one.node).start < start and _optional(ctx, one.node, scope) for one in found)


def _optional(ctx: FileContext, node: cst.CSTNode, scope: Scope) -> bool:
    """Whether an import stands in a ``try`` at the top of its scope, which what follows relies on."""
    ups = list(ctx.tree.ancestors(node))
    tries = [index for index, one in enumerate(ups) if isinstance(one, cst.Try)]
    return bool(tries) and not any(isinstance(one, (cst.If, cst.For, cst.While)) for one in ups[: tries[-1]])


def _in_main_part(ctx: FileContext, node: cst.CSTNode) -> bool:
    return any(is_main_guard(one) for one in ctx.tree.ancestors(node))


def _import_line(ctx: FileContext, line: str, before: int) -> Edit | None:
    """The edit that adds an import before an offset: above the first import of torch, else above the first one.

    Settings of the environment stay above it: their author may have meant them for torch. Nothing that the module
    itself runs above the import reads what it binds.
    """
    before = min([before, *_reads_of_torch(ctx)])
    of_torch = ctx.fact(_first_of_torch)
    if of_torch is not None and ctx.span(of_torch).start <= before:
        return line_edits.insert_line_before(ctx, of_torch, [line])
    if of_torch is not None and not _is_quiet_before(ctx, of_torch):
        return None  # what stands above may have to run first
    setting = _last_environment_write(ctx, before)
    if setting is not None:
        return line_edits.insert_line_after(ctx, setting, [line])
    imports = list(top_imports(ctx))
    of_future = [one for one in imports if "__future__" in ctx.text_of(one)]
    if of_future:
        return line_edits.insert_line_after(ctx, of_future[-1], [line])
    if imports and ctx.span(imports[0]).start <= before:
        return line_edits.insert_line_before(ctx, imports[0], [line])
    anchor = preamble(ctx)
    edit = anchor.insert(ctx, [line]) if anchor is not None and not imports else None
    return edit if edit is not None and edit.span.start <= before else _first_line(ctx, line)


def _reads_of_torch(ctx: FileContext) -> Iterator[int]:
    """Where lines that the module itself runs, and that import nothing, speak of torch."""
    for one in ctx.module.body:
        if not is_import(one):
            nodes = executed_nodes(one)
            yield from (ctx.span(node).start for node in nodes if isinstance(node, cst.Name) and node.value == "torch")


def _first_line(ctx: FileContext, line: str) -> Edit | None:
    """The edit that adds a line above all that a module does, below its docstring."""
    first, *others = ctx.module.body
    if not is_docstring(first):
        return line_edits.insert_line_before(ctx, first, [line])
    return line_edits.insert_line_before(ctx, others[0], [line]) if others else None


def _is_quiet_before(ctx: FileContext, line: cst.CSTNode) -> bool:
    """Whether what a module runs before a line calls nothing but what sets the environment."""
    setting = {id(up) for one in environment_writes(ctx) if one.own for up in ctx.tree.ancestors(one.node)}
    above = ctx.module.body[: index_in(ctx, ctx.module, line)]
    return not any(
        isinstance(node, cst.Call) for one in above if id(one) not in setting for node in executed_nodes(one)
    )


def _last_environment_write(ctx: FileContext, before: int) -> cst.CSTNode | None:
    """The last of the simple lines a module begins with that sets an environment variable, up to an offset."""
    setting = {id(up) for one in environment_writes(ctx) if one.own for up in ctx.tree.ancestors(one.node)}
    found = None
    for line in ctx.module.body:
        if not isinstance(line, cst.SimpleStatementLine) or ctx.span(line).end > before:
            break
        found = line if id(line) in setting else found
    return found


def _first_of_torch(ctx: FileContext) -> cst.CSTNode | None:
    """The first line at the top of a file that imports torch or something that is called so."""
    return next((one for one in top_imports(ctx) if "torch" in ctx.text_of(one)), None)


def imports_torch_locally(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a function around ``at`` imports torch, or a part of it, and the module itself does without."""
    return _local_import(ctx, at) is not None


def _local_import(ctx: FileContext, at: cst.CSTNode) -> cst.CSTNode | None:
    """The first line that imports torch, or a part of it, in a function around ``at``: the module has none."""
    table = scopes(ctx)
    known = ctx.fact(_torch_imports)
    if id(table.module) in known:
        return None
    lines = (ctx.tree.parent(one.node) for scope in table.enclosing(at) for one in known.get(id(scope), ()))
    return next((one for one in lines if isinstance(one, cst.SimpleStatementLine)), None)


def _torch_imports(ctx: FileContext) -> dict[int, list[Binding]]:
    """By scope, what imports torch or a part of it."""
    found: dict[int, list[Binding]] = {}
    for scope in scopes(ctx).every():
        for one in (one for bound in scope.bindings.values() for one in bound):
            if one.origin is not None and one.origin.partition(".")[0] == "torch":
                found.setdefault(id(scope), []).append(one)
    return found
