"""Classes of a project that define a method, such as a ``to`` of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.checkpoints.handed_states import hands_on
from devlint.analysis.project.classes import (
    ClassFamily,
    calls_base_init,
    class_family,
    class_methods,
    inherits,
    instance_of,
    is_pythons,
    methods_of,
    sets_attribute,
)
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search, search_below
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below

WAYS = ("load_state_dict", "_load_from_state_dict")
"""The methods by which a module loads a state."""


class MethodOwner(Record):
    """A class that defines a method."""

    path: str
    name: str


def classes_with_method(project: Project, method: str) -> list[MethodOwner] | None:
    """The classes of other files with a method of their own; None where nobody knows."""
    return search(project, OVERRIDES, method)


def copying_classes(project: Project) -> list[str]:
    """The classes of other files without a ``to`` whose ``cuda`` gives another object, as that of a tensor does."""
    found = []
    for one in classes_with_method(project, "cuda") or ():
        own = class_methods(project, one.name, one.path)
        module = project.index.module(one.path)
        definition = project.index.resolve(module, one.name) if module is not None else None
        if own is None or "to" in own or definition is None:
            continue
        if any(_gives_another(method) for method in methods_of(definition) if method.name == "cuda"):
            found.append(one.name)
    return found


def held_classes(project: Project) -> list[str]:
    """The classes of other files with a ``cuda``, but no ``to``, that the project puts into dictionaries and lists.

    An entry of a batch may be an instance of one.
    """
    root, found = project.root, []
    for one in (classes_with_method(project, "cuda") or ()) if root is not None else ():
        own = class_methods(project, one.name, one.path)
        if own is not None and "to" not in own and root is not None:
            if search_below(project.index, project.counted, root, HELD, one.name):
                found.append(one.name)
    return found


def _holders(index: Index, paths: Iterable[str], name: str) -> Iterator[MethodOwner]:
    """Where a dictionary, a list or a tuple gets an instance of a class."""
    for path in paths:
        module = index.module(path)
        for node in nodes_below(module.tree) if module is not None else ():
            held = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", ())
            made = (dotted_text(one.func) for one in held if isinstance(one, ast.Call))
            if any(one.rpartition(".")[2] == name for one in made):
                yield MethodOwner(path, name)
                break


def _gives_another(method: Function) -> bool:
    """Whether a method returns something else than its instance, and not what it is given: ``cuda(self, *args)``."""
    own, given = instance_of(method), method.args.vararg.arg if method.args.vararg is not None else None
    values = [node.value for node in nodes_below(method) if isinstance(node, ast.Return) and node.value is not None]
    others = [one for one in values if not isinstance(one, ast.Name) or one.id != own]
    names = [{node.id for node in nodes_below(one) if isinstance(node, ast.Name)} for one in others]
    return any(given not in one for one in names)


def _owners(index: Index, paths: Iterable[str], method: str) -> Iterator[MethodOwner]:
    indented = re.compile(rb"^[ \t]+(?:async[ \t]+)?def[ \t]+%s\b" % re.escape(method.encode()), re.MULTILINE)
    for path, module in index.matching(paths, indented):
        for node in nodes_below(module.tree):  # also below a test, or in a function
            if isinstance(node, ast.ClassDef) and any(_is_method(one, method) for one in node.body):
                yield MethodOwner(path, node.name)


def _is_method(statement: ast.stmt, name: str) -> bool:
    """Whether a statement of a class defines what is called on its instances, as a property is not."""
    kinds = {last_name(one) for one in getattr(statement, "decorator_list", ())}
    return getattr(statement, "name", "") == name and kinds.isdisjoint({"property", "cached_property", "setter"})


def may_skip_init(project: Project, name: str) -> bool:
    """Whether another file may make an instance of the class ``name`` of this one, or of an heir, without its init."""
    return may_inherit(project, search(project, HEIRS, name), name)


def may_have_device(project: Project, name: str) -> bool:
    """Whether a class of another file may inherit from the class ``name`` of this one and get a device elsewhere.

    Such as a read-only property ``device`` of its other base, which refuses ``self.device = …``.
    """
    return may_inherit(project, search(project, DEVICES_OF_HEIRS, name), name)


def may_inherit(project: Project, owners: list[MethodOwner] | None, name: str) -> bool:
    """Whether one of some classes of other files, or nobody knows which, may inherit from ``name`` of this file."""
    return owners is None or any(inherits(project, one.name, one.path, name) for one in owners)


def _heirs(index: Index, paths: Iterable[str], name: str) -> Iterator[MethodOwner]:
    """The classes with a base of this name that may not run its ``__init__``, and those made by ``__new__`` alone.

    Their own does not call that of a base, or another base comes first, whose ``__init__`` may call none.
    """
    for _, module in index.matching(paths, re.compile(rb"\b__new__\(")):
        for one in nodes_below(module.tree):
            if isinstance(one, ast.Call) and one.args and dotted_text(one.func).endswith(".__new__"):
                yield MethodOwner(module.path, dotted_text(one.args[0]))
    for module, node in _inheriting(index, paths, name):
        inits = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        is_first = name in dotted_text(node.bases[0]).split(".")
        called = (
            [dotted_text(one.func) for one in nodes_below(node) if isinstance(one, ast.Call)] if not is_first else []
        )
        is_named = any(one.endswith(f"{name}.__init__") for one in called)
        if (not is_first and not is_named) or (inits and not any(calls_base_init(one) for one in inits[0].body)):
            yield MethodOwner(module.path, node.name)


def _inheriting(index: Index, paths: Iterable[str], name: str) -> Iterator[tuple[ProjectModule, ast.ClassDef]]:
    """The classes of some files with a base of this name."""
    inherited = re.compile(rb"^[ \t]*class[^\n]+\b%s\b" % re.escape(name.encode()), re.MULTILINE)
    for _, module in index.matching(paths, inherited):
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and any(name in dotted_text(one).split(".") for one in node.bases):
                yield module, node


def _devices_of_heirs(index: Index, paths: Iterable[str], name: str) -> Iterator[MethodOwner]:
    """The classes with a base of this name that have a ``device``, or may have one, of their own or another base."""
    for module, node in _inheriting(index, paths, name):
        family = class_family(index, Definition(module, node, node.name))
        others = [one for one in family.classes if one.name != name]
        in_body = any(_binds_device(statement) for one in others for statement in getattr(one.node, "body", ()))
        known = ClassFamily(tuple(others), ())
        if in_body or sets_attribute(known, "device") or not all(map(_gives_no_device, family.others)):
            yield MethodOwner(module.path, node.name)


def _binds_device(statement: ast.stmt) -> bool:
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return getattr(statement, "name", "") == "device" or any(getattr(one, "id", "") == "device" for one in targets)


def _gives_no_device(base: str) -> bool:
    return base.startswith("torch.nn.") or is_pythons(base)


def run_to_make(family: ClassFamily, names: Iterable[str]) -> set[str]:
    """What the ``__init__`` of a class and of its bases mention, the methods ``names``, and what these call in turn."""
    found: set[str] = set()
    waiting = {"__init__", *names}
    while waiting:
        found |= waiting
        methods = [one for cls in family.classes for one in methods_of(cls) if one.name in waiting]
        nodes = [(one, node) for one in methods for node in nodes_below(one) if isinstance(node, ast.Attribute)]
        waiting = {node.attr for one, node in nodes if one.name == "__init__" or _is_own(one, node)} - found
    return found


def _is_own(method: Function, node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == instance_of(method)


def classes_that_may_keep(project: Project, way: str) -> list[MethodOwner] | None:
    """The classes of other files with such a method that may keep what it is given; None where nobody knows."""
    return search(project, OWN_LOADS, way)


def state_keepers(module: ProjectModule, way: str) -> Iterator[MethodOwner]:
    """The classes of a file whose method ``way`` does more with a state than to give it to torch's own."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
            if any(one.name == way and not hands_on(one) for one in methods):
                yield MethodOwner(module.path, node.name)


def known_methods(index: Index, module: ProjectModule, name: str) -> frozenset[str] | None:
    """The methods of a class of a file, with those of its bases; None where it may have more.

    That is so where a base is of another library, and where ``__getattr__`` hands on what is asked.
    """
    found = index.resolve(module, name)
    if found is None or not isinstance(found.node, ast.ClassDef):
        return None
    family = class_family(index, found)
    if not all(is_pythons(one) or one.startswith("torch.utils.data.") for one in family.others):
        return None
    names = frozenset(one.name for cls in family.classes for one in methods_of(cls))
    return None if names & {"__getattr__", "__getattribute__"} else names


def _found(index: Index, paths: Iterable[str], way: str) -> Iterator[MethodOwner]:
    for path in paths:
        module = index.module(path)
        yield from state_keepers(module, way) if module is not None else ()


HEIRS = Search("heirs", lambda name: (name.encode(),), _heirs)
DEVICES_OF_HEIRS = Search("devices of heirs", lambda name: (name.encode(),), _devices_of_heirs)
OVERRIDES = Search("overrides", lambda name: (f"def {name}(".encode(),), _owners)
OWN_LOADS = Search("own loads", lambda way: (f"def {way}(".encode(),), _found)
HELD = Search("held instances", lambda name: (f"{name}(".encode(),), _holders)
