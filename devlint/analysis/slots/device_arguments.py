"""Device slots: the arguments of torch calls that say on which device a tensor or module is put."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import is_torch, origin, reads_named, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.call_arguments import keyword_argument, positional_argument
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.literals import literal_value
from devlint.torch_api.device_naming import LOADS, SLOTS, TAKE_DEVICE, URL_LOADS
from devlint.torch_api.libraries import NOT_TORCH, TORCH_PACKAGES

# torch calls whose ``device=`` says whom to ask, not where to put something, or that CUDA alone has.
_NO_PLACEMENT = (
    "torch.cuda.",
    "torch.accelerator.",
    "torch.amp.",
    "torch.autocast",
    "torch.backends.",
    "torch.device",
    "torch.distributed.",
    "torch.Event",
    "torch.GradScaler",
    "torch.mps.",
    "torch.profiler.",
    "torch.Stream",
    "torch.xpu.",
)
_METHODS = frozenset("to to_empty new_empty new_empty_strided new_full new_ones new_tensor new_zeros".split())
_UNBOUND = frozenset({"torch.Tensor.to", "torch.nn.Module.to"})


@fact
def imports_torch(ctx: FileContext) -> bool:
    """Whether the file imports torch, or one of its modules, anywhere, or uses ``torch`` by a star import."""
    found = [alias.name for node in ctx.tree.of_type(cst.Import) for alias in node.names]
    found += [node.module for node in ctx.tree.of_type(cst.ImportFrom) if node.module is not None and not node.relative]
    if any((dotted_name(name) or "").partition(".")[0] in TORCH_PACKAGES for name in found):
        return True
    return any(origin(ctx, one) == "torch" for one in reads_named(ctx, "torch"))


def device_slot(ctx: FileContext, call: cst.Call) -> cst.Arg | None:
    """The argument of ``call`` that says on which device; None where there is none or the call is not torch's."""
    named = keyword_argument(call, *SLOTS)
    if named is not None and named.keyword is not None:
        keyword = named.keyword.value
        if keyword == "map_location" or _is_method(ctx, call, "to" if keyword == "torch_device" else None):
            return named
        return named if keyword == "device" and _is_placement(ctx, call) else None
    return _positional_slot(ctx, call)


def _positional_slot(ctx: FileContext, call: cst.Call) -> cst.Arg | None:
    """The slot of ``x.to("cuda")``, ``torch.load(f, "cuda")``, ``torch.Generator("cuda")``…"""
    if not call.args:
        return None
    if _is_method(ctx, call, "to"):
        return positional_argument(call, 1 if (origin(ctx, call.func) or "") in _UNBOUND else 0)
    called = origin(ctx, call.func) or ""
    if called in LOADS:
        return positional_argument(call, 1)
    if called.startswith("torch.") and called.rpartition(".")[2] in URL_LOADS:
        return positional_argument(call, 2)
    return positional_argument(call, 0) if called in TAKE_DEVICE else None


def _is_method(ctx: FileContext, call: cst.Call, only: str | None = None) -> bool:
    """Whether a call is of one of the methods of tensors and modules that take a device."""
    if not isinstance(call.func, cst.Attribute):
        return False
    name = call.func.attr.value
    return (name == only if only else name in _METHODS) and not is_not_torch(ctx, call.func.value)


def _is_placement(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call of torch's makes or moves something where ``device=`` says."""
    return _places(ctx, call.func)


def _places(ctx: FileContext, function: cst.BaseExpression) -> bool:
    """Whether a function of torch's makes or moves something where ``device=`` says."""
    called = origin(ctx, function) or ""
    return called.partition(".")[0] in TORCH_PACKAGES and not called.startswith(_NO_PLACEMENT)


def is_not_torch(ctx: FileContext, receiver: cst.CSTNode) -> bool:
    """Whether an expression begins with an import of another library than torch, or is a literal."""
    while isinstance(receiver, (cst.Attribute, cst.Call, cst.Subscript)):
        receiver = receiver.func if isinstance(receiver, cst.Call) else receiver.value
    if not isinstance(receiver, cst.Name):
        return isinstance(receiver, (cst.BaseString, cst.BaseNumber, cst.Dict, cst.List))
    return (origin(ctx, receiver) or "").partition(".")[0] in NOT_TORCH


def slot_owner(ctx: FileContext, node: cst.CSTNode) -> cst.CSTNode | None:
    """The call (or ``with`` item) in whose device slot ``node`` stands."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.WithItem):
        return parent if isinstance(node, cst.Call) and is_torch(ctx, node.func, "device") else None
    if isinstance(parent, cst.DictElement) and parent.value is node:
        return _spread_slot(ctx, parent)
    if not isinstance(parent, cst.Arg):
        return None
    call = ctx.tree.parent(parent)
    if not isinstance(call, cst.Call):
        return None
    return call if device_slot(ctx, call) is parent else _later_slot(ctx, call, parent)


def _later_slot(ctx: FileContext, call: cst.Call, arg: cst.Arg) -> cst.Call | None:
    """The call that ``device=`` is kept for: ``partial(torch.zeros, device="cuda")``, ``dict(device="cuda")``."""
    if arg.keyword is None or arg.keyword.value != "device":
        return None
    if origin(ctx, call.func) == "functools.partial":
        return call if call.args[0] is not arg and _places(ctx, call.args[0].value) else None
    return _kept_slot(ctx, call) if makes_dict(ctx, call) else None


def makes_dict(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call is of Python's own ``dict``."""
    is_dict = isinstance(call.func, cst.Name) and call.func.value == "dict"
    return is_dict and scopes(ctx).binder("dict", call) is None


def _spread_slot(ctx: FileContext, element: cst.DictElement) -> cst.CSTNode | None:
    """The call of ``nn.Linear(2, 3, **{"device": "cuda"})``."""
    key = element.key
    if not isinstance(key, cst.SimpleString) or literal_value(key) != "device":
        return None
    around = ctx.tree.parent(element)
    arg = ctx.tree.parent(around) if around is not None else None
    if isinstance(arg, cst.Arg):
        return _spread_in(ctx, arg)
    return _kept_slot(ctx, around) if around is not None else None


def _spread_in(ctx: FileContext, arg: cst.CSTNode | None) -> cst.Call | None:
    """The call of torch's that is given ``**arg``, with a device in it."""
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.star == "**" else None
    return call if isinstance(call, cst.Call) and (_is_method(ctx, call) or _is_placement(ctx, call)) else None


def _kept_slot(ctx: FileContext, options: cst.CSTNode) -> cst.Call | None:
    """The first call of ``options = {"device": "cuda"}`` and then ``nn.Linear(2, 3, **options)``, its only use."""
    statement = ctx.tree.parent(options)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if scope is None or not isinstance(target, cst.Name) or scope.is_class or len(scope.bindings[target.value]) != 1:
        return None
    uses = [one for one in uses_of(ctx, scope, target.value) if one is not target]
    calls = [_spread_in(ctx, ctx.tree.parent(one)) for one in uses]
    return calls[0] if calls and None not in calls else None
