"""The name of torch at a place, and the import to add where it has none."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.environment_writes import environment_writes
from devlint.analysis.names.binding_positions import binding_positions
from devlint.analysis.names.bindings import Binding, dotted_name
from devlint.analysis.names.control_flow import binds, holder_in, holds, index_in, is_main_guard, statements
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.scripts import executed_nodes
from devlint.analysis.names.torch_imports import first_torch_import, is_for_type_checkers, optional_torch_import
from devlint.analysis.slots.torch_loaders import has_torch_from_importers, torch_loader
from devlint.core.diagnostic import Edit, Fix
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.placement import is_docstring, is_import, preamble, top_imports
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.libraries import TORCH_LOADERS

_LINE = regex(r"(?m)^import torch\r?$")
_NEW = "the file does not import torch, and what must be imported before it is not known"


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
    if owner is None and _comes_by_star(ctx):
        return "torch", ()
    local = _local_import(ctx, at)
    if local is not None and not _follows(ctx, local, at, after):
        return None
    if local is None and owner is not None and owner is not table.module:  # where an import at the top is not seen
        return None
    if local is not None:
        edit = line_edits.insert_line_before(ctx, local, ["import torch"])
    else:
        edit = _import_line(ctx, at, after)
    return ("torch", (edit,)) if edit is not None else None


def _comes_by_star(ctx: FileContext) -> bool:
    """Whether the file reads a ``torch`` that nothing but a star import above, from another package, can bind."""
    table = scopes(ctx)
    if not table.star_import or all(table.binder("torch", one) is not None for one in reads_named(ctx, "torch")):
        return False
    stars = (one for one in ctx.tree.of_type(cst.ImportFrom) if isinstance(one.names, cst.ImportStar))
    modules = [
        (_statement_of(ctx, one), dotted_name(one.module) if one.module else "") for one in stars if _binds(ctx, one)
    ]
    others = [index for index, module in modules if not (module or "").startswith("torch")]
    return bool(others) and others[0] < ctx.fact(_first_reader)


def _binds(ctx: FileContext, star: cst.ImportFrom) -> bool:
    """Whether a star import stands at the top of a file, or in a ``try`` there that ends in one whatever happens."""
    line = ctx.tree.parent(star)
    owners = [one for one in ctx.tree.ancestors(star) if isinstance(one, cst.BaseCompoundStatement)]
    if not owners:
        return line is not None and is_import(line)
    return len(owners) == 1 and isinstance(owners[0], cst.Try) and all(map(_has_star, owners[0].handlers))


def _has_star(handler: cst.ExceptHandler) -> bool:
    lines = (one for one in statements(handler.body) if isinstance(one, cst.SimpleStatementLine))
    return any(
        isinstance(small, cst.ImportFrom) and isinstance(small.names, cst.ImportStar)
        for one in lines
        for small in one.body
    )


def _names_of_torch(ctx: FileContext) -> dict[int, list[str]]:
    """By scope, the names that are torch and nothing else."""
    found: dict[int, list[str]] = {}
    for scope in scopes(ctx).every():
        names = [
            name
            for name, bound in scope.bindings.items()
            if all(one.origin == "torch" for one in bound)
            and not all(is_for_type_checkers(ctx, one.node) for one in bound)
        ]
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
    return any(ctx.span(one.node).start < start and _optional(ctx, one.node, at) for one in found)


def _optional(ctx: FileContext, node: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether an import stands in a ``try`` at the top of its scope, on which ``at`` relies below it."""
    ups = list(ctx.tree.ancestors(node))
    owner = next((one for one in reversed(ups) if isinstance(one, cst.Try)), None)
    if owner is None or any(isinstance(one, (cst.If, cst.For, cst.While)) for one in ups[: ups.index(owner)]):
        return False
    around = [one for one in ctx.tree.ancestors(at) if ctx.tree.parent(one) is owner]
    is_first = any(one is statements(owner.body)[0] for one in ups)
    return not any(
        isinstance(one, cst.ExceptHandler) or (isinstance(one, cst.Finally) and not is_first) for one in around
    )


def _in_main_part(ctx: FileContext, node: cst.CSTNode) -> bool:
    return any(is_main_guard(one) for one in ctx.tree.ancestors(node))


def _import_line(ctx: FileContext, at: cst.CSTNode, after: bool) -> Edit | None:
    """The edit that adds an import above the first one of torch, so that nothing is imported in another order.

    Where there is none, or only one that runs later, it goes below all that may have to come first: launchers such as
    isaacgym, settings of the environment, a changed ``sys.path``. What has torch loaded above a setting needs none of
    it. Nothing that the module itself runs above the import reads what it binds.
    """
    line, body, reader = ["import torch"], ctx.module.body, ctx.fact(_first_reader)
    first = first_torch_import(ctx)
    if first is not None and _is_earlier(ctx, first, at) and _statement_of(ctx, first) <= reader:
        return line_edits.insert_line_before(ctx, first, line)
    runs_later = scopes(ctx).function_of(at) is not None
    optional = optional_torch_import(ctx) if first is None and runs_later else None
    if optional is not None:  # a module that is to work without torch
        return line_edits.insert_line_before(ctx, optional, line)
    end = reader if runs_later else min(_statement_of(ctx, at) + after, reader)
    setting = {id(up) for one in environment_writes(ctx) if one.own for up in ctx.tree.ancestors(one.node)}
    loader = torch_loader(ctx) if first is None else None
    loaded = _statement_of(ctx, loader) if loader is not None else len(body)
    if loader is not None and loaded < end and _is_of_library(loader):
        return line_edits.insert_line_after(ctx, loader, line)
    above = [
        index
        for index, one in enumerate(body[:end])
        if is_import(one) or (id(one) in setting and index < loaded and not is_main_guard(one))
    ]
    if first is not None and not _is_quiet_between(ctx, above[-1] + 1 if above else 0, first):
        return None
    if above and ctx.source.is_fragment and "__future__" not in ctx.text_of(body[above[0]]):
        return line_edits.insert_line_before(ctx, body[above[0]], line)
    if above:
        return line_edits.insert_line_after(ctx, body[above[-1]], line)
    anchor = preamble(ctx)
    edit = anchor.insert(ctx, line) if anchor is not None and not top_imports(ctx) else None
    limit = ctx.span(body[end]).start if end < len(body) else len(ctx.source.text)
    limit = min(limit, ctx.fact(_first_call))  # what is called may need it
    return edit if edit is not None and edit.span.start <= limit else _first_line(ctx, line)


def _is_of_library(line: cst.SimpleStatementLine) -> bool:
    """Whether an import is of a library that loads torch, so that torch stands well beside it."""
    one = line.body[0]
    if isinstance(one, cst.Import):
        return any((dotted_name(alias.name) or "").partition(".")[0] in TORCH_LOADERS for alias in one.names)
    if not isinstance(one, cst.ImportFrom) or one.module is None or one.relative:
        return False
    return (dotted_name(one.module) or "").partition(".")[0] in TORCH_LOADERS


def _statement_of(ctx: FileContext, node: cst.CSTNode) -> int:
    """Which of the module's statements is or holds a node."""
    index = index_in(ctx, ctx.module, node)
    index = index if index is not None else holder_in(ctx, ctx.module, node)
    return index if index is not None else 0


def _first_reader(ctx: FileContext) -> int:
    """The first of the statements that the module itself runs, and that import nothing, that speaks of torch."""
    for index, one in enumerate(ctx.module.body):
        if not is_import(one) and any(
            isinstance(node, cst.Name) and node.value == "torch" for node in executed_nodes(one)
        ):
            return index
    return len(ctx.module.body)


def _first_call(ctx: FileContext) -> int:
    """Where the first call stands that the module itself makes; the end of the text where it makes none."""
    called = (node for one in ctx.module.body for node in executed_nodes(one) if isinstance(node, cst.Call))
    return min((ctx.span(one).start for one in called), default=len(ctx.source.text))


def _first_line(ctx: FileContext, line: list[str]) -> Edit | None:
    """The edit that adds a line above all that a module does, below its docstring."""
    first, *others = ctx.module.body
    if not is_docstring(first):
        return line_edits.insert_line_before(ctx, first, line)
    return line_edits.insert_line_before(ctx, others[0], line) if others else None


def _is_earlier(ctx: FileContext, line: cst.CSTNode, at: cst.CSTNode) -> bool:
    """Whether a line of the module has run at ``at``; a function is taken to be called after the module's imports."""
    if _in_main_part(ctx, line):
        return False
    return scopes(ctx).function_of(at) is not None or ctx.span(line).start <= ctx.span(at).start


def _is_quiet_between(ctx: FileContext, start: int, line: cst.CSTNode) -> bool:
    """Whether nothing that a module runs from its statement ``start`` to a line imports or calls."""
    return not any(
        isinstance(node, (cst.Call, cst.Import, cst.ImportFrom)) and ctx.span(node).end <= ctx.span(line).start
        for one in ctx.module.body[start : _statement_of(ctx, line) + 1]
        for node in executed_nodes(one)
    )


def with_import_judged(ctx: FileContext, fix: Fix) -> Fix:
    """The fix, unsafe where it brings torch into a module that does without: what runs first may then be another."""
    if not fix.is_safe or ctx.source.is_fragment or first_torch_import(ctx) is not None:
        return fix
    lines = [one for one in fix.edits if one.span.start == one.span.end and _LINE.search(one.text)]
    loader = torch_loader(ctx) if lines else None
    is_below = loader is not None and all(one.span.start >= ctx.span(loader).end for one in lines)
    if not lines or is_below or has_torch_from_importers(ctx):
        return fix
    return fix.made_unsafe(_NEW)


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
