"""Names that stand for a CUDA tensor type: ``Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.legacy_types.tensor_types import TypeChoice, is_namesake, named_type, tensor_type, type_choice
from devlint.analysis.legacy_types.type_uses import assignment_of
from devlint.analysis.names.bindings import Binding, How, import_alias
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import reads
from devlint.analysis.names.scopes import Scope, scopes
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact


class TypeAlias(Record, eq=False):
    """A name that is bound to a CUDA tensor type, and all that the file does with it."""

    name: str
    scope: Scope
    place: cst.CSTNode
    """The expression or imported name that makes it a CUDA type."""
    choice: TypeChoice | None
    """The type; None where the name may be something else as well."""
    bindings: list[Binding]
    uses: list[cst.Name]
    of: TypeAlias | None = None
    """The alias that this one only renames."""

    @property
    def is_imported(self) -> bool:
        """Whether an import binds it."""
        return any(one.how is How.IMPORT for one in self.bindings)


@fact
def type_aliases(ctx: FileContext) -> list[TypeAlias]:
    """The aliases of a file, in source order, without attributes."""
    found: dict[tuple[int, str], TypeAlias] = {}
    for scope in _all_scopes(ctx):
        for name, bound in scope.bindings.items():
            alias = _alias(ctx, name, scope, bound)
            if alias is not None:
                found[id(scope), name] = alias
    while True:
        further = list(_aliases_of(ctx, found))
        if not further:
            break
        found.update({(id(one.scope), one.name): one for one in further})
    names = {name for _, name in found}
    for read in reads(ctx):
        if read.value in names:
            holder = scopes(ctx).binder(read.value, read)
            alias = found.get((id(holder), read.value))
            if alias is not None and not _is_target(ctx, read):
                alias.uses.append(read)
    return sorted(found.values(), key=lambda one: ctx.span(one.place).start)


def _all_scopes(ctx: FileContext) -> Iterator[Scope]:
    table = scopes(ctx)
    yield table.module
    for kind in (cst.FunctionDef, cst.ClassDef):
        for node in ctx.tree.of_type(kind):
            yield table.opened_by(node)


def _is_target(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is assigned to and not read."""
    parent = ctx.tree.parent(name)
    if isinstance(parent, cst.Element):
        holder = ctx.tree.parent(parent)
        parent = ctx.tree.parent(holder) if holder is not None else None
    return isinstance(parent, cst.AssignTarget) or (isinstance(parent, cst.AnnAssign) and parent.target is name)


def _alias(ctx: FileContext, name: str, scope: Scope, bound: list[Binding]) -> TypeAlias | None:
    """A name as an alias, if one of its bindings is a CUDA type."""
    imported = [one for one in bound if one.how is How.IMPORT]
    if imported:
        kind = named_type(imported[0].origin)
        if kind is None or not kind.cuda:
            return None
        statement = imported[0].node
        place = import_alias(statement, name) if isinstance(statement, cst.ImportFrom) else None
        if place is None:
            return None
        choice = TypeChoice(cst.Name(name), kind) if len(bound) == 1 else None
        return TypeAlias(name, scope, place, choice, bound, [])
    values = [(one, type_choice(ctx, one.value)) for one in bound if one.value is not None and one.how is How.ASSIGN]
    cuda = next(((one, choice) for one, choice in values if choice is not None), None)
    if cuda is None or cuda[1] is None:
        return None
    return TypeAlias(name, scope, cuda[1].node, _sole_type(ctx, cuda[0], cuda[1], bound), bound, [])


def _sole_type(ctx: FileContext, binding: Binding, choice: TypeChoice, bound: list[Binding]) -> TypeChoice | None:
    """The type of a name with all its bindings: one, or one for CUDA and one for its CPU namesake."""
    if len(bound) == 1:
        return choice
    other = next(one for one in bound if one is not binding)
    if len(bound) > 2 or choice.test is not None or other.value is None or other.how is not How.ASSIGN:
        return None
    cpu = tensor_type(ctx, other.value)
    branch = branch_of(ctx, binding.node)
    if cpu is None or cpu.cuda or branch is None:
        return None
    owner, holds = branch
    if not _is_counterpart(ctx, owner, holds, other.node):
        return None
    return TypeChoice(choice.node, choice.cuda, owner.test, holds, is_namesake(ctx, choice.cuda, cpu))


def branch_of(ctx: FileContext, statement: cst.CSTNode) -> tuple[cst.If, bool] | None:
    """The ``if`` in whose branch a small statement stands directly, and whether the test holds there."""
    line = ctx.tree.parent(statement)
    block = line if isinstance(line, cst.SimpleStatementSuite) else ctx.tree.parent(line) if line is not None else None
    owner = ctx.tree.parent(block) if block is not None else None
    if isinstance(owner, cst.If):
        return (owner, True) if owner.body is block else None
    outer = ctx.tree.parent(owner) if isinstance(owner, cst.Else) else None
    return (outer, False) if isinstance(outer, cst.If) else None


def _is_counterpart(ctx: FileContext, owner: cst.If, holds: bool, other: cst.CSTNode) -> bool:
    """Whether ``other`` stands in the other branch of ``owner``, or before it where there is none."""
    branch = branch_of(ctx, other)
    if branch is not None and branch[0] is owner:
        return branch[1] is not holds
    if owner.orelse is not None:
        return False
    line, block = ctx.tree.parent(other), ctx.tree.parent(owner)
    body = statements(block) if block is not None else ()
    before = [one for one in body if ctx.span(one).start < ctx.span(owner).start]
    return any(one is line for one in before)


def _aliases_of(ctx: FileContext, known: dict[tuple[int, str], TypeAlias]) -> Iterator[TypeAlias]:
    """Names that are bound once, to an alias."""
    for scope in _all_scopes(ctx):
        for name, bound in scope.bindings.items():
            value = bound[0].value
            if len(bound) > 1 or not isinstance(value, cst.Name) or bound[0].how is not How.ASSIGN:
                continue
            holder = scopes(ctx).binder(value.value, value)
            original = known.get((id(holder), value.value))
            if original is not None and (id(scope), name) not in known:
                yield TypeAlias(name, scope, value, original.choice, bound, [], of=original)


def defining_statement(ctx: FileContext, alias: TypeAlias, binding: Binding) -> cst.CSTNode:
    """The assignment or import that binds."""
    return assignment_of(ctx, binding.value) or binding.node if binding.value is not None else binding.node
