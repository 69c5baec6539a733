"""Uses of automatic mixed precision: the form for CUDA alone, and the one that takes a device."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.versions.version_tests import oldest_torch
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import origin, reads
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.tree import children
from devlint.torch_api.first_releases import GRAD_SCALER

AUTOCAST, SCALER = "autocast", "GradScaler"
_KINDS = {
    "torch.cuda.amp.autocast": (AUTOCAST, True),
    "torch.cuda.amp.GradScaler": (SCALER, True),
    "torch.cuda.amp.autocast_mode.autocast": (AUTOCAST, True),
    "torch.cuda.amp.grad_scaler.GradScaler": (SCALER, True),
    "torch.autocast": (AUTOCAST, False),
    "torch.amp.autocast": (AUTOCAST, False),
    "torch.amp.GradScaler": (SCALER, False),
    "torch.amp.autocast_mode.autocast": (AUTOCAST, False),
    "torch.amp.grad_scaler.GradScaler": (SCALER, False),
    "torch.GradScaler": (SCALER, False),
}
_SINCE = {AUTOCAST: (1, 12), SCALER: GRAD_SCALER}
_PARAMETERS: dict[tuple[str, bool], tuple[str, ...]] = {
    (AUTOCAST, True): ("enabled", "dtype", "cache_enabled"),
    (AUTOCAST, False): ("device_type", "dtype", "enabled", "cache_enabled"),
    (SCALER, True): ("init_scale", "growth_factor", "backoff_factor", "growth_interval", "enabled"),
    (SCALER, False): ("device", "init_scale", "growth_factor", "backoff_factor", "growth_interval", "enabled"),
}
REST = "**"
"""The key of ``**kwargs`` among the arguments of a call."""
_AROUND_TYPES = (cst.Tuple, cst.Element, cst.Subscript, cst.SubscriptElement, cst.Index, cst.BinaryOperation)
_ASKS = regex(r"cpu|cuda|is_available|\bFalse\b")


def is_in_oldest_torch(ctx: FileContext, kind: str) -> bool:
    """Whether the oldest torch that is supported has ``torch.amp.autocast`` or ``torch.amp.GradScaler``."""
    return oldest_torch(ctx) >= _SINCE.get(kind, (99, 0))


class AmpUse(Record, eq=False):
    """A place that names ``autocast`` or ``GradScaler``."""

    node: cst.Name | cst.Attribute
    kind: str
    of_cuda: bool
    """Whether it is the one of ``torch.cuda.amp``, which takes no device."""
    call: cst.Call | None
    """The call of it, where it is called."""

    @property
    def device_slot(self) -> str:
        """What the parameter for the device is called in the form that has one."""
        return "device_type" if self.kind == AUTOCAST else "device"

    @property
    def root(self) -> cst.Name:
        """The name it begins with."""
        node: cst.BaseExpression = self.node
        while isinstance(node, cst.Attribute):
            node = node.value
        assert isinstance(node, cst.Name)
        return node

    def arguments(self) -> dict[str, cst.Arg] | None:
        """The arguments of the call by their parameters; None where a star hides them, or one is unknown."""
        found: dict[str, cst.Arg] = {}
        names = _PARAMETERS[self.kind, self.of_cuda]
        for index, arg in enumerate(self.call.args if self.call is not None else ()):
            if arg.star == "*" or (arg.keyword is None and not arg.star and index >= len(names)):
                return None
            name = REST if arg.star else arg.keyword.value if arg.keyword is not None else names[index]
            if name in found or name not in (*names, REST):
                return None
            found[name] = arg
        return found

    def names_cuda(self) -> bool:
        """Whether the call is for CUDA whatever the device."""
        given = self.arguments()
        if self.of_cuda or given is None:
            return self.of_cuda
        slot = given.get(self.device_slot)
        if slot is None:
            return self.kind == SCALER and REST not in given
        return string_value(slot.value) == "cuda"


@fact
def amp_uses(ctx: FileContext) -> list[AmpUse]:
    """Every place that names one of them, in source order."""
    found: list[AmpUse] = []
    names: Sequence[cst.Name | cst.Attribute] = [
        *(one for one in ctx.tree.of_type(cst.Attribute) if one.attr.value in (AUTOCAST, SCALER)),
        *reads(ctx),
    ]
    for node in names:
        kind = _KINDS.get(origin(ctx, node) or "")
        if kind is not None and not is_assigned(ctx, node):
            parent = ctx.tree.parent(node)
            call = parent if isinstance(parent, cst.Call) and parent.func is node else None
            found.append(AmpUse(node, kind[0], kind[1], call))
    return sorted(found, key=lambda one: ctx.span(one.node).start)


def is_assigned(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a name or attribute is given a value: ``except ImportError: autocast = None``."""
    parent = ctx.tree.parent(node)
    return isinstance(parent, (cst.AssignTarget, cst.Del))


def is_only_named(ctx: FileContext, use: AmpUse) -> bool:
    """Whether a class is only named, in an annotation, for ``isinstance`` or to ask for None, and not called."""
    for parent in ctx.tree.ancestors(use.node):
        if isinstance(parent, (cst.Annotation, cst.Comparison)):
            return True
        if isinstance(parent, cst.Arg):
            call = ctx.tree.parent(parent)
            return isinstance(call, cst.Call) and dotted_name(call.func) == "isinstance" and call.args[-1] is parent
        if not isinstance(parent, _AROUND_TYPES):
            return False
    return False


def is_fallback(ctx: FileContext, use: AmpUse) -> bool:
    """Whether another branch has the newer form, so that this one is for a torch that lacks it."""
    newer = ctx.fact(_newer).get(use.kind)
    if not newer or not use.of_cuda:
        return False
    for child, parent in ctx.tree.path_up(use.node):
        if isinstance(parent, (cst.If, cst.IfExp, cst.Try)):
            others = [one for one in children(parent) if one is not child]
            if any(id(node) in newer for one in others for node in ctx.tree.below(one)):
                return True
    return False


def _newer(ctx: FileContext) -> dict[str, set[int]]:
    """By kind, the ids of the nodes that name the newer form."""
    found: dict[str, set[int]] = {}
    for one in amp_uses(ctx):
        if not one.of_cuda:
            found.setdefault(one.kind, set()).add(id(one.node))
    return found


def scope_of_import(ctx: FileContext, name: cst.Name) -> Scope | None:
    """The scope in which an import, and nothing but a substitute for it, binds ``name``."""
    scope = scopes(ctx).binder(name.value, name)
    if scope is None or sum(one.how is How.IMPORT for one in scope.bindings[name.value]) != 1:
        return None
    return scope


@fact
def uses_other_dtype(ctx: FileContext) -> bool:
    """Whether the file casts to another type than float16 anywhere, which an inner ``autocast`` would inherit."""
    given = [(one.arguments() or {}).get("dtype") for one in amp_uses(ctx) if one.kind == AUTOCAST]
    texts = [ctx.text_of(arg.value) for arg in given if arg is not None]
    others = [text for text in texts if text.rpartition(".")[2] not in ("float16", "half")]
    return "set_autocast_" in ctx.source.text or bool(others)


@fact
def may_cast_on_cpu(ctx: FileContext) -> bool:
    """Whether the file may switch on mixed precision for the CPU."""
    return "cpu.amp" in ctx.source.text or any(_may_cast_on_cpu(ctx, one) for one in amp_uses(ctx))


def _may_cast_on_cpu(ctx: FileContext, use: AmpUse) -> bool:
    if use.kind != AUTOCAST or use.call is None or use.names_cuda():
        return False
    given = use.arguments() or {}
    return "enabled" not in given or _ASKS.search(ctx.text_of(given["enabled"].value)) is None


def is_told_for_cpu_too(ctx: FileContext, use: AmpUse) -> bool:
    """Whether an ``autocast`` for the CPU is beside one for CUDA, in the same decorators or the same ``with``."""
    holder = ctx.tree.parent(use.call) if use.call is not None else None
    owner = ctx.tree.parent(holder) if holder is not None else None
    if isinstance(holder, cst.Decorator) and isinstance(owner, (cst.FunctionDef, cst.ClassDef)):
        beside: list[cst.BaseExpression] = [one.decorator for one in owner.decorators]
    elif isinstance(holder, cst.WithItem) and isinstance(owner, cst.With):
        beside = [one.item for one in owner.items]
    else:
        return False
    calls = [one for one in beside if isinstance(one, cst.Call) and one is not use.call]
    others = {id(one.call): one for one in amp_uses(ctx)}
    given = ((others[id(one)].arguments() or {}).get("device_type") for one in calls if id(one) in others)
    return any(one is not None and string_value(one.value) == "cpu" for one in given)
