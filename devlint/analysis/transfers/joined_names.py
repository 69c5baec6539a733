"""Which variables of a script may be in one computation: what one gives another, however far, until it is taken away.

A number, an array, or a tensor on the CPU (``x.cpu()``) takes nothing of the place where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import import_origin, reads, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import holds_options
from devlint.torch_api.moves import LEAVES, MOVES

_COMPUTES_NOTHING = frozenset("print info debug warning write save dump".split())
"""What is called with several values and does nothing with them together: each stays for itself."""
_OF_NUMBERS = frozenset("tensor from_numpy array asarray float int FloatTensor LongTensor".split())
"""What is made of numbers, wherever these come from."""
_RUN_BY_INSTANCE = frozenset({"__init__", "__call__", "forward"})
_DISPLAYS = (cst.Tuple, cst.List, cst.Dict)
_WHOLE = (cst.BaseSmallStatement, cst.For, cst.With, cst.FunctionDef, cst.Decorator, cst.If, cst.While)
"""In what names belong together: a simple statement, or what stands before the block of another one."""


def may_be_joined(ctx: FileContext, one: cst.CSTNode, others: Iterable[cst.CSTNode]) -> bool:
    """Whether the variables beside a moved value may be in one computation with those beside any of some others.

    So they are where nobody knows: beside no variable. A variable that is assigned ``one`` gives nothing of its other
    values: ``try: norm = self.norm()``, ``except OverflowError: norm = torch.tensor(0.0).cuda()``.
    """
    own, theirs = _around(ctx, one), [_around(ctx, other) for other in others]
    return _are_joined(_groups(ctx, frozenset()), own, theirs) and _are_joined(
        _groups(ctx, _other_values(ctx, one)), own, theirs
    )


def _are_joined(groups: dict[int, object], one: cst.CSTNode | None, others: list[cst.CSTNode | None]) -> bool:
    own, theirs = groups.get(id(one)), [groups.get(id(other)) for other in others]
    return own is None or None in theirs or own in theirs


def _other_values(ctx: FileContext, value: cst.CSTNode) -> frozenset[int]:
    """The names of the variable that is assigned a value, by their ``id``, where nothing comes of that value."""
    assign = next((one for one in ctx.tree.ancestors(value) if isinstance(one, cst.BaseSmallStatement)), None)
    target = assign.targets[0].target if isinstance(assign, cst.Assign) and len(assign.targets) == 1 else None
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if not isinstance(target, cst.Name) or not isinstance(assign, cst.Assign) or scope is None:
        return frozenset()
    every = scope.bindings[target.value]
    others = [one for one in every if one.how is How.ASSIGN and one.value is not None and one.node is not assign]
    apart: frozenset[int] = frozenset()
    while others:
        apart = frozenset(
            id(name)
            for name in uses_of(ctx, scope, target.value)
            if all(any(one is other for other in others) for one in _given_to(ctx, scope, name, every))
        )
        groups = _groups(ctx, apart)
        own = groups.get(id(_around(ctx, value)))
        made = [one for one in others if own is not None and groups.get(id(_around(ctx, one.node))) == own]
        if not made:
            return apart
        others = [one for one in others if not any(one is other for other in made)]
    return frozenset()


def _given_to(ctx: FileContext, scope: Scope, name: cst.Name, every: Sequence[Binding]) -> Sequence[Binding]:
    """The binding of a variable that a name stands in, or those whose values it may have."""
    own = [one for one in every if ctx.tree.is_around(one.node, name) and not _is_in_value(ctx, one, name)]
    return own or may_reach(ctx, scope, every, name)


def _is_in_value(ctx: FileContext, binding: Binding, name: cst.Name) -> bool:
    return binding.value is not None and (binding.value is name or ctx.tree.is_around(binding.value, name))


def _around(ctx: FileContext, node: cst.CSTNode) -> cst.CSTNode | None:
    """The largest expression or statement around a node in which all has to do with it."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(child, _WHOLE):
            return child
        if isinstance(parent, cst.Call) and child is parent.func and _leaves(ctx, parent):
            return child
        if _is_apart(ctx, parent) or id(parent) in _handed(ctx):
            return child
        if isinstance(parent, cst.Arg) and _makes_tensor(ctx, parent):
            return child
    return None


def _is_apart(ctx: FileContext, place: cst.CSTNode) -> bool:
    """Whether what stands at a place is only shown or kept: ``print(x, y)``, ``torch.save({"x": x, "y": y}, f)``."""
    while isinstance(place, (cst.Element, cst.DictElement, *_DISPLAYS)):
        place = ctx.tree.parent(place) or ctx.module
    call = ctx.tree.parent(place) if isinstance(place, cst.Arg) else None
    return isinstance(call, cst.Call) and (dotted_name(call.func) or "").rpartition(".")[2] in _COMPUTES_NOTHING


def _makes_tensor(ctx: FileContext, arg: cst.Arg) -> bool:
    """Whether a tensor is made of an argument, of numbers: ``torch.tensor(x)``, ``torch.from_numpy(x)``."""
    call = ctx.tree.parent(arg)
    return isinstance(call, cst.Call) and (dotted_name(call.func) or "").rpartition(".")[2] in _OF_NUMBERS


def _leaves(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the result of a method may be elsewhere than its tensor."""
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    return method in LEAVES or (method in MOVES and isinstance(ctx.tree.parent(call), cst.Arg))


def _groups(ctx: FileContext, apart: frozenset[int]) -> dict[int, object]:
    """The group of each expression or statement that has a variable, by its ``id``; some names link nothing."""
    known = ctx.fact(_known_groups)
    if apart not in known:
        table: dict[object, object] = {}
        for name, one, other in _links(ctx):
            if name not in apart:
                table[_root(table, one)] = _root(table, other)
        known[apart] = {one: _root(table, one) for one in table if isinstance(one, int)}
    return known[apart]


def _known_groups(ctx: FileContext) -> dict[frozenset[int], dict[int, object]]:
    """The answers so far."""
    return {}


def _root(table: dict[object, object], one: object) -> object:
    while table.setdefault(one, one) != one:
        one = table[one]
    return one


@fact
def _links(ctx: FileContext) -> list[tuple[int, object, object]]:
    """What belongs together, with the ``id`` of the name that says so, or 0.

    Expressions are told by their ``id``, variables by their names and the scopes that bind them.
    """
    found: list[tuple[int, object, object]] = []
    for name in reads(ctx):
        around = _around(ctx, name)
        if around is not None:
            found += [(id(name), id(around), one) for one in _variables(ctx, name)]
    for arg, given in _handed(ctx).values():
        found += [(0, id(arg), one) for one in given]
    for function in ctx.tree.of_type(cst.FunctionDef):
        definition = class_of(ctx, function)
        if definition is not None and function.name.value in _RUN_BY_INSTANCE:
            owner = _bound(ctx, definition.name.value, definition)
            found += [(0, owner, one) for one in (_called(ctx, function), *_given(ctx, function))]
            if function.name.value == "forward":
                found += [(0, owner, one) for one in _own_attributes(ctx, definition)]
    for one in (*ctx.tree.of_type(cst.Return), *ctx.tree.of_type(cst.Yield)):
        giver, around = scopes(ctx).function_of(one), _around(ctx, one)
        if isinstance(giver, cst.FunctionDef) and around is not None:
            found.append((0, _called(ctx, giver), id(around)))
    return found


def _own_attributes(ctx: FileContext, definition: cst.ClassDef) -> Iterator[str]:
    """The attributes that the methods of a class read or set of their instance, by whatever name."""
    for one in ctx.tree.below(definition):
        if isinstance(one, cst.Attribute) and isinstance(one.value, cst.Name):
            method = method_of(ctx, one)
            if method is not None and self_name(method) == one.value.value:
                yield one.attr.value


def _called(ctx: FileContext, function: cst.FunctionDef) -> object:
    """What stands for the result of a function: a method's name alone, whatever instance has it."""
    name = function.name.value
    return name if class_of(ctx, function) is not None else _bound(ctx, name, function)


def _given(ctx: FileContext, function: cst.FunctionDef) -> list[tuple[int, str]]:
    """The parameters of a function, without the instance."""
    params, scope = function.params, scopes(ctx).opened_by(function)
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    return [(id(scope), one.name.value) for one in every[class_of(ctx, function) is not None :]]


def _bound(ctx: FileContext, name: str, at: cst.CSTNode) -> tuple[int, str]:
    return id(scopes(ctx).binder(name, at)), name


@fact
def _functions(ctx: FileContext) -> dict[object, list[cst.FunctionDef]]:
    """The functions of a file, by what stands for their results."""
    found: dict[object, list[cst.FunctionDef]] = {}
    for one in ctx.tree.of_type(cst.FunctionDef):
        found.setdefault(_called(ctx, one), []).append(one)
    return found


@fact
def _handed(ctx: FileContext) -> dict[int, tuple[cst.CSTNode, list[object]]]:
    """The arguments of calls of the file's functions, with the parameters that get them, by the ``id`` of each."""
    found: dict[int, tuple[cst.CSTNode, list[object]]] = {}
    for call in ctx.tree.of_type(cst.Call):
        func = call.func
        method = func.attr.value if isinstance(func, cst.Attribute) else None
        key = _bound(ctx, func.value, func) if isinstance(func, cst.Name) else method
        for index, arg in enumerate(call.args) if key in _functions(ctx) else ():
            given: list[object] = []
            for function in _functions(ctx)[key]:
                params = _given(ctx, function)
                named = [one for one in params if arg.keyword is not None and one[1] == arg.keyword.value]
                one = named or ([params[index]] if arg.keyword is None and not arg.star and index < len(params) else [])
                given += one or params
            found[id(arg)] = (arg.value, given)
    return found


def _variables(ctx: FileContext, name: cst.Name) -> Iterator[object]:
    """What a name may stand for that a program computes, or the attributes of it that the file sets or defines."""
    if import_origin(ctx, name.value, name) is not None or scopes(ctx).binder(name.value, name) is None:
        return
    if holds_options(name.value):
        return
    child: cst.CSTNode | None = name
    node, method = ctx.tree.parent(name), method_of(ctx, name)
    is_own = isinstance(node, cst.Attribute) and method is not None and self_name(method) == name.value
    is_known = isinstance(node, cst.Attribute) and node.attr.value in _attributes(ctx)
    found: list[object] = [] if is_own or is_known else [_bound(ctx, name.value, name)]
    while isinstance(node, cst.Attribute):
        if holds_options(node.attr.value):
            return
        found += [node.attr.value] if node.attr.value in _attributes(ctx) else []
        node, child = ctx.tree.parent(node), node
    yield from found
    if found and not (isinstance(node, cst.Call) and node.func is child):
        yield from (one for function in _functions(ctx).get(found[-1], ()) for one in _given(ctx, function))


@fact
def _attributes(ctx: FileContext) -> frozenset[str]:
    """The attributes of instances that a file sets, and its methods."""
    methods = {one.name.value for one in ctx.tree.of_type(cst.FunctionDef) if class_of(ctx, one) is not None}
    targets = (dotted_name(one.target) or "" for one in ctx.tree.of_type(cst.AssignTarget))
    return frozenset(methods.union(one.rpartition(".")[2] for one in targets if "." in one))
