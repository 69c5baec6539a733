"""The role of every CUDA literal of a file, which decides the rule that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import libcst as cst

from devlint.analysis.cuda.declared_defaults import (
    is_enum_member,
    is_field,
    is_field_default,
    is_looked_up_default,
    is_option_default,
)
from devlint.analysis.cuda.described_devices import is_described
from devlint.analysis.cuda.device_data import is_expectation, is_named_as_data, only_reads
from devlint.analysis.cuda.fake_tensors import is_for_fake_tensors
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal, formatted_index
from devlint.analysis.guards.cuda_implementations import implements_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.exception_handling import fails_as_expected
from devlint.analysis.names.mocks import is_mock, is_recorded
from devlint.analysis.names.resolution import is_torch, origin
from devlint.analysis.names.string_literals import entry_key, string_value
from devlint.analysis.slots.device_arguments import imports_torch, slot_owner
from devlint.analysis.slots.framework_devices import says_device
from devlint.analysis.slots.placed_names import places_by_name
from devlint.analysis.slots.placed_settings import placed_setting
from devlint.analysis.slots.project_slots import project_slot
from devlint.analysis.slots.torch_loaders import has_torch_from_importers, torch_loader
from devlint.core.record import Record
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_naming import CAUGHT
from devlint.torch_api.device_naming import holds_device, holds_placement

_ONLY_READ = (
    cst.Annotation,
    cst.Comparison,
    cst.ComparisonTarget,
    cst.Index,
    cst.Expr,
    cst.Attribute,
    cst.FormattedStringExpression,
)


class LiteralRole(Enum):
    """What a literal does."""

    SLOT = "the device slot of a torch call"
    PARAMETER = "default of a parameter"
    FIELD = "default of a field of a dataclass or model"
    OPTION = "default of a command line option"
    ASSIGNED = "value of a name or attribute that holds a device"
    VALUE = "torch.device anywhere else"


class LiteralUse(Record, eq=False):
    """A CUDA literal with its role."""

    literal: CudaLiteral
    role: LiteralRole
    owner: cst.CSTNode
    """The call, ``with`` item, parameter or statement that uses it."""
    as_string: bool = False
    """Whether only another string can stand in its place."""

    @property
    def node(self) -> cst.BaseExpression:
        """The literal's expression."""
        return self.literal.node


def literal_uses(ctx: FileContext, *roles: LiteralRole) -> list[LiteralUse]:
    """The CUDA literals of a file that have one of ``roles``, in no special order."""
    return [use for use in ctx.fact(_literal_uses) if use.role in roles]


def _literal_uses(ctx: FileContext) -> list[LiteralUse]:
    found: list[LiteralUse] = []
    for literal in _literals(ctx):
        use = _use(ctx, literal)
        if use is not None and (_is_move(use.owner) or _has_torch(ctx)):
            found.append(use)
    return found


def _has_torch(ctx: FileContext) -> bool:
    """Whether the file imports torch, or what imports it, or is imported where torch is loaded."""
    return imports_torch(ctx) or torch_loader(ctx) is not None or has_torch_from_importers(ctx)


def _is_move(owner: cst.CSTNode) -> bool:
    """Whether a slot is that of ``x.to(...)``, which needs no import of torch."""
    return isinstance(owner, cst.Call) and isinstance(owner.func, cst.Attribute) and owner.func.attr.value == "to"


def _literals(ctx: FileContext) -> Iterator[CudaLiteral]:
    """The largest CUDA literals: ``torch.device("cuda")`` and not the string in it."""
    seen: set[int] = set()
    starts: list[cst.BaseExpression] = []
    for kind in (cst.SimpleString, cst.FormattedString):
        starts += [node for node in ctx.tree.of_type(kind) if _begins_with_cuda(node)]
    starts += ctx.tree.of_type(cst.Lambda)
    starts += [node for node in ctx.tree.of_type(cst.Call) if (dotted_name(node.func) or "").endswith("device")]
    for start in starts:
        whole = _largest(ctx, start)
        if whole is not None and id(whole.node) not in seen:
            seen.add(id(whole.node))
            yield whole


def _begins_with_cuda(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.SimpleString):
        return node.raw_value.startswith("cuda")
    first = node.parts[0] if isinstance(node, cst.FormattedString) and node.parts else None
    return isinstance(first, cst.FormattedStringText) and first.value.startswith("cuda")


def _largest(ctx: FileContext, node: cst.BaseExpression) -> CudaLiteral | None:
    """The outermost literal that ``node`` is the beginning of."""
    best = cuda_literal(ctx, node)
    current: cst.CSTNode | None = node
    for _ in range(3):
        current = ctx.tree.parent(current) if current is not None else None
        if isinstance(current, (cst.Arg, cst.Attribute)):
            current = ctx.tree.parent(current)
        if not isinstance(current, (cst.Call, cst.BinaryOperation, cst.ConcatenatedString)):
            break
        larger = cuda_literal(ctx, current)
        if larger is None:
            if not isinstance(current, cst.Call):
                return None
            break
        best = larger
    return best


def _use(ctx: FileContext, literal: CudaLiteral) -> LiteralUse | None:
    """The role of a literal; None where it is only compared, printed, a key, or told to another library (DEV108)."""
    node = literal.node
    if implements_cuda(ctx, node) or fails_as_expected(ctx, node, *CAUGHT) or is_recorded(ctx, node):
        return None
    if ctx.target.kind != "cuda" and _is_made_card(literal.node) and ctx.fact(_compares_cards):
        return None
    slot = slot_owner(ctx, node)
    if is_for_fake_tensors(ctx, node) or is_named_as_data(ctx, node):
        return None
    if slot is not None:
        is_placed = literal.kind is not LiteralKind.LOADER or _loads(slot)
        return LiteralUse(literal, LiteralRole.SLOT, slot) if is_placed else None
    if literal.kind is LiteralKind.LOADER or says_device(ctx, node) or is_described(ctx, node):
        return None
    passed = project_slot(ctx, node)
    if passed is not None and (not passed.as_string or literal.kind is LiteralKind.STRING):
        return LiteralUse(literal, LiteralRole.SLOT, passed.call, passed.as_string)
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.Param, cst.AnnAssign)) and _allows_no_cpu(ctx, parent):
        return None
    if isinstance(parent, cst.Param):
        named = holds_device(parent.name.value) or literal.kind is LiteralKind.DEVICE
        return LiteralUse(literal, LiteralRole.PARAMETER, parent) if named else None
    default = _default(ctx, literal, parent) if isinstance(parent, cst.Arg) else None
    if default is not None or is_mock(ctx, node):
        return default
    statement = _assigned_by(ctx, node)
    if statement is not None:
        if is_enum_member(ctx, statement) or is_expectation(statement):
            return None
        role = LiteralRole.FIELD if is_field(ctx, statement) else LiteralRole.ASSIGNED
        return LiteralUse(literal, role, statement)
    statement = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.BaseSmallStatement)), None)
    if isinstance(statement, cst.Assign) and is_enum_member(ctx, statement):
        return None
    is_value = literal.kind is LiteralKind.DEVICE and _is_used(ctx, node)
    return LiteralUse(literal, LiteralRole.VALUE, node) if is_value else None


def _allows_no_cpu(ctx: FileContext, node: cst.Param | cst.AnnAssign) -> bool:
    """Whether an annotation lists what a value may be, without the CPU: ``device: Literal["cuda"] = "cuda"``."""
    said = ctx.text_of(node.annotation) if node.annotation is not None else ""
    return "Literal[" in said and "cpu" not in said


def _default(ctx: FileContext, literal: CudaLiteral, arg: cst.Arg) -> LiteralUse | None:
    """The role of a literal that is the default of an option or of a field."""
    call = ctx.tree.parent(arg)
    if not isinstance(call, cst.Call):
        return None
    if is_option_default(ctx, call, arg) or is_looked_up_default(ctx, call, arg):
        return LiteralUse(literal, LiteralRole.OPTION, call)
    return LiteralUse(literal, LiteralRole.FIELD, call) if is_field_default(ctx, call, arg) else None


def _is_made_card(node: cst.BaseExpression) -> bool:
    """Whether an expression puts the text of a card together: ``"cuda:" + str(i)``."""
    return formatted_index(node) is not None


def _compares_cards(ctx: FileContext) -> bool:
    """Whether a file compares such a text with what it has noted: ``"cuda:" + str(i) != self.last_device``."""
    compared = (side for one in ctx.tree.of_type(cst.Comparison) for side in compared_values(one))
    return any(_is_made_card(one) for one in compared)


def _loads(call: cst.CSTNode) -> bool:
    """Whether a device slot may hold a function: that of a call that loads."""
    return isinstance(call, cst.Call) and "load" in ((dotted_name(call.func) or "").rpartition(".")[2])


def _assigned_by(ctx: FileContext, node: cst.BaseExpression) -> cst.CSTNode | None:
    """The assignment that gives ``node`` to something that holds a device."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.BooleanOperation) and isinstance(parent.operator, cst.Or) and parent.right is node:
        return _assigned_by(ctx, parent)
    if isinstance(parent, cst.Assign):
        is_device = any(_holds_device(target.target) for target in parent.targets) or places_by_name(ctx, parent)
        return parent if is_device else None
    if isinstance(parent, (cst.AnnAssign, cst.NamedExpr)):
        return parent if _holds_device(parent.target) else None
    if isinstance(parent, cst.Element):
        return _unpacked_by(ctx, parent)
    return placed_setting(ctx, node) if isinstance(parent, (cst.DictElement, cst.Arg)) else None


def _unpacked_by(ctx: FileContext, element: cst.Element) -> cst.CSTNode | None:
    """The assignment ``device, n = "cuda", 3``, where it is the device's piece."""
    values = ctx.tree.parent(element)
    statement = ctx.tree.parent(values) if values is not None else None
    if not isinstance(values, cst.Tuple) or not isinstance(statement, cst.Assign):
        return None
    position = next(i for i, one in enumerate(values.elements) if one is element)
    for target in statement.targets:
        names = target.target
        if not isinstance(names, (cst.Tuple, cst.List)) or len(names.elements) != len(values.elements):
            continue
        if _holds_device(names.elements[position].value):
            return statement
    return None


def _holds_device(target: cst.BaseExpression) -> bool:
    """Whether a target is called like a device: ``device``, ``self.dev``, ``config["device"]``."""
    if isinstance(target, cst.Subscript):
        name = entry_key(target)
    elif isinstance(target, cst.Attribute):
        name = target.attr.value
    else:
        name = target.value if isinstance(target, cst.Name) else None
    return name is not None and holds_placement(name)


def _is_used(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a torch.device is more than compared, looked up, or handed to CUDA's own functions."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, _ONLY_READ):
            return False
        if isinstance(parent, cst.Set) or (isinstance(parent, cst.DictElement) and parent.key is child):
            return False
        if isinstance(parent, cst.Call):
            called = origin(ctx, parent.func) or ""
            if called.startswith("torch.cuda.") or is_torch(ctx, parent.func, "device"):
                return False
            return not only_reads(ctx, parent, child) and not any(_is_nccl(one.value) for one in parent.args)
        if isinstance(parent, (cst.BaseStatement, cst.BaseSmallStatement, cst.Lambda)):
            return not is_expectation(parent)
    return True


def _is_nccl(node: cst.BaseExpression) -> bool:
    """Whether an argument is NCCL, which is for devices of CUDA alone: ``BackendType.NCCL``."""
    return string_value(node) == "nccl" or (dotted_name(node) or "").endswith(".NCCL")
