"""Whether ``x = [y.cuda() for y in x]`` makes of ``x`` another kind of thing than it was: a list of a tuple."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.analysis.transfers.received.plain_values import plain_values
from devlint.analysis.transfers.received.received_classes import received_classes
from devlint.syntax.file_context import FileContext

_SAME = {
    "list": (ast.List, ast.ListComp),
    "tuple": (ast.Tuple,),
    "dict": (ast.Dict, ast.DictComp),
}
"""What is written down as such a collection."""
_LISTS = frozenset({"list", "sorted"})
_OTHER_KINDS = frozenset(
    "collections.OrderedDict collections.defaultdict collections.Counter collections.deque "
    "torch.nn.ModuleList torch.nn.ModuleDict torch.nn.ParameterList torch.nn.ParameterDict torch.nn.Sequential".split()
)
_OTHER_METHODS = frozenset("parameters buffers children modules state_dict values items split chunk unbind".split())
"""Methods that give a tuple, an iterator, a view or a dictionary of their own kind."""
_CHANGES = frozenset("append extend insert pop popitem remove clear sort reverse update setdefault".split())
_COUNTED = frozenset({"len", "zip", "enumerate", "list", "tuple", "iter", "sum"})


def changes_kind(ctx: FileContext, made: cst.CSTNode, walked: cst.BaseExpression) -> bool:
    """Whether a comprehension may make another kind than it walks, or a copy of what others see, and that matters."""
    kind = _kind(made)
    if _is_shared(ctx, made, walked):
        return True
    if not (_is_of_another_kind(ctx, kind, walked) or (isinstance(walked, cst.Name) and _is_of_zip(ctx, kind, walked))):
        return False
    return kind == "dict" or not _is_only_taken_apart(ctx, made)


def _kind(made: cst.CSTNode) -> str:
    if isinstance(made, cst.DictComp):
        return "dict"
    return (dotted_name(made.func) or "") if isinstance(made, cst.Call) else "list"


def _is_of_another_kind(ctx: FileContext, kind: str, walked: cst.BaseExpression) -> bool:
    if is_tensor(ctx, walked) or received_classes(ctx, walked):
        return True
    if any(_gives_another(ctx, one, kind) for one in _given(ctx, walked)):
        return True
    found = [one for one in plain_values(ctx, walked) if not isinstance(one, (ast.Constant, *_SAME[kind]))]
    called = [one.func.id for one in found if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    same = _LISTS if kind == "list" else {kind}
    return len(found) > len(called) or any(one not in same for one in called)


def _given(ctx: FileContext, walked: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What a name may have been given; an expression itself."""
    if not isinstance(walked, cst.Name):
        return [walked]
    scope, found = bindings(ctx, walked.value, walked)
    is_own = scope is not None and scope is scopes(ctx).scope_of(walked)
    reached = may_reach(ctx, scope, found, walked) if scope is not None and is_own else found
    return [one.value for one in reached if one.how is How.ASSIGN and one.value is not None]


def _gives_another(ctx: FileContext, value: cst.BaseExpression, kind: str) -> bool:
    """Whether a value is a call of what gives another kind of collection."""
    if not isinstance(value, cst.Call):
        return False
    if origin(ctx, value.func) in _OTHER_KINDS:
        return True
    method = value.func.attr.value if isinstance(value.func, cst.Attribute) else ""
    return method in _OTHER_METHODS or (method == "tolist" and kind == "tuple")


def _is_of_zip(ctx: FileContext, kind: str, walked: cst.Name) -> bool:
    """Whether a list is made of each tuple that ``zip`` or a like function gives."""
    loops = [one.node for one in bindings(ctx, walked.value, walked)[1] if one.how is How.LOOP]
    calls = [one.iter for one in loops if isinstance(one, cst.For) and isinstance(one.target, cst.Name)]
    named = [dotted_name(one.func) for one in calls if isinstance(one, cst.Call)]
    return kind == "list" and any(one in ("zip", "enumerate") for one in named)


def _is_only_taken_apart(ctx: FileContext, made: cst.CSTNode) -> bool:
    """Whether what a comprehension makes gets a name, of which all the rest of the scope only takes elements."""
    assign = ctx.tree.parent(made)
    if not isinstance(assign, cst.Assign):
        assign = ctx.tree.parent(assign) if isinstance(assign, cst.IfExp) else None
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return False
    target = assign.targets[0].target
    if isinstance(target, cst.Tuple):
        return True
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if scope is None or not isinstance(target, cst.Name):
        return False
    uses = [one for one in uses_of(ctx, scope, target.value) if not ctx.tree.is_around(assign, one)]
    return all(isinstance(ctx.tree.parent(one), cst.AssignTarget) or _takes_element(ctx, one) for one in uses)


def _takes_element(ctx: FileContext, use: cst.Name) -> bool:
    """Whether a use takes elements, as of any collection that has an order: ``x[0]``, ``a, b = x``, ``f(*x)``."""
    above = ctx.tree.parent(use)
    if isinstance(above, cst.Subscript):
        index = above.slice[0].slice if len(above.slice) == 1 else None
        is_number = isinstance(index, cst.Index) and isinstance(index.value, (cst.Integer, cst.Name))
        return is_number and not isinstance(ctx.tree.parent(above), (cst.AssignTarget, cst.Del))
    if isinstance(above, cst.Assign):
        return isinstance(above.targets[0].target, (cst.Tuple, cst.List))
    if isinstance(above, cst.Arg):
        call = ctx.tree.parent(above)
        return above.star == "*" or (isinstance(call, cst.Call) and dotted_name(call.func) in _COUNTED)
    return isinstance(above, (cst.For, cst.CompFor)) and above.iter is use


def _is_shared(ctx: FileContext, made: cst.CSTNode, walked: cst.BaseExpression) -> bool:
    """Whether a name stands for a collection that others have, too, and the scope changes what it stands for."""
    scope, found = bindings(ctx, walked.value, walked) if isinstance(walked, cst.Name) else (None, [])
    if scope is None or not isinstance(walked, cst.Name) or scope is not scopes(ctx).scope_of(walked):
        return False
    reached = may_reach(ctx, scope, found, walked)
    kept = (cst.Attribute, cst.Subscript)
    if not any(one.how is How.PARAMETER or isinstance(one.value, kept) for one in reached):
        return False
    below = [one for one in uses_of(ctx, scope, walked.value) if ctx.span(one).start > ctx.span(made).end]
    return any(_changes(ctx, one) for one in below)


def _changes(ctx: FileContext, use: cst.Name) -> bool:
    above = ctx.tree.parent(use)
    if isinstance(above, cst.Attribute):
        return above.attr.value in _CHANGES and isinstance(ctx.tree.parent(above), cst.Call)
    return isinstance(above, cst.Subscript) and isinstance(ctx.tree.parent(above), (cst.AssignTarget, cst.Del))
