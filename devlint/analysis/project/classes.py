"""Classes of other files: their bases, their methods, and the device that their instances have."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from devlint.analysis.devices.device_getter import DeviceGetter
from devlint.analysis.project.known_devices import KnownDevice, gives_torch_device, known_device
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below, parameters_with_defaults
from devlint.syntax.python_tree.python_terms import python_term
from devlint.torch_api.device_naming import HAVE_DEVICE, looks_like_device
from devlint.torch_api.libraries import STANDARD_LIBRARY

_MOST_CLASSES = 60
"""How many bases are followed."""


class ClassFamily(Record, eq=False):
    """A class of the project with those of its bases that are the project's, too, in the order they are asked."""

    classes: tuple[Definition, ...]
    others: tuple[str, ...]
    """The full names of the bases of other libraries; a base that nobody finds as it is written."""


def imported_family(project: Project, origin: str) -> ClassFamily | None:
    """The class that a file imports under a full name, and its bases; None where it is no class of the project."""
    found = project.imported(origin)
    if found is None or not isinstance(found.node, ast.ClassDef):
        return None
    return class_family(project.index, found)


def class_family(index: Index, start: Definition) -> ClassFamily:
    """A class with those of its bases that are the project's."""
    classes: list[Definition] = []
    others: list[str] = []
    waiting = [start]
    while waiting:
        one = waiting.pop(0)
        if any(one.node is known.node for known in classes):
            continue
        if len(classes) > _MOST_CLASSES:
            return ClassFamily(tuple(classes), (*others, "?"))
        classes.append(one)
        bases: list[Definition] = []
        for base in one.node.bases:  # type: ignore[attr-defined]  # it is a class
            written = dotted_text(base)
            found = index.resolve(one.module, written)
            if found is not None and isinstance(found.node, ast.ClassDef):
                bases.append(found)
            else:
                others.append(one.module.origin(base) or written or "?")
        waiting = [*bases, *waiting]
    return ClassFamily(tuple(classes), tuple(others))


def defined_method(family: ClassFamily, name: str) -> Definition | None:
    """The method of this name that instances have."""
    found = ((cls, one) for cls in family.classes for one in methods_of(cls) if one.name == name)
    return next((Definition(cls.module, method, name) for cls, method in found), None)


def methods_of(cls: Definition) -> Iterator[Function]:
    for one in cls.node.body:  # type: ignore[attr-defined]  # it is a class
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield one


def method_of_class(index: Index, cls: Definition, name: str = "__init__") -> Definition | None:
    """The method of this name that the instances of a class have; the one that makes them."""
    return defined_method(class_family(index, cls), name)


class InheritedDevice(Record):
    """The device that a class gives to the instances of those that inherit from it."""

    device: KnownDevice
    by_property: bool
    """Whether it is a property, which may need what ``__init__`` makes."""
    early: frozenset[str] = frozenset()
    """Names that ``__init__`` mentions before the instance has its device."""
    giver: str | None = None
    """The method of the instance that gives it, which a class that inherits may replace."""


def inherited_device(family: ClassFamily) -> InheritedDevice | None:
    """``self.device`` as a class, or a base of it, gives it to every instance; None where none surely does."""
    if not all(_may_be_gpu(cls, one, value) for cls in family.classes for one, value in _device_values(cls)):
        return None
    getters = ((cls, one) for cls in family.classes for one in methods_of(cls) if one.name == "device")
    for cls, getter in getters:
        is_string = False if _gives_device_of_parameter(getter) else None
        return InheritedDevice(KnownDevice(is_string), True) if _may_give_device(family, cls, getter) else None
    early: set[str] = set()
    for cls, init, statement in _run_to_make(family.classes):
        value = _value_of_device(statement, instance_of(init))
        if value is not None:
            return _kept_device(family, cls, init, value, frozenset(early))
        early |= {node.attr for node in nodes_below(statement) if isinstance(node, ast.Attribute)}
    has_device = any(name.rpartition(".")[2].endswith(HAVE_DEVICE) for name in family.others)
    inits = (one for cls in family.classes for one in methods_of(cls) if one.name == "__init__")
    is_made = all(any(map(calls_base_init, init.body)) for init in inits)
    return InheritedDevice(KnownDevice(False), True) if has_device and is_made else None


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
    return InheritedDevice(known, False, early, asked)


def _may_give_device(family: ClassFamily, cls: Definition, method: Function) -> bool:
    """Whether a method ``device`` is a property, and nothing says that it is None or no device at all."""
    inside = nodes_below(method)
    getter = DeviceGetter(
        tuple(map(dotted_text, method.decorator_list)),
        instance_of(method),
        tuple(python_term(one.value) if one.value else None for one in inside if isinstance(one, ast.Return)),
        any(isinstance(one, ast.Raise) for one in inside),
        any(isinstance(one, (ast.If, ast.IfExp, ast.Assign)) for one in inside),
    )
    return getter.is_property and getter.may_give_gpu(
        lambda value: _is_no_gpu(cls.module, value),
        lambda kept: [value for one in family.classes for value in _all_values(one, kept)],
    )


def _gives_device_of_parameter(method: Function) -> bool:
    """Whether all that a method returns is the device of a parameter of its module, as a tensor has it."""
    values = [one.value for one in nodes_below(method) if isinstance(one, ast.Return)]
    first = f"next({instance_of(method)}.parameters()).device"
    return bool(values) and all(one is not None and ast.unparse(one) == first for one in values)


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


def calls_base_init(statement: ast.stmt) -> bool:
    """Whether a statement is ``super().__init__(...)`` or ``Base.__init__(self, ...)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"


def sets_attribute(family: ClassFamily, attribute: str) -> bool:
    """Whether a method of a class, or of a base of it, gives an attribute of the instance a value."""
    return any(True for cls in family.classes for _ in _values(cls, attribute))


def sets_true(family: ClassFamily, attribute: str) -> bool:
    """Whether a method of a class, or of a base of it, sets an attribute of the instance to True."""
    values = (value for cls in family.classes for _, value in _values(cls, attribute))
    return any(isinstance(one, ast.Constant) and one.value is True for one in values)


def _device_values(cls: Definition) -> Iterator[tuple[Function, ast.expr]]:
    """What the methods of a class assign to ``self.device``."""
    return _values(cls, "device")


def _values(cls: Definition, attribute: str) -> Iterator[tuple[Function, ast.expr]]:
    """What the methods of a class assign to an attribute of the instance."""
    for method in methods_of(cls):
        for node in nodes_below(method):
            value = _value_of(node, instance_of(method), attribute) if isinstance(node, ast.stmt) else None
            if value is not None:
                yield method, value


def _all_values(cls: Definition, attribute: str) -> Iterator[ast.expr]:
    """What the methods of a class, and its body, assign to an attribute of the instance."""
    yield from (value for _, value in _values(cls, attribute))
    for one in cls.node.body:  # type: ignore[attr-defined]  # it is a class
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None:
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            if any(isinstance(target, ast.Name) and target.id == attribute for target in targets):
                yield one.value


def _value_of_device(statement: ast.stmt, instance: str) -> ast.expr | None:
    """What a statement assigns to ``self.device``."""
    return _value_of(statement, instance, "device")


def _value_of(statement: ast.stmt, instance: str, attribute: str) -> ast.expr | None:
    """What a statement assigns to an attribute of the instance."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return None
    return statement.value if any(dotted_text(one) == f"{instance}.{attribute}" for one in targets) else None


def _may_be_gpu(cls: Definition, method: Function, value: ast.expr) -> bool:
    known = known_device(cls.module, value, _device_parameters(method))
    return known is not None and known.cuda


def instance_of(method: Function) -> str:
    parameters = [*method.args.posonlyargs, *method.args.args]
    return parameters[0].arg if parameters else ""


def _device_parameters(method: Function) -> frozenset[str]:
    """The parameters that hold a device; one that may be None, or the CPU by default, does not surely."""
    return frozenset(
        one.arg
        for one, default in parameters_with_defaults(method.args)
        if looks_like_device(one.arg) and not (isinstance(default, ast.Constant) and default.value in (None, "cpu"))
    )


def class_methods(project: Project, name: str, path: str) -> frozenset[str] | None:
    """The methods of a class of another file, with those of its bases; None for one with bases of other libraries."""
    module = project.index.module(path)
    found = project.index.resolve(module, name) if module is not None else None
    if found is None or not isinstance(found.node, ast.ClassDef):
        return None
    family = class_family(project.index, found)
    if not all(map(is_pythons, family.others)):
        return None
    return frozenset(one.name for cls in family.classes for one in methods_of(cls))


def is_pythons(name: str) -> bool:
    """Whether a class is a builtin or of the standard library, whose classes have no ``to`` and no ``cuda``."""
    module = name.rpartition(".")[0].partition(".")[0]
    return module in STANDARD_LIBRARY if module else hasattr(builtins, name)


def inherits(project: Project, heir: str, path: str, name: str) -> bool:
    """Whether a class of another file, ``heir`` at ``path``, may inherit from the class ``name`` of this file."""
    module = project.index.module(path)
    found = project.index.resolve(module, heir) if module is not None else None
    if found is None or not isinstance(found.node, ast.ClassDef):
        return False
    family = class_family(project.index, found)
    return any(one.module.path == project.path and one.name == name for one in family.classes)
