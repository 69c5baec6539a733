"""What a test comes to on a machine without CUDA where nobody asks for it: by what the project gives its flags.

Flags are followed through the project by their names, which may mislead. What is decided by this gains less, or more
than somebody wants; it makes no program do another thing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.cuda.assigned_values import assigned_pairs, assignments, attributes, last_value, takers
from devlint.analysis.names.bindings import How
from devlint.analysis.names.resolution import bindings
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.attributes import set_by_instances, set_from_outside
from devlint.analysis.project.calls import CALLS, CallSite, calls_in, parameter_position
from devlint.analysis.project.module import Function, ProjectModule
from devlint.analysis.project.options import OPTIONS, options_in
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search
from devlint.analysis.slots.given.given_entries import flag_in_entries
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.constant_values import UNKNOWN, constant_value
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, parameters_with_defaults, text_of
from devlint.torch_api.cuda_naming import IS_CUDA
from devlint.torch_api.device_naming import holds_options

_MOST = 60
"""How many names are followed for one test."""
_AGAIN = object()
"""The value of a name that is just being asked for."""
_NO_CUDA = {"is_available": False, "is_initialized": False, "device_count": 0, IS_CUDA: False}
_CONVERTS = frozenset({"bool", "int", "str2bool", "strtobool"})
_NO = frozenset({"", "0", "false", "no", "n", "f", "off", "none"})
_SWITCHES = {"store_true": False, "store_false": True}


def value_without_cuda(ctx: FileContext, test: cst.BaseExpression) -> bool | None:
    """Whether a test holds on a machine without CUDA where the user gives no option; None where nobody knows."""
    module, known = own_module(ctx), ctx.fact(_known)
    try:
        tree = ast.parse(ctx.one_line_of(test), mode="eval").body
    except SyntaxError:
        return None
    given, nodes = _given_to(ctx, test), nodes_below(tree)
    owners = {id(one.value) for one in nodes if isinstance(one, ast.Attribute)}
    for one in nodes:
        if isinstance(one, ast.Name) and one.id in given and id(one) not in owners:
            one.id += f"@{given[one.id]}"
    text = ast.unparse(tree)
    if text not in known:
        value = _Values(project_around(ctx), module).of(module, tree) if module is not None else UNKNOWN
        known[text] = None if value is UNKNOWN or value is _AGAIN else bool(value)
    return known[text]


def _known(ctx: FileContext) -> dict[str, bool | None]:
    """The answers so far, by the test."""
    return {}


def _given_to(ctx: FileContext, test: cst.BaseExpression) -> dict[str, str]:
    """The functions whose parameters a test names, by the parameters; a star for a name that is no parameter there."""
    found: dict[str, str] = {}
    for name in (one for one in (test, *ctx.tree.below(test)) if isinstance(one, cst.Name)):
        scope, bound = bindings(ctx, name.value, name)
        hows = {one.how for one in bound}
        if scope is not None and hows == {How.PARAMETER} and isinstance(scope.node, cst.FunctionDef):
            found[name.value] = scope.node.name.value
        elif hows == {How.ASSIGN}:
            found[name.value] = "*"
    return found


class _Values:
    """The values of expressions in files of a project."""

    def __init__(self, project: Project, own: ProjectModule) -> None:
        self.project = project
        self.own = own
        self.known: dict[tuple[str, str], object] = {}

    def of(self, module: ProjectModule, node: ast.expr) -> object:
        """The value of an expression of a file."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(module, node)
        return constant_value(node, lambda one: self._known(module, one), lambda one: self._other(module, one))

    def _known(self, module: ProjectModule, node: ast.expr) -> object:
        value = self._named(module, node)
        return UNKNOWN if value is _AGAIN else value

    def _other(self, module: ProjectModule, node: ast.expr) -> object:
        if isinstance(node, ast.IfExp):
            asked = self.of(module, node.test)
            sides = (
                [node.body, node.orelse]
                if asked is UNKNOWN or asked is _AGAIN
                else [node.body if asked else node.orelse]
            )
            return _same(self.of(module, one) for one in sides)
        if isinstance(node, (ast.List, ast.Tuple)):
            return [*node.elts]
        if not isinstance(node, ast.Call):
            return UNKNOWN
        name = last_name(node.func)
        if name in _NO_CUDA:
            return _NO_CUDA[name]
        if name == "len" and len(node.args) == 1:
            value = self.of(module, node.args[0])
            return len(value) if isinstance(value, (list, str)) else UNKNOWN
        return self.of(module, node.args[0]) if name in _CONVERTS and node.args else self._returned(module, node)

    def _returned(self, module: ProjectModule, call: ast.Call) -> object:
        """What a function of the project gives."""
        found = self.project.index.resolve(module, dotted_text(call.func))
        if found is None or not isinstance(found.node, ast.FunctionDef):
            return UNKNOWN
        values = [one.value for one in nodes_below(found.node) if isinstance(one, ast.Return)]
        return self._once(found.module, call, (self._assigned(found.module, one) for one in values))

    def _once(self, module: ProjectModule, node: ast.expr, values: Iterable[object]) -> object:
        """What all values come to, where it is not being asked for already."""
        key = (module.path, ast.dump(node))
        if key not in self.known:
            self.known[key] = _AGAIN
            self.known[key] = _same(values) if len(self.known) < _MOST else UNKNOWN
        return self.known[key]

    def _named(self, module: ProjectModule, node: ast.expr) -> object:
        if isinstance(node, ast.Subscript):
            key = text_of(node.slice)
            held = flag_in_entries(self.project, module, key) if key is not None else None
            return UNKNOWN if held is None else held
        values = (
            self._of_attribute(module, node)
            if isinstance(node, ast.Attribute)
            else self._of_name(module, last_name(node))
        )
        return self._once(module, node, values)

    def _of_name(self, module: ProjectModule, name: str) -> Iterator[object]:
        """What all of a file gives a name, or the file that it is imported from; ``cuda@train`` is a parameter."""
        name, _, function = name.partition("@")
        if function in ("", "*"):
            given = module.fact(assignments).get(name, ()) if (last := last_value(module, name)) is None else [last]
            yield from (self._assigned(module, one) for one in given)
        for one, owner in module.fact(takers).get(name, ()):
            if function in ("", one.name):
                yield from self._given(module, one, owner, name)
        found = self.project.index.resolve(module, name) if name not in module.fact(assignments) else None
        if (
            found is not None
            and found.module.path != module.path
            and isinstance(found.node, (ast.Assign, ast.AnnAssign))
        ):
            yield from self._of_name(found.module, found.name)

    def _assigned(self, module: ProjectModule, value: ast.expr | None) -> object:
        return UNKNOWN if value is None else self.of(module, value)

    def _given(self, module: ProjectModule, function: Function, owner: str, name: str) -> Iterator[object]:
        """What the calls of a function give a parameter, and its default where one gives nothing, or none is known."""
        default = next(default for one, default in parameters_with_defaults(function.args) if one.arg == name)
        called = owner if owner and function.name == "__init__" else function.name
        position = parameter_position(function, name, bool(owner))
        sites = list(self._calls(module, called))
        for path, text in dict.fromkeys((one.path, _argument(one, name, position)) for one in sites):
            calling = self._module(path)
            if text is None or calling is None:
                yield UNKNOWN if calling is None else self._assigned(module, default)
            else:
                yield self.of(calling, ast.parse(text, mode="eval").body) if text else UNKNOWN
        if not sites:
            yield self._assigned(module, default)

    def _calls(self, module: ProjectModule, name: str) -> Iterator[CallSite]:
        yield from calls_in(module, name)
        others = [
            *(calls_in(self.own, name) if module is not self.own else ()),
            *(search(self.project, CALLS, name) or ()),
        ]
        for one in others:
            calling = self._module(one.path) if one.path != module.path else None
            found = self.project.index.resolve(calling, one.called) if calling is not None else None
            if calling is not None and (found is None or found.module.path == module.path):
                yield one

    def _module(self, path: str) -> ProjectModule | None:
        return self.own if path == self.own.path else self.project.index.module(path)

    def _of_attribute(self, module: ProjectModule, node: ast.Attribute) -> Iterator[object]:
        """What is assigned to an attribute that is written so, or else by other files, or what its option is."""
        name, owner = node.attr, dotted_text(node.value)
        own = [value for one, value in module.fact(attributes).get(name, ()) if one == owner]
        if own:
            yield from (self._assigned(module, one) for one in own)
            return
        given = [*self._of_owner(module, node)]
        setters = set_from_outside(self.project, name) or []
        if owner == "self":
            setters = [one for one in setters if not holds_options(one.owner.rpartition(".")[2])]
            setters += set_by_instances(self.project, name) or []
        for one in filter(None, map(self._module, sorted({one.path for one in setters}))):
            given += [self._assigned(one, value) for _, value in one.fact(attributes).get(name, ())]
        options = [*options_in(module, name)] if not given else []
        if not given and not options:
            options = [*options_in(self.own, name), *(search(self.project, OPTIONS, name) or ())]
        yield from (*given, *(self._default(one.path, one.call) for one in options))
        if name == IS_CUDA and not given and not options:
            yield False

    def _of_owner(self, module: ProjectModule, node: ast.Attribute) -> Iterator[object]:
        """What a module that has an attribute, or the body of the class, gives it."""
        resolve = self.project.index.resolve
        if dotted_text(node.value) == "self":
            yield from (self._assigned(module, one) for one in module.fact(assignments).get(node.attr, ()))
            return
        found, owner = resolve(module, dotted_text(node)), resolve(module, dotted_text(node.value))
        is_own = found is not None and found.name == node.attr  # or its owner is what an assignment gives a value
        if found is not None and is_own and isinstance(found.node, (ast.Assign, ast.AnnAssign)):
            yield from self._of_name(found.module, found.name)
        elif owner is not None and isinstance(owner.node, ast.ClassDef):
            pairs = assigned_pairs(owner.node.body)
            values = [value for one, value in pairs if isinstance(one, ast.Name) and one.id == node.attr]
            yield from (self._assigned(owner.module, one) for one in values)

    def _default(self, path: str, call: str) -> object:
        """What an option is where the user does not give it."""
        made, module = ast.parse(call, mode="eval").body, self._module(path)
        given = {one.arg: one.value for one in made.keywords} if isinstance(made, ast.Call) else {}
        if module is None or "required" in given:
            return UNKNOWN
        if "default" not in given:
            return _SWITCHES.get(text_of(given.get("action")) or "")
        value = self.of(module, given["default"])
        is_text = isinstance(value, str) and "type" in given and last_name(given["type"]) != "str"
        return value if not is_text else str(value).lower() not in _NO


def _same(values: Iterable[object]) -> object:
    """What all values come to as a test; UNKNOWN where they differ, are other words, or there are none."""
    found = [one for one in values if one is not _AGAIN]
    if not found or UNKNOWN in found or len({one for one in found if isinstance(one, str)}) > 1:
        return UNKNOWN
    return found[0] if len({bool(one) for one in found}) == 1 else UNKNOWN


def _argument(site: CallSite, name: str, position: int | None) -> str | None:
    """What a call gives a parameter; None for its default, and nothing where stars may hide it."""
    text = site.argument(name, position)
    return "" if text is None and site.has_stars else text
