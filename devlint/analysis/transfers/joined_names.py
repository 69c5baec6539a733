"""Which variables of a script may be in one computation: what one gives another, however far, until it is taken away.

A number, an array, or a tensor on the CPU (``x.cpu()``) takes nothing of the place where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import attributes_named, bindings, import_origin, reads, reads_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_taken_elsewhere, owners_elsewhere
from devlint.analysis.tensors.known_attributes import names_known, own_attributes
from devlint.analysis.tensors.partless_methods import reads_no_part
from devlint.analysis.tensors.plain_numbers import holds_number
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import holds_options
from devlint.torch_api.moves import LEAVES, MOVES

_COMPUTES_NOTHING = frozenset("print info debug warning write save dump".split())
"""What is called with several values and does nothing with them together: each stays for itself."""
_OF_NUMBERS = frozenset("tensor from_numpy array asarray float int FloatTensor LongTensor".split())
"""What is made of numbers, wherever these come from."""
_RUN_BY_INSTANCE = frozenset({"__init__", "__call__", "forward"})
_GIVES_VALUE = (How.ASSIGN, How.UNPACK, How.AUGMENTED)
_DISPLAYS = (cst.Tuple, cst.List, cst.Dict)
_WHOLE = (cst.BaseSmallStatement, cst.For, cst.With, cst.FunctionDef, cst.Decorator, cst.If, cst.While)
"""In what names belong together: a simple statement, or what stands before the block of another one."""


def may_be_joined(ctx: FileContext, one: cst.CSTNode, others: Iterable[cst.CSTNode]) -> bool:
    """Whether the variables beside a moved value may be in one computation with those beside any of some others.

    So they are where nobody knows: beside no variable. A variable is another one for each value that it is given, and
    has none of the others where it has ``one``: ``except OverflowError: norm = torch.tensor(0.0).cuda()``.
    """
    own, theirs = _around(ctx, one), [_around(ctx, other) for other in others]
    return _are_joined(_groups(ctx, frozenset()), own, theirs) and _are_joined(
        _groups(ctx, _other_values(ctx, one)), own, theirs
    )


def is_joined_elsewhere(ctx: FileContext, one: cst.CSTNode) -> bool:
    """Whether a moved value may be in one computation with what other files give this one, or may be given to them."""
    groups, given = _groups(ctx, _other_values(ctx, one)), _from_elsewhere(ctx)
    own = groups.get(id(_around(ctx, one)))
    return own is None or any(own == group for key, group in groups.items() if isinstance(key, str) or key in given)


@fact
def _from_elsewhere(ctx: FileContext) -> frozenset[object]:
    """The parameters and results of functions that other files may call; these may have its attributes as well."""
    functions = (one for one in ctx.tree.of_type(cst.FunctionDef) if _may_be_called_elsewhere(ctx, one))
    return frozenset(key for one in functions for key in (_called(ctx, one), *_given(ctx, one)))


def _may_be_called_elsewhere(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether another file takes a function, or the file itself does not use it; what an instance runs, any may."""
    name, project = function.name.value, project_around(ctx)
    if class_of(ctx, function) is not None:
        used = name not in _RUN_BY_INSTANCE and attributes_named(ctx, name)
        return not used or owners_elsewhere(project, name, name) != set()
    is_inner = scopes(ctx).scope_of(function) is not scopes(ctx).module
    return is_inner or not reads_named(ctx, name) or is_taken_elsewhere(project, name)


def _are_joined(groups: dict[object, object], one: cst.CSTNode | None, others: list[cst.CSTNode | None]) -> bool:
    own, theirs = groups.get(id(one)), [groups.get(id(other)) for other in others]
    return own is None or None in theirs or own in theirs


def _other_values(ctx: FileContext, value: cst.CSTNode) -> frozenset[object]:
    """The other values of the variables that are assigned a value, as far as nothing comes of that in them."""
    assign = next((one for one in ctx.tree.ancestors(value) if isinstance(one, cst.BaseSmallStatement)), None)
    targets = assign.targets if isinstance(assign, cst.Assign) else ()
    names = [one for target in targets for one in (target.target, *ctx.tree.below(target.target))]
    every = [one for name in names if isinstance(name, cst.Name) for one in bindings(ctx, name.value, name)[1]]
    others = [one for one in every if one.how in _GIVES_VALUE and one.node is not assign]
    while others:
        apart = frozenset(_key(ctx, one) for one in others)
        groups = _groups(ctx, apart)
        own = groups.get(id(_around(ctx, value)))
        made = [one for one in others if own is not None and groups.get(id(_around(ctx, one.node))) == own]
        if not made:
            return apart
        others = [one for one in others if not any(one is other for other in made)]
    return frozenset()


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
    moved_to = [device_value(ctx, one.value) for one in call.args] if method == "to" else []
    is_taken_away = any(one is not None and not one.cuda for one in moved_to)
    return method in LEAVES or is_taken_away or (method in MOVES and isinstance(ctx.tree.parent(call), cst.Arg))


def _groups(ctx: FileContext, apart: frozenset[object]) -> dict[object, object]:
    """The group of each variable and, by its ``id``, of what it stands in; some values link nothing."""
    known = ctx.fact(_known_groups)
    if apart not in known:
        table: dict[object, object] = {}
        for one, other in _links(ctx):
            if other not in apart:
                table[_root(table, one)] = _root(table, other)
        known[apart] = {one: _root(table, one) for one in [*table]}
    return known[apart]


def _known_groups(ctx: FileContext) -> dict[frozenset[object], dict[object, object]]:
    """The answers so far."""
    return {}


def _root(table: dict[object, object], one: object) -> object:
    while table.setdefault(one, one) != one:
        one = table[one]
    return one


@fact
def _links(ctx: FileContext) -> list[tuple[object, object]]:
    """What belongs together: expressions by their ``id``, variables by their names and the scopes that bind them."""
    found: list[tuple[object, object]] = []
    for name in reads(ctx):
        around = _around(ctx, name)
        if around is not None:
            found += ((id(around), one) for one in _variables(ctx, name))
    for arg, given in _handed(ctx).values():
        found += ((id(arg), one) for one in given)
    for function in ctx.tree.of_type(cst.FunctionDef):
        definition = class_of(ctx, function)
        if definition is not None and function.name.value in _RUN_BY_INSTANCE:
            owner = _bound(ctx, definition.name.value, definition)
            found += ((owner, one) for one in (_called(ctx, function), *_given(ctx, function)))
            if function.name.value == "forward":
                found += ((owner, one) for one in own_attributes(ctx, definition))
    for one in (*ctx.tree.of_type(cst.Return), *ctx.tree.of_type(cst.Yield)):
        giver, around = scopes(ctx).function_of(one), _around(ctx, one)
        if isinstance(giver, cst.FunctionDef) and around is not None:
            found.append((_called(ctx, giver), id(around)))
    return found


def _called(ctx: FileContext, function: cst.FunctionDef) -> object:
    """What stands for the result of a function: a method's name alone, whatever instance has it."""
    name = function.name.value
    return name if class_of(ctx, function) is not None else _bound(ctx, name, function)


def _given(ctx: FileContext, function: cst.FunctionDef) -> list[tuple[int, str]]:
    """The parameters of a function, without the instance."""
    params, scope = function.params, scopes(ctx).opened_by(function)
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    return [(id(scope), one.name.value) for one in every[class_of(ctx, function) is not None :]]


def _values(ctx: FileContext, name: cst.Name) -> list[object]:
    """What stands for the values that a variable may have where a name of it stands, or that it is given there.

    A number is the same anywhere: each place that reads it has its own.
    """
    scope, found = bindings(ctx, name.value, name)
    if scope is not None and scope is scopes(ctx).scope_of(name):
        given = _given_at(ctx, name)
        holders = [one for one in found if one.node is given]
        found = [*holders, *may_reach(ctx, scope, found, name)] if not isinstance(given, cst.Assign) else holders
    keys = dict.fromkeys(id(name) if holds_number(one) else _key(ctx, one) for one in found)
    return [*keys] or [_bound(ctx, name.value, name)]


def _given_at(ctx: FileContext, name: cst.Name) -> cst.CSTNode | None:
    """The assignment that gives a variable a value where a name of it stands."""
    for child, parent in ctx.tree.path_up(name):
        if isinstance(parent, cst.AssignTarget):
            return ctx.tree.parent(parent)
        if isinstance(parent, (cst.AugAssign, cst.AnnAssign)):
            return parent if parent.target is child else None
        if not isinstance(parent, (cst.Element, cst.StarredElement, cst.Tuple, cst.List)):
            return None
    return None


def _key(ctx: FileContext, binding: Binding) -> object:
    """What stands for a value that a variable is given; for all those that are not assigned, the variable does."""
    plain = _bound(ctx, binding.name, binding.node)
    return (*plain, id(binding)) if binding.how in _GIVES_VALUE else plain


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
    is_known = isinstance(node, cst.Attribute) and names_known(ctx, node)
    found = [] if is_own or is_known else _values(ctx, name)
    while isinstance(node, cst.Attribute):
        if holds_options(node.attr.value):
            return
        found += [node.attr.value] if names_known(ctx, node) else []
        node, child = ctx.tree.parent(node), node
    is_called = isinstance(node, cst.Call) and node.func is child
    if is_called and isinstance(child, cst.Attribute) and reads_no_part(ctx, child.attr.value):
        found = [child.attr.value] if names_known(ctx, child) else []
    yield from found
    if found and not is_called:
        yield from (one for function in _functions(ctx).get(found[-1], ()) for one in _given(ctx, function))
