"""Whether the default of a parameter may become None: nobody asks for it, and nobody passes None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.calls import (
    CALLS,
    CallSite,
    base_initializations_elsewhere,
    calls_elsewhere,
    calls_in,
    function_calls_elsewhere,
    handed_on,
    parameter_position,
)
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.options import OPTIONS, option_values
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search
from devlint.analysis.slots.chosen_defaults import may_choose_by_default
from devlint.analysis.slots.given_back import result_is_never_none
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import dotted_text, text_of
from devlint.torch_api.device_naming import holds_options

_DEPTH = 3
"""How many functions a parameter that is handed on is followed through."""
_HARMLESS = frozenset("staticmethod classmethod no_grad inference_mode enable_grad".split())
_OTHERS = (ast.Import, ast.ImportFrom, ast.ClassDef)
_NONE_DEVICE = regex(r"\bdevice\b[^=\n,()]*=\s*None")


class _Owner(Record, eq=False):
    """The function of a parameter, as Python's own tree has it."""

    function: Function
    cls: ast.ClassDef | None
    is_bound: bool
    """Whether a call leaves out its first parameter."""

    @property
    def called(self) -> str:
        """What is called."""
        return self.cls.name if self.cls is not None and self.function.name == "__init__" else self.function.name


@fact_of
def may_become_none(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a function, method or class places things by a parameter, never asks for its None, and is given none.

    All calls in the project count, of a method those of any object that has one of this name.
    """
    module = own_module(ctx)
    owner = _owner(ctx, module, param) if module is not None else None
    if module is None or owner is None:
        return False
    project, name = project_around(ctx), param.name.value
    definition = Definition(module, owner.function, owner.function.name)
    if not may_choose_by_default(project.index, definition, name, owner.cls):
        return False
    position = parameter_position(owner.function, name, owner.is_bound)
    question = _Question(project, module, (owner.function.name, name))
    if not all(question.is_never_none(one, name, position) for one in _own_sites(module, owner)):
        return False  # without a look at the other files, which takes long where many call something of this name
    sites = _sites_elsewhere(project, owner)
    return sites is not None and all(question.is_never_none(one, name, position) for one in sites)


def hands_to_init(ctx: FileContext, param: cst.Param, other: cst.Param) -> bool:
    """Whether a class method makes an instance, and gives ``__init__`` of its class its own parameter of that name.

    ``def create(cls, size, device="cuda"): return cls(Net(size), device)``
    """
    maker, init = (ctx.tree.parent(ctx.tree.parent(one) or one) for one in (param, other))
    if not isinstance(maker, cst.FunctionDef) or not isinstance(init, cst.FunctionDef):
        return False
    name, definition = param.name.value, class_of(ctx, maker.body)
    is_same = definition is not None and definition is class_of(ctx, init.body) and name == other.name.value
    if not is_same or init.name.value != "__init__" or not maker.params.params:
        return False
    made_by = (maker.params.params[0].name.value, definition.name.value if definition is not None else "")
    calls = (one for one in ctx.tree.below(maker.body) if isinstance(one, cst.Call))
    made = (one for one in calls if dotted_name(one.func) in made_by)
    return any(dotted_name(arg.value) == name for one in made for arg in one.args)


def _owner(ctx: FileContext, module: ProjectModule, param: cst.Param) -> _Owner | None:
    """The function of a parameter; None where others may call it by what nobody sees."""
    parameters = ctx.tree.parent(param)
    function = ctx.tree.parent(parameters) if parameters is not None else None
    if not isinstance(function, cst.FunctionDef):
        return None
    definition = class_of(ctx, function)
    block = ctx.tree.parent(function)
    if definition is None:
        bound = module.bindings.get(function.name.value, ()) if block is ctx.module else ()
        node = bound[0].statement if len(bound) == 1 else None
        return _Owner(node, None, False) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    bound = module.bindings.get(definition.name.value, ())
    cls = bound[0].statement if len(bound) == 1 else None
    if not isinstance(cls, ast.ClassDef) or ctx.tree.parent(block or function) is not definition:
        return None
    if cls.decorator_list and function.name.value == "__init__":
        return None
    methods = [one for one in cls.body if getattr(one, "name", None) == function.name.value]
    node = methods[0] if len(methods) == 1 else None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not _is_plain(node):
        return None
    is_static = any(dotted_text(one) == "staticmethod" for one in node.decorator_list)
    return _Owner(node, cls, not is_static)


def _is_plain(method: Function) -> bool:
    """Whether a method is called by its name and nothing else; torch calls ``forward`` itself."""
    decorators = (one.func if isinstance(one, ast.Call) else one for one in method.decorator_list)
    if not all(dotted_text(one).rpartition(".")[2] in _HARMLESS for one in decorators):
        return False
    is_special = method.name.startswith("__") and method.name != "__init__"
    return not is_special and method.name not in ("forward", "call")


def _own_sites(module: ProjectModule, owner: _Owner) -> Iterator[CallSite]:
    """The calls of a function in its own file."""
    for one in calls_in(module, owner.called):
        if owner.cls is not None or "." not in one.called:
            yield one
    if owner.cls is not None and owner.function.name == "__init__":
        for one in calls_in(module, "__init__"):
            if not _is_of_another_class(module, one, owner.cls):
                yield one


def _sites_elsewhere(project: Project, owner: _Owner) -> list[CallSite] | None:
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


class _Question:
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
        if not default or function.startswith("__") or function in ("forward", "call"):
            return False
        own = self.module.bindings.get(function, ())
        is_function = len(own) == 1 and isinstance(own[0].statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function and site.path == self.module.path:
            found = function_calls_elsewhere(self.project, function)
        else:
            found = search(self.project, CALLS, function)
        sites = [*calls_in(self.module, function), *(found or ())]
        return found is not None and all(self.is_never_none(one, name, given.position, depth - 1) for one in sites)


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    """The values that an expression may have."""
    if isinstance(node, ast.IfExp):
        yield from _branches(node.body)
        yield from _branches(node.orelse)
    else:
        yield node
