"""The role of every CUDA tensor type of a file, which decides the rule that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import libcst as cst

from devlint.analysis.legacy_types.modern_calls import cast_argument
from devlint.analysis.legacy_types.tensor_types import (
    DTYPES,
    TypeChoice,
    is_namesake,
    string_type,
    tensor_type,
    type_choice,
)
from devlint.analysis.names.resolution import is_torch, origin, reads_named
from devlint.core.record import Record
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext, fact


class TypeRole(Enum):
    """What a type does."""

    CALLED = "makes a tensor"
    CAST = "argument of x.type()"
    CHECK = "compared with, or asked by isinstance"
    DEFAULT = "made the default type"
    ALIAS = "given another name"
    VALUE = "anything else"


class TypeUse(Record, eq=False):
    """A CUDA type, or a choice between one and its CPU namesake, with its role."""

    choice: TypeChoice
    role: TypeRole
    owner: cst.CSTNode
    """The call, comparison or statement that uses it."""

    @property
    def node(self) -> cst.BaseExpression:
        """The whole expression that stands for the type."""
        return self.choice.node


def type_uses(ctx: FileContext, *roles: TypeRole) -> list[TypeUse]:
    """The CUDA types of a file that have one of ``roles``; names that stand for one are DEV205's and not among them."""
    return [use for use in ctx.fact(_type_uses) if use.role in roles]


@fact
def cpu_type_names(ctx: FileContext) -> dict[int, str]:
    """The CPU's name, by their ``id``, of the CUDA types that make or cast a tensor and are no choice of two types."""
    uses = (use for use in type_uses(ctx, TypeRole.CALLED, TypeRole.CAST) if use.choice.test is None)
    return {id(use.node): ctx.text_of(use.node).replace(".cuda.", ".", 1) for use in uses}


def _type_uses(ctx: FileContext) -> list[TypeUse]:
    found = [one for one in (*_written(ctx), *_strings(ctx)) if not _asks_for_either(ctx, one)]
    return sorted(found, key=lambda use: ctx.span(use.node).start)


def _asks_for_either(ctx: FileContext, use: TypeUse) -> bool:
    """Whether a type is only asked for together with the CPU's: ``isinstance(x, (FloatTensor, cuda.FloatTensor))``."""
    element = ctx.tree.parent(use.node)
    both = ctx.tree.parent(element) if isinstance(element, cst.Element) else None
    if ctx.target.kind != "cuda" or not isinstance(both, (cst.Tuple, cst.List, cst.Set)):
        return False
    kinds = [tensor_type(ctx, one.value) or string_type(one.value) for one in both.elements]
    if not any(kind is not None and not kind.cuda and is_namesake(ctx, use.choice.cuda, kind) for kind in kinds):
        return False
    return use.role is TypeRole.CHECK or _is_only_asked(ctx, both)


def _is_only_asked(ctx: FileContext, types: cst.BaseExpression) -> bool:
    """Whether some types have a name, alone or in a dictionary, that ``isinstance`` is given and nothing else."""
    statement = next((one for one in ctx.tree.ancestors(types) if not isinstance(one, _INSIDE_TABLES)), None)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    if not isinstance(target, cst.Name):
        return False
    uses = [one for one in reads_named(ctx, target.value) if one is not target]
    calls = [next((up for up in ctx.tree.ancestors(one) if not isinstance(up, _INSIDE_ASKED)), None) for one in uses]
    return bool(uses) and all(isinstance(one, cst.Call) and _asks_instance(one) for one in calls)


def _written(ctx: FileContext) -> Iterator[TypeUse]:
    """Types written as ``torch.cuda.FloatTensor``."""
    for node in ctx.tree.of_type(cst.Attribute):
        if node.attr.value not in DTYPES:
            continue
        kind = tensor_type(ctx, node)
        if kind is None or not kind.cuda:
            continue
        parent = ctx.tree.parent(node)
        choice = type_choice(ctx, parent) if isinstance(parent, cst.IfExp) and parent.test is not node else None
        use = _use(ctx, choice or TypeChoice(node, kind))
        if use is not None:
            yield use


def _use(ctx: FileContext, choice: TypeChoice) -> TypeUse | None:
    """The role of a type; None for an annotation, which does nothing at run time, and where the file replaces it."""
    node = choice.node
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.AssignTarget):
        return None
    if any(isinstance(one, cst.Annotation) or _is_hint(ctx, one) for one in ctx.tree.ancestors(node)):
        return None
    if isinstance(parent, cst.Call):
        return TypeUse(choice, TypeRole.CALLED, parent)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        assert isinstance(call, (cst.Call, cst.ClassDef))
        return TypeUse(choice, _role_in(ctx, call, parent) if isinstance(call, cst.Call) else TypeRole.VALUE, call)
    check = next((one for one in ctx.tree.ancestors(node) if not isinstance(one, _INSIDE_CHECKS)), parent)
    if isinstance(check, cst.Comparison) and not isinstance(parent, cst.Attribute):
        return TypeUse(choice, TypeRole.CHECK, check)
    if isinstance(check, cst.Call) and _asks_instance(check) and isinstance(parent, cst.Element):
        return TypeUse(choice, TypeRole.CHECK, check)
    statement = assignment_of(ctx, node)
    return TypeUse(choice, TypeRole.VALUE if statement is None else TypeRole.ALIAS, statement or parent or node)


def _is_hint(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is a type for a checker alone: ``Union[torch.FloatTensor, torch.cuda.FloatTensor]``."""
    return isinstance(node, cst.Subscript) and (origin(ctx, node.value) or "").startswith("typing.")


_INSIDE_TABLES = (cst.Dict, cst.DictElement)
_INSIDE_ASKED = (cst.Arg, cst.Element, cst.List, cst.Set, cst.StarredElement, cst.Subscript, cst.Tuple)
_INSIDE_CHECKS = (cst.Tuple, cst.List, cst.Set, cst.Element, cst.ComparisonTarget, cst.Arg)


def _role_in(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> TypeRole:
    """What a type does as an argument of ``call``."""
    if cast_argument(call) is arg:
        return TypeRole.CAST
    if _asks_instance(call):
        return TypeRole.CHECK
    return TypeRole.DEFAULT if is_torch(ctx, call.func, "set_default_tensor_type") else TypeRole.VALUE


def _asks_instance(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value in ("isinstance", "issubclass")


def assignment_of(ctx: FileContext, node: cst.CSTNode) -> cst.CSTNode | None:
    """The assignment that gives ``node`` as it is, or as a piece of a tuple, to a name or attribute."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.Assign, cst.AnnAssign)):
        return parent
    values = ctx.tree.parent(parent) if isinstance(parent, cst.Element) else None
    statement = ctx.tree.parent(values) if isinstance(values, (cst.Tuple, cst.List)) else None
    if not isinstance(statement, cst.Assign) or not isinstance(values, (cst.Tuple, cst.List)):
        return None
    targets = [one.target for one in statement.targets]
    matched = all(
        isinstance(one, (cst.Tuple, cst.List)) and len(one.elements) == len(values.elements) for one in targets
    )
    return statement if matched else None


def _strings(ctx: FileContext) -> Iterator[TypeUse]:
    """Types named by a string, in the three places where torch reads such a string."""
    for call in ctx.tree.of_type(cst.Call):
        given = cast_argument(call)
        if given is not None:
            yield from _named(ctx, given.value, TypeRole.CAST, call)
        elif len(call.args) == 1 and is_torch(ctx, call.func, "set_default_tensor_type"):
            yield from _named(ctx, call.args[0].value, TypeRole.DEFAULT, call)
    for comparison in ctx.tree.of_type(cst.Comparison):
        if any(receiver_of_type_call(side) is not None for side in compared_values(comparison)):
            for string in ctx.tree.below(comparison):
                if isinstance(string, cst.SimpleString) and not isinstance(
                    ctx.tree.parent(string), cst.ConcatenatedString
                ):
                    yield from _named(ctx, string, TypeRole.CHECK, comparison)


def _named(ctx: FileContext, node: cst.BaseExpression, role: TypeRole, owner: cst.CSTNode) -> Iterator[TypeUse]:
    names = [node.body, node.orelse] if isinstance(node, cst.IfExp) else [node]
    if any(string_type(one) is not None for one in names):
        choice = type_choice(ctx, node, strings=True)
        if choice is not None:
            yield TypeUse(choice, role, owner)


def receiver_of_type_call(node: cst.CSTNode) -> cst.BaseExpression | None:
    """``x`` of ``x.type()``."""
    if isinstance(node, cst.Call) and not node.args and isinstance(node.func, cst.Attribute):
        return node.func.value if node.func.attr.value == "type" else None
    return None
