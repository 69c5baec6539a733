"""Whether a call may give None to a parameter, also through the functions and classes that hand theirs on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.calls import (
    CALLS,
    CallSite,
    HandedOn,
    base_initializations_elsewhere,
    calls_elsewhere,
    calls_in,
    function_calls_elsewhere,
    handed_on,
    parameter_position,
)
from devlint.analysis.project.module import Function, ProjectModule
from devlint.analysis.project.options import OPTIONS, option_values
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search
from devlint.analysis.slots.given.given_back import result_is_never_none
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, parameters_with_defaults, text_of
from devlint.torch_api.device_naming import holds_options

_DEPTH = 3
"""How many functions a parameter that is handed on is followed through."""
_OTHERS = (ast.Import, ast.ImportFrom, ast.ClassDef)
_NONE_DEVICE = regex(r"\bdevice\b[^=\n,()]*=\s*None")


class Owner(Record, eq=False):
    """The function of a parameter, as Python's own tree has it."""

    function: Function
    cls: ast.ClassDef | None
    is_bound: bool
    """Whether a call leaves out its first parameter."""

    @property
    def called(self) -> str:
        """What is called."""
        return self.cls.name if self.cls is not None and self.function.name == "__init__" else self.function.name


def own_sites(module: ProjectModule, owner: Owner) -> Iterator[CallSite]:
    """The calls of a function in its own file."""
    for one in calls_in(module, owner.called):
        if owner.cls is not None or "." not in one.called:
            yield one
    if owner.cls is not None and owner.function.name == "__init__":
        for one in calls_in(module, "__init__"):
            if not _is_of_another_class(module, one, owner.cls):
                yield one


def sites_elsewhere(project: Project, owner: Owner) -> list[CallSite] | None:
    """Its calls in other files; None where nobody knows."""
    found = (calls_elsewhere if owner.cls is not None else function_calls_elsewhere)(project, owner.called)
    if found is None or owner.cls is None or owner.function.name != "__init__":
        return found
    by_heirs = base_initializations_elsewhere(project, owner.cls.name)
    return None if by_heirs is None else [*found, *by_heirs]


def _is_of_another_class(module: ProjectModule, site: CallSite, cls: ast.ClassDef) -> bool:
    """Whether ``Base.__init__(self, …)`` names a class that the file imports, or another one of its own."""
    name = site.called.partition(".")[0]
    bound = [one.statement for one in module.bindings.get(name, ())]
    return bool(bound) and name != cls.name and all(isinstance(one, _OTHERS) for one in bound)


class NoneQuestion:
    """Whether None may be given; parameters that are handed on are followed."""

    def __init__(self, project: Project, module: ProjectModule, asked: tuple[str, str]) -> None:
        """``asked`` are the function and the parameter; where it calls itself with it, that adds nothing."""
        self.project = project
        self.module = module
        self.asked = asked

    def is_never_none(self, site: CallSite, name: str, position: int | None, depth: int = _DEPTH) -> bool:
        """Whether a call leaves a parameter to its default, or gives it a device."""
        if site.has_stars and name not in dict(site.keywords):
            return False
        given = [site.argument(name, position)]
        if position is not None and not site.has_stars and site.called[:1].isupper():  # Base.method(self, ...)
            given.append(site.argument(name, position + 1))
        return all(one is None or self._is_device(one, site, depth) for one in given)

    def _is_device(self, given: str, site: CallSite, depth: int) -> bool:
        """Whether an expression in a call is a device: a string, ``device(...)``, ``x.device``, or a name of these."""
        node = ast.parse(given, mode="eval").body
        return all(self._one_is_device(one, site, depth) for one in _branches(node))

    def _one_is_device(self, node: ast.expr, site: CallSite, depth: int) -> bool:
        if isinstance(node, ast.Call):
            made = dotted_text(node.func).rpartition(".")[2] == "device"
            return made or result_is_never_none(self.project, site.path, node)
        if isinstance(node, ast.Attribute):
            is_option = holds_options(dotted_text(node.value).rpartition(".")[2])
            return (node.attr == "device" or is_option) and self._has_device(node, site)
        if isinstance(node, ast.Name):
            values = dict(site.values).get(node.id, ())
            return (
                bool(values) and depth > 0 and all(self._value_is_device(one, node.id, site, depth) for one in values)
            )
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and node.value is not None)

    def _has_device(self, node: ast.Attribute, site: CallSite) -> bool:
        """Whether ``x.device`` is that of a tensor or module, or an option that is never None."""
        owner = dotted_text(node.value)
        module = self.module if site.path == self.module.path else self.project.index.module(site.path)
        if module is None:
            return False
        if holds_options(owner.rpartition(".")[2]):
            values = [one for value in option_values(module, node.attr) for one in _branches(value)]
            if not values:
                return self._is_set_to_devices(node.attr)
            return all(isinstance(one, ast.JoinedStr) or text_of(one) is not None for one in values)
        return owner not in ("self", "cls") or not _NONE_DEVICE.search(ast.unparse(module.tree))

    def _is_set_to_devices(self, attribute: str) -> bool:
        """Whether other files say what an option is, ``config.device = "cpu"``, and it is a device wherever they do."""
        defined = search(self.project, OPTIONS, attribute)
        found = set_from_outside(self.project, attribute)
        return bool(found) and defined == [] and all(one.gives_device for one in found or ())

    def _value_is_device(self, value: str, name: str, site: CallSite, depth: int) -> bool:
        given = handed_on(value)
        if given is None:
            return value != "?" and self._is_device(value, site, depth - 1)
        function, default = given.function, given.default
        if (function, name) == self.asked and site.path == self.module.path:
            return True
        if default and not self._is_device(default, site, depth - 1):
            return False
        if function == "__init__":
            found = self._constructions(site.path, name, given)
        elif not default or function.startswith("__") or function in ("forward", "call"):
            return False
        else:
            found = self._calls_of(function, site.path)
        return found is not None and all(self.is_never_none(one, name, given.position, depth - 1) for one in found)

    def _calls_of(self, function: str, path: str) -> list[CallSite] | None:
        """The calls of a function that hands on what it is given; None where nobody knows."""
        own = self.module.bindings.get(function, ())
        is_function = len(own) == 1 and isinstance(own[0].statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function and path == self.module.path:
            found = function_calls_elsewhere(self.project, function)
        else:
            found = search(self.project, CALLS, function)
        return None if found is None else [*calls_in(self.module, function), *found]

    def _constructions(self, path: str, name: str, given: HandedOn) -> list[CallSite] | None:
        """The calls that make instances of the classes of a file whose ``__init__`` hands a parameter on."""
        module = self.module if path == self.module.path else self.project.index.module(path)
        classes = [one for one in ast.walk(module.tree) if isinstance(one, ast.ClassDef)] if module is not None else []
        made: list[CallSite] = []
        for one in classes:
            init = _initializer(one)
            if module is None or init is None or not _hands_on(init, name, given):
                continue
            owner = Owner(init, one, True)
            is_plain = one in module.tree.body and not one.decorator_list
            found = sites_elsewhere(self.project, owner) if is_plain else None
            if found is None:
                return None
            made += [*own_sites(module, owner), *found]
        return made or None


def _initializer(cls: ast.ClassDef) -> Function | None:
    """The ``__init__`` of a class."""
    found = (one for one in cls.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    return next(found, None)


def _hands_on(init: Function, name: str, given: HandedOn) -> bool:
    """Whether the ``__init__`` of a class has a parameter at that place."""
    if all(one.arg != name for one, _ in parameters_with_defaults(init.args)):
        return False
    return parameter_position(init, name, True) == given.position


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    """The values that an expression may have."""
    if isinstance(node, ast.IfExp):
        yield from _branches(node.body)
        yield from _branches(node.orelse)
    else:
        yield node
