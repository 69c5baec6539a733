"""The device that a class of another file gives to the instances of those that inherit from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.owners.device_getter import DeviceGetter
from devlint.analysis.project.classes import (
    ClassFamily,
    all_values_of,
    calls_base_init,
    defined_method,
    instance_of,
    methods_of,
    value_of,
    values_of,
)
from devlint.analysis.project.known_devices import gives_torch_device, known_device
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, parameters_with_defaults, text_of
from devlint.syntax.python_tree.python_terms import python_term
from devlint.torch_api.device_naming import HAVE_TORCH_DEVICE, ONLY_ASK, looks_like_device

ALL_METHODS = "*"
"""Stands for every method: somebody else has the instance."""


class InheritedDevice(Record):
    """The device that a class gives to the instances of those that inherit from it."""

    device: DeviceValue
    by_property: bool
    """Whether it is a property, which may need what ``__init__`` makes."""
    early: frozenset[str] = frozenset()
    """Names that ``__init__`` mentions before the instance has its device."""
    giver: str | None = None
    """The method of the instance that gives it, which a class that inherits may replace."""
    flag: str = ""
    """The attribute that makes it a GPU, ``use_gpu``; nothing in these classes but ``__init__`` sets it, before."""
    by_flag: bool = False
    """Whether nothing but that attribute says whether it is a GPU, as both are set in the same branches."""


def inherited_device(family: ClassFamily) -> InheritedDevice | None:
    """``self.device`` as a class, or a base of it, gives it to every instance; None where none surely does."""
    given = [(cls, one, value) for cls in family.classes for one, value in _device_values(cls)]
    if not all(_may_be_gpu(*one) for one in given) and not _are_branches(given):
        return None
    getters = ((cls, one) for cls in family.classes for one in methods_of(cls) if one.name == "device")
    for cls, getter in getters:
        known = _getter(getter)
        is_string = False if known.gives_device_of_parameter else None
        return InheritedDevice(DeviceValue(is_string), True) if _may_give_device(family, cls, known) else None
    early: set[str] = set()
    for cls, init, statement in _run_to_make(family.classes):
        value = _value_of_device(statement, instance_of(init))
        if value is not None:
            return _kept_device(family, cls, init, value, frozenset(_run_by(family, early)))
        if isinstance(statement, ast.If) and any(one in nodes_below(statement) for _, _, one in given):
            return _device_of_branches(family, cls, init, statement, frozenset(_run_by(family, early)))
        if any(isinstance(node, ast.Return) for node in nodes_below(statement)):
            return None
        early |= {node.attr for node in nodes_below(statement) if isinstance(node, ast.Attribute)}
        if _hands_on(statement, instance_of(init)):
            early.add(ALL_METHODS)
    has_device = any(name.rpartition(".")[2].endswith(HAVE_TORCH_DEVICE) for name in family.others)
    inits = (one for cls in family.classes for one in methods_of(cls) if one.name == "__init__")
    is_made = all(any(map(calls_base_init, init.body)) for init in inits)
    return InheritedDevice(DeviceValue(False), True) if has_device and is_made else None


def _run_to_make(classes: Sequence[Definition]) -> Iterator[tuple[Definition, Function, ast.stmt]]:
    """The statements of the ``__init__`` of a class in the order they run, each with its class; those of bases, too."""
    for index, cls in enumerate(classes):
        init = next((one for one in methods_of(cls) if one.name == "__init__"), None)
        if init is None:
            continue
        for statement in init.body:
            if calls_base_init(statement):
                yield from _run_to_make(classes[index + 1 :])
            else:
                yield cls, init, statement
        return


def _run_by(family: ClassFamily, waiting: set[str]) -> set[str]:
    """Some methods of the classes, and those that they run in turn."""
    found: set[str] = set()
    while waiting:
        found |= waiting
        methods = [one for cls in family.classes for one in methods_of(cls) if one.name in waiting]
        called = ((one, node) for one in methods for node in nodes_below(one) if isinstance(node, ast.Attribute))
        waiting = {node.attr for one, node in called if dotted_text(node.value) == instance_of(one)} - found
    return found


def _hands_on(statement: ast.stmt, instance: str) -> bool:
    """Whether a statement gives the instance to what may call a method of it, or calls it."""
    for call in (node for node in nodes_below(statement) if isinstance(node, ast.Call)):
        called = dotted_text(call.func)
        is_given = any(dotted_text(one) == instance for one in (*call.args, *(word.value for word in call.keywords)))
        if called == instance or (is_given and called not in ONLY_ASK and last_name(call.func) != "__init__"):
            return True
    return False


def _kept_device(
    family: ClassFamily, cls: Definition, init: Function, value: ast.expr, early: frozenset[str]
) -> InheritedDevice | None:
    """The device that an ``__init__`` keeps in ``self.device``."""
    known = known_device(cls.module, value, _device_parameters(init))
    if known is None or not known.cuda:
        return None
    asked = _own_method(value, instance_of(init))
    giver = defined_method(family, asked) if asked is not None else None
    if giver is not None and gives_torch_device(giver):
        known = known.replace(is_string=False)
    return InheritedDevice(known, False, early, asked, _flag_of(family, init, value))


def _flag_of(family: ClassFamily, init: Function, value: ast.expr) -> str:
    """``use_gpu`` of ``torch.device("cuda" if self.use_gpu else "cpu")``, where ``__init__`` alone sets it, before."""
    choice = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else value
    names = [text_of(one) for one in (choice.body, choice.orelse)] if isinstance(choice, ast.IfExp) else []
    owner, _, flag = dotted_text(choice.test).partition(".") if isinstance(choice, ast.IfExp) else ("", "", "")
    if names != ["cuda", "cpu"] or owner != instance_of(init) or not flag.isidentifier():
        return ""
    given = [one for cls in family.classes for one in values_of(cls, flag)]
    is_given_first = len(given) == 1 and given[0][0] is init and given[0][1].lineno < value.lineno
    return flag if is_given_first else ""


def _are_branches(given: Sequence[tuple[Definition, Function, ast.expr]]) -> bool:
    """Whether an ``__init__`` alone gives ``self.device`` its values, CUDA and the CPU."""
    known = [known_device(cls.module, value) for cls, _, value in given]
    is_one = len({id(init) for _, init, _ in given}) == 1 and given[0][1].name == "__init__"
    return is_one and len(known) == 2 and sorted(one is not None and one.cuda for one in known) == [False, True]


def _device_of_branches(
    family: ClassFamily, cls: Definition, init: Function, choice: ast.If, early: frozenset[str]
) -> InheritedDevice | None:
    """``self.device`` where an ``if`` gives it CUDA or the CPU, and a flag beside it True or False: ``self.gpu``."""
    instance, branches = instance_of(init), (choice.body, choice.orelse)
    found = [[value_of(one, instance, "device") for one in branch] for branch in branches]
    values = [known_device(cls.module, value) for branch in found for value in branch if value is not None]
    if len(values) != len(branches) or not all(map(any, found)):
        return None
    first, second = values
    if first is None or second is None or first.cuda is second.cuda or first.is_string is not second.is_string:
        return None
    gpu, cpu = branches if first.cuda else branches[::-1]
    known = first if first.cuda else second
    off = _set_to(cpu, instance, False)
    flag = next((one for one in _set_to(gpu, instance, True) if one in off and _is_set_twice(family, one)), None)
    is_plain = known.condition is None and known.caveat is None and not _sets_unseen(family, choice)
    return InheritedDevice(known, False, early, flag=flag, by_flag=True) if flag is not None and is_plain else None


def _set_to(branch: Sequence[ast.stmt], instance: str, value: bool) -> list[str]:
    """The attributes of the instance that the statements of a branch set to True (or False)."""
    assigns = [one for one in branch if isinstance(one, ast.Assign) and _is_constant(one.value, value)]
    targets = [dotted_text(target) for one in assigns for target in one.targets]
    return [name.partition(".")[2] for name in targets if name.startswith(f"{instance}.") and name.count(".") == 1]


def _is_constant(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_set_twice(family: ClassFamily, flag: str) -> bool:
    """Whether nothing gives an attribute a value but two statements."""
    return len([one for cls in family.classes for one in values_of(cls, flag)]) == 2


def _sets_unseen(family: ClassFamily, choice: ast.If) -> bool:
    """Whether these classes set attributes by ``setattr``, but in what runs before an ``if``."""
    for cls in family.classes:
        for method in methods_of(cls):
            calls = (one for one in nodes_below(method) if isinstance(one, ast.Call))
            for call in (one for one in calls if dotted_text(one.func) in ("setattr", "delattr")):
                if choice not in method.body or call.lineno >= choice.lineno:
                    return True
    return False


def _getter(method: Function) -> DeviceGetter:
    inside = nodes_below(method)
    return DeviceGetter(
        tuple(map(dotted_text, method.decorator_list)),
        instance_of(method),
        tuple(python_term(one.value) if one.value else None for one in inside if isinstance(one, ast.Return)),
        any(isinstance(one, ast.Raise) for one in inside),
        any(isinstance(one, (ast.If, ast.IfExp, ast.Assign)) for one in inside),
    )


def _may_give_device(family: ClassFamily, cls: Definition, getter: DeviceGetter) -> bool:
    """Whether a method ``device`` is a property, and nothing says that it is None or no device at all."""
    return getter.is_property and getter.may_give_gpu(
        lambda value: _is_device(cls.module, value),
        lambda value: _is_no_gpu(cls.module, value),
        lambda kept: [value for one in family.classes for value in all_values_of(one, kept)],
    )


def _is_device(module: ProjectModule, value: ast.expr) -> bool:
    """Whether a value is a device by what it is made of, or by its name."""
    is_named = isinstance(value, ast.Attribute) and looks_like_device(value.attr)
    return is_named or known_device(module, value) is not None


def _is_no_gpu(module: ProjectModule, value: ast.expr) -> bool:
    """Whether a value is certainly no GPU: None, the CPU, or a literal that is no device."""
    known = known_device(module, value)
    if known is not None:
        return not known.cuda
    return isinstance(value, (ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple))


def _own_method(value: ast.expr, instance: str) -> str | None:
    """The method that a value like ``self.choose_device()`` calls."""
    owner, _, method = dotted_text(value.func).rpartition(".") if isinstance(value, ast.Call) else ("", "", "")
    return method if owner and owner == instance else None


def _device_values(cls: Definition) -> Iterator[tuple[Function, ast.expr]]:
    """What the methods of a class assign to ``self.device``."""
    return values_of(cls, "device")


def _value_of_device(statement: ast.stmt, instance: str) -> ast.expr | None:
    """What a statement assigns to ``self.device``."""
    return value_of(statement, instance, "device")


def _may_be_gpu(cls: Definition, method: Function, value: ast.expr) -> bool:
    known = known_device(cls.module, value, _device_parameters(method))
    return known is not None and known.cuda


def _device_parameters(method: Function) -> frozenset[str]:
    """The parameters that hold a device; one that may be None, or the CPU by default, does not surely."""
    return frozenset(
        one.arg
        for one, default in parameters_with_defaults(method.args)
        if looks_like_device(one.arg) and not (isinstance(default, ast.Constant) and default.value in (None, "cpu"))
    )
