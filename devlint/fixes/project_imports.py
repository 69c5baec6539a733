"""The project's own imports: added to a statement that imports from the same module, or on their own line."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.cuda_mentions import uses_cuda_at_once
from devlint.analysis.names.bindings import Binding, How, bindings_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import executed_nodes
from devlint.core.diagnostic import Edit
from devlint.fixes.device.anchors.placement import imports_only, is_import, preamble, top_imports
from devlint.syntax import edits, line_edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.frameworks import LIBRARIES


def project_imports(ctx: FileContext, lines: Sequence[str]) -> tuple[Edit, ...] | None:
    """The edits that add the configured imports; None where a name is already bound to something else."""
    wanted = [(line, one) for line in lines for one in _bound_by(line)]
    bound = scopes(ctx).module.bindings
    missing: list[tuple[str, Binding]] = []
    for line, one in wanted:
        found = bound.get(one.name, [])
        if any(other.how is not How.IMPORT for other in found):
            return None
        if all(ctx.span(other.node).start > ctx.fact(_first_work) for other in found):
            missing.append((line, one))  # what is imported further down comes too late for what needs it above
    made: list[Edit] = []
    own_lines: list[str] = []
    joined: dict[int, tuple[cst.ImportFrom, list[str]]] = {}
    for line, one in missing:
        statement = _same_module(ctx, one)
        if statement is not None:
            joined.setdefault(id(statement), (statement, []))[1].append(one.name)
        elif line not in own_lines:
            own_lines.append(line)
    for statement, names in joined.values():
        assert not isinstance(statement.names, cst.ImportStar)
        made += edits.add_names(ctx, statement.names, sorted(set(names)))
    if own_lines:
        edit = _after_imports(ctx, own_lines)
        if edit is None:
            return None
        made.append(edit)
    return tuple(made)


def _bound_by(line: str) -> list[Binding]:
    """The names that an import statement binds."""
    statement = cst.parse_statement(line)
    assert isinstance(statement, cst.SimpleStatementLine)
    return list(bindings_of(statement.body[0]))


def _same_module(ctx: FileContext, wanted: Binding) -> cst.ImportFrom | None:
    """The statement at the top, above all that may need it, that imports other names from ``wanted``'s module."""
    if not isinstance(wanted.node, cst.ImportFrom) or not (wanted.origin or "").endswith(f".{wanted.name}"):
        return None
    for line in _imports_above_work(ctx):
        small = line.body[0]
        if isinstance(small, cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
            theirs = {(one.origin or "").rpartition(".")[0] for one in bindings_of(small)}
            comment = "#" in ctx.text_of(small) or line.trailing_whitespace.comment is not None
            if theirs == {(wanted.origin or "").rpartition(".")[0]} and not comment:
                return small
    return None


def _after_imports(ctx: FileContext, lines: Sequence[str]) -> Edit | None:
    """Below the imports at the top, or those that stand above all that may need what is imported."""
    anchor = preamble(ctx)
    above = _imports_above_work(ctx) or top_imports(ctx)
    if above:
        return line_edits.insert_line_after(ctx, above[-1], lines)
    return anchor.insert(ctx, lines) if anchor is not None else None


def _imports_above_work(ctx: FileContext) -> list[cst.SimpleStatementLine]:
    end = ctx.fact(_first_work)
    return [one for one in top_imports(ctx) if ctx.span(one).start < end]


def _first_work(ctx: FileContext) -> int:
    """Where the first statement stands that the module itself runs and that may need a device.

    It names CUDA, or uses torch, a library that is told which device to use, or the module's own functions.
    """
    workers = {
        name: min(ctx.span(one.node).start for one in found)
        for name, found in scopes(ctx).module.bindings.items()
        if any(
            isinstance(one.node, (cst.FunctionDef, cst.ClassDef))
            or (one.origin or "").partition(".")[0] in ("torch", *LIBRARIES)
            for one in found
        )
    }
    for statement in ctx.module.body:
        is_quiet = isinstance(statement, (cst.FunctionDef, cst.ClassDef)) or imports_only(statement)
        if not is_quiet and not is_import(statement):
            start = ctx.span(statement).start
            names = (node.value for node in executed_nodes(statement) if isinstance(node, cst.Name))
            # What no line above binds is a word of a notebook's command: `pip install torch`.
            if any(workers.get(name, start) < start for name in names) or uses_cuda_at_once(ctx, statement):
                return start
    return len(ctx.source.text)
