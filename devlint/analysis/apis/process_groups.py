"""Calls that make groups of processes, and the backend that they are given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.cuda.failing.failures_beside import Failures, runs_in_loop
from devlint.analysis.guards.option_values import is_by_default
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.control_flow import tests_around
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.given_arguments import given_arguments
from devlint.analysis.names.resolution import bindings, origin, sole_value, uses_of
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.calls import CALLS, CallSite, function_calls_elsewhere
from devlint.analysis.project.searches import search
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import nodes_below, text_of

_MOST_CALLS = 3
"""Through how many calls a backend is followed."""
_BACKEND_AT = {"init_process_group": 0, "new_group": 2}
_BEGINS = "init_process_group"
_DIVIDE = (cst.Modulo, cst.Divide, cst.FloorDivide)
_COLLECTIVES = "all_gather all_gather_object all_reduce all_to_all barrier broadcast gather reduce scatter"
_TOGETHER = frozenset(f"torch.distributed.{name}" for name in _COLLECTIVES.split())
_GROUPS = {f"torch.distributed.{where}{name}": name for where in ("", "distributed_c10d.") for name in _BACKEND_AT}


def group_of_backend(ctx: FileContext, node: cst.CSTNode) -> cst.Call | None:
    """The call that makes a group of processes with ``node`` as its backend."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    unpacked = _dictionary_with_backend(ctx, node)
    if unpacked is not None:
        return _unpacked_in(ctx, unpacked)
    name = _GROUPS.get(origin(ctx, call.func) or "") if isinstance(call, cst.Call) else None
    if name is None or not isinstance(call, cst.Call) or not isinstance(arg, cst.Arg):
        return None
    if arg.keyword is not None:
        return call if arg.keyword.value == "backend" else None
    return call if call.args.index(arg) == _BACKEND_AT[name] else None


def _dictionary_with_backend(ctx: FileContext, node: cst.CSTNode) -> cst.BaseExpression | None:
    """``dict(backend=node)`` or ``{"backend": node}``."""
    item = ctx.tree.parent(node)
    if isinstance(item, cst.DictElement) and item.value is node and string_value(item.key) == "backend":
        owner = ctx.tree.parent(item)
        return owner if isinstance(owner, cst.Dict) else None
    if not isinstance(item, cst.Arg) or item.keyword is None or item.keyword.value != "backend":
        return None
    call = ctx.tree.parent(item)
    return call if isinstance(call, cst.Call) and dotted_name(call.func) == "dict" else None


def _unpacked_in(ctx: FileContext, dictionary: cst.BaseExpression) -> cst.Call | None:
    """The call that makes a group of processes with a dictionary, or with a name for it: ``f(**kwargs)``."""
    parent = ctx.tree.parent(dictionary)
    uses: list[cst.CSTNode] = [dictionary]
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0].target, cst.Name):
        target = parent.targets[0].target
        uses = list(uses_of(ctx, scopes(ctx).binder(target.value, target), target.value))
    for use in uses:
        arg = ctx.tree.parent(use)
        call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.star == "**" else None
        if isinstance(call, cst.Call) and origin(ctx, call.func) in _GROUPS:
            return call
    return None


def is_only_for_groups(ctx: FileContext, statement: cst.Assign) -> bool:
    """Whether an assigned name is given to what makes groups of processes, and to nothing else."""
    target = statement.targets[0].target
    if len(statement.targets) != 1 or not isinstance(target, cst.Name):
        return False
    uses = uses_of(ctx, scopes(ctx).binder(target.value, target), target.value)
    others = [one for one in uses if one is not target]
    return bool(others) and all(group_of_backend(ctx, one) is not None for one in others)


def name_of_distributed(ctx: FileContext) -> str | None:
    """What a file calls torch.distributed, where it has a name of its own for it."""
    found = scopes(ctx).module.bindings.items()
    return next((name for name, bound in found if [one.origin for one in bound] == ["torch.distributed"]), None)


def is_beside_nccl(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` only runs where its function, or ``__init__`` of its class, makes a group that talks over NCCL.

    Or divides by the number of cards. Without CUDA the program fails there, whatever stands around it.
    """
    return nccl_beside(ctx, node) is not None


def nccl_beside(ctx: FileContext, node: cst.CSTNode) -> cst.CSTNode | None:
    """The first place that makes such a group, or divides so, wherever ``node`` runs."""
    return ctx.fact(_failing).beside(node)


def is_beside_default_nccl(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` only runs where a group is made by an option that names NCCL by default: ``args.backend``."""
    return ctx.fact(_failing_by_default).beside(node) is not None


def _failing_by_default(ctx: FileContext) -> Failures:
    given = (one.value for one in ctx.tree.of_type(cst.Arg) if isinstance(one.value, cst.Attribute))
    backends = ((one, group_of_backend(ctx, one)) for one in given)
    return Failures(ctx, [call for one, call in backends if call is not None and is_by_default(ctx, one, "nccl")])


def _failing(ctx: FileContext) -> Failures:
    groups = _nccl_groups(ctx)
    return Failures(ctx, [*groups, *_divisions(ctx), *_collectives(ctx, groups)])


def _collectives(ctx: FileContext, groups: list[cst.Call]) -> Iterator[cst.Call]:
    """What all processes do together, ``dist.all_reduce(t)``, in a program that begins with NCCL wherever it begins."""
    if not groups and "distributed" not in ctx.source.text:
        return
    calls = [(one, origin(ctx, one.func) or "") for one in ctx.tree.of_type(cst.Call)]
    begun = {id(one) for one, called in calls if _GROUPS.get(called) == _BEGINS}
    together = [one for one, called in calls if called in _TOGETHER]
    elsewhere = search(project_around(ctx), CALLS, _BEGINS) if together else None
    if elsewhere is None or not begun <= {id(one) for one in groups} or not (groups or elsewhere):
        return
    if not all(_begins_nccl(ctx, one) for one in elsewhere):
        return
    for call in together:
        if not is_caught(ctx, call) and not _has_own_group(call) and not runs_in_loop(ctx, call):
            yield call


def _has_own_group(call: cst.Call) -> bool:
    """Whether what processes do together may be told which of them: ``dist.all_reduce(t, group=few)``."""
    is_barrier = (dotted_name(call.func) or "").endswith("barrier")
    keywords = [one.keyword.value for one in call.args if one.keyword is not None]
    return (
        "group" in keywords
        or any(one.star for one in call.args)
        or len(call.args) - len(keywords) > (0 if is_barrier else 2)
    )


def starts_nccl_first(ctx: FileContext, node: cst.CSTNode, calls: int = _MOST_CALLS) -> bool:
    """Whether ``node`` is beside NCCL, or in a function that only what is beside NCCL calls."""
    if is_beside_nccl(ctx, node):
        return True
    function = scopes(ctx).function_of(node)
    if function is None or not calls or ctx.tree.parent(function) is not ctx.module:
        return False
    uses = uses_of(ctx, scopes(ctx).module, function.name.value)
    return bool(uses) and all(
        scopes(ctx).function_of(one) is not function and starts_nccl_first(ctx, one, calls - 1) for one in uses
    )


def _divisions(ctx: FileContext) -> list[cst.BinaryOperation]:
    """What divides by the number of cards, but for what is only given to torch.cuda: ``rank % device_count()``."""
    operations = (one for one in ctx.tree.of_type(cst.BinaryOperation) if isinstance(one.operator, _DIVIDE))
    found = [one for one in operations if ctx.target.kind == "cuda" and counts_cards(ctx, one.right)]
    return [one for one in found if not is_caught(ctx, one) and not _is_for_cuda(ctx, one)]


def _is_for_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is in an argument of a function of torch.cuda: a test around that is one around it."""
    calls = (one for one in ctx.tree.ancestors(node) if isinstance(one, cst.Call))
    return any((origin(ctx, one.func) or "").startswith("torch.cuda.") for one in calls)


def counts_cards(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an expression is ``torch.cuda.device_count()``, or a name for that alone."""
    counted = sole_value(ctx, node) if isinstance(node, cst.Name) else node
    return isinstance(counted, cst.Call) and origin(ctx, counted.func) == "torch.cuda.device_count"


def _nccl_groups(ctx: FileContext) -> list[cst.Call]:
    """The calls that can only start NCCL, in a program that knows no other backend."""
    named = [(one, string_value(one)) for one in ctx.tree.of_type(cst.SimpleString)]
    if any(text == "gloo" and not _is_for_more_groups(ctx, one) for one, text in named):
        return []
    texts = [one for one, text in named if text == "nccl"]
    found = [group_of_backend(ctx, one) for one in texts] + [call for one in texts for call in _given_by_name(ctx, one)]
    found += [call for call in ctx.tree.of_type(cst.Call) if texts and _gets_nccl(ctx, call)]
    return [one for one in found if one is not None and not is_caught(ctx, one)]


def _is_for_more_groups(ctx: FileContext, backend: cst.SimpleString) -> bool:
    """Whether a backend is only that of a group beside the first one: ``new_group(backend="gloo")``."""
    call = group_of_backend(ctx, backend)
    return call is not None and _GROUPS.get(origin(ctx, call.func) or "") == "new_group"


def _given_by_name(ctx: FileContext, backend: cst.SimpleString) -> list[cst.Call | None]:
    """The calls that make groups by a name that can only be a backend: ``args.backend = "nccl"`` above them."""
    statement = ctx.tree.parent(backend)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return []
    dotted = dotted_name(statement.targets[0].target)
    function = scopes(ctx).function_of(statement)
    values = bound_values(ctx, dotted, backend) if dotted is not None and function is not None else []
    if not values or any(string_value(one) != "nccl" for one in values):
        return []
    given = (one.value for one in ctx.tree.of_type(cst.Arg) if dotted_name(one.value) == dotted)
    return [
        group_of_backend(ctx, one)
        for one in given
        if scopes(ctx).function_of(one) is function
        and ctx.span(statement).end < ctx.span(one).start
        and tests_around(ctx, statement) <= tests_around(ctx, one)
    ]


def _gets_nccl(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call makes a group by a parameter of the function around it that is NCCL in every call."""
    names = (arg.value for arg in call.args if isinstance(arg.value, cst.Name))
    backend = next((one for one in names if group_of_backend(ctx, one) is call), None)
    return backend is not None and _is_nccl(ctx, backend, _MOST_CALLS)


def _is_nccl(ctx: FileContext, node: cst.BaseExpression, calls: int) -> bool:
    """Whether an expression certainly is "nccl", through so many calls of functions of the file."""
    if not isinstance(node, cst.Name):
        return string_value(node) == "nccl"
    _, found = bindings(ctx, node.value, node)
    param = found[0].node if len(found) == 1 and found[0].how is How.PARAMETER else None
    given = given_arguments(ctx, param) if calls and isinstance(param, cst.Param) else None
    function = scopes(ctx).function_of(node)
    if given is None or not isinstance(param, cst.Param) or not isinstance(function, cst.FunctionDef):
        return False
    values = [*given, *([param.default] if param.default is not None else [])]
    if not all(isinstance(one, cst.BaseExpression) and _is_nccl(ctx, one, calls - 1) for one in values):
        return False
    sites = function_calls_elsewhere(project_around(ctx), function.name.value)
    if sites is None or not (values or sites):
        return False
    positional = [*function.params.posonly_params, *function.params.params]
    position = next((at for at, one in enumerate(positional) if one is param), None)
    return all(_gives_nccl(one, node.value, position, param.default is not None) for one in sites)


def _begins_nccl(ctx: FileContext, site: CallSite) -> bool:
    """Whether a call of another file begins with NCCL, also by an attribute that its file gives no other backend."""
    given = site.argument("backend", _BACKEND_AT[_BEGINS])
    module = project_around(ctx).index.module(site.path) if given is not None and "." in given else None
    if module is None or given is None:
        return _gives_nccl(site, "backend", _BACKEND_AT[_BEGINS])
    name = given.rpartition(".")[2]
    assigned = (one for one in nodes_below(module.tree) if isinstance(one, ast.Assign))
    values = [one.value for one in assigned if any(getattr(to, "attr", None) == name for to in one.targets)]
    return bool(values) and all(text_of(one) == "nccl" for one in values)


def _gives_nccl(site: CallSite, name: str, position: int | None, has_default: bool = False) -> bool:
    """Whether a call of another file gives "nccl" to a parameter, or leaves its default."""
    given = site.argument(name, position)
    return not site.has_stars and (has_default if given is None else given == repr("nccl"))
