"""What running something of the project leads to, followed over its files and classes: a choice of GPUs, CUDA."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Set

from devlint.analysis.choosers.card_choosers import VISIBLE_DEVICES, writes_variable
from devlint.analysis.project.classes import class_family, defined_method, methods_of
from devlint.analysis.project.module import Bound, Definition, Function, ProjectModule
from devlint.analysis.project.project import LIBRARIES, Index
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of

_MOST_STEPS = 300
"""How many functions are looked into for one call; what calls more may choose."""
_MAKING = ("__init__", "__new__", "__post_init__")
_STATEMENTS = (ast.Assign, ast.AnnAssign)
_CLASS = ast.ClassDef


class Step(Record, eq=False):
    """Something that runs: a function, or a statement of a module, and the class of the instance it is called on."""

    definition: Definition
    owner: Definition | None = None


def may_choose(index: Index, steps: Iterable[Step], at_import: Set[str]) -> bool:
    """Whether one of some steps, with what it leads to, chooses the visible GPUs.

    ``at_import`` are the files that choose them when they are imported.
    """

    def chooses(module: ProjectModule, uses: UsedNames) -> bool:
        return uses.chooses or any(index.path(module.path, one) in at_import for one in uses.modules if at_import)

    return leads_to(index, steps, chooses)


def leads_to(index: Index, steps: Iterable[Step], is_meant: Callable[[ProjectModule, UsedNames], bool]) -> bool:
    """Whether one of some steps, or what it leads to, is meant; also where there are too many to follow."""
    waiting, seen = [*steps], set[tuple[tuple[str, int], ...]]()
    while waiting:
        step = waiting.pop()
        key = tuple(_place(one) for one in (step.definition, step.owner) if one is not None)
        if key in seen:
            continue
        seen.add(key)
        module = step.definition.module
        uses = module.fact(KnownUses).of(step.definition.node)
        if len(seen) > _MOST_STEPS or is_meant(module, uses):
            return True
        waiting += _next(index, step, uses)
    return False


def _place(found: Definition) -> tuple[str, int]:
    return found.module.path, getattr(found.node, "lineno", 0)


class UsedNames:
    """What a function, or a statement, names and calls."""

    def __init__(self, node: ast.AST) -> None:
        nodes = nodes_below(node)
        self.chooses = any(writes_variable(one, VISIBLE_DEVICES) for one in nodes)
        imports = [one for one in nodes if isinstance(one, (ast.Import, ast.ImportFrom))]
        bound = [(alias.asname or alias.name, Bound(one, alias)) for one in imports for alias in one.names]
        self.imported = {name: one.origin for name, one in reversed(bound)}
        self.modules = {name for _, one in bound for name in (one.module, one.origin) if name.strip(".")}
        arguments = node.args if isinstance(node, Function) else None
        given = [one.arg for one in nodes_below(arguments) if isinstance(one, ast.arg)] if arguments is not None else []
        self.first = given[0] if given else ""
        stored = {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        self.local = {*given, *(stored if isinstance(node, Function) else ())}
        calls = [one.func for one in nodes if isinstance(one, ast.Call)]
        named = (one for one in nodes if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load))
        self.names = {one for one in map(dotted_text, named) if one}
        self.methods = {(dotted_text(one), one.attr) for one in calls if isinstance(one, ast.Attribute)}
        self.called = {last_name(one) for one in calls}
        words = (*map(last_name, nodes), *(one for one in map(text_of, nodes) if one is not None), *given)
        self.may_use_cuda = any("cuda" in one or one.endswith("device") for one in words)
        self.of_base = {one.attr for one in calls if isinstance(one, ast.Attribute) and _is_super(one.value)}


class KnownUses:
    """The same of all functions of a module: filled as they are asked for."""

    def __init__(self, tree: ast.Module) -> None:
        self._known: dict[ast.AST, UsedNames] = {}

    def of(self, node: ast.AST) -> UsedNames:
        if node not in self._known:
            self._known[node] = UsedNames(node)
        return self._known[node]


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "super"


def _next(index: Index, step: Step, uses: UsedNames) -> Iterator[Step]:
    """What a step may lead to: each function that it names, and the methods that it calls."""
    module, known = step.definition.module, set[str]()
    for name in uses.names:
        head, _, rest = name.partition(".")
        if head == uses.first and step.owner is not None:
            if rest and "." not in rest:
                yield from methods_called(index, step.owner, rest)
                known.add(name)
        elif head not in uses.local:
            found = _resolved(index, module, uses, name)
            if found is not None:
                yield from started(index, found)
                known.add(name)
    if step.owner is not None and uses.of_base:
        for cls in class_family(index, step.owner).classes:
            found_methods = (one for one in methods_of(cls) if one.name in uses.of_base)
            yield from (Step(Definition(cls.module, one), step.owner) for one in found_methods)
    for dotted, name in uses.methods:
        if dotted not in known and not is_of_module(index, module, uses, dotted.partition(".")[0]):
            yield from methods_of_any(index, module, name)


def _resolved(index: Index, module: ProjectModule, uses: UsedNames, name: str) -> Definition | None:
    """What a name stands for that is imported by a function itself, or bound by its module."""
    head, _, rest = name.partition(".")
    origin = uses.imported.get(head)
    if origin is None:
        return index.resolve(module, name)
    return index.resolve_import(module.path, f"{origin}.{rest}" if rest else origin) if origin.strip(".") else None


def is_of_module(index: Index, module: ProjectModule, uses: UsedNames, head: str) -> bool:
    """Whether a name is a module, or something else of another library, whose functions are no methods."""
    if not head or head in uses.local and head not in uses.imported:
        return False
    if head not in uses.imported and all(one.alias is None for one in module.bindings.get(head, ())):
        return False
    found = _resolved(index, module, uses, head)
    return found is None or isinstance(found.node, ast.Module)


def started(index: Index, found: Definition) -> Iterator[Step]:
    """What runs when something is called, or stands for something that does: a function, a class that is made."""
    if isinstance(found.node, _CLASS):
        for name in _MAKING:
            yield from methods_called(index, found, name)
    elif isinstance(found.node, (*_STATEMENTS, Function)):
        yield Step(found)
        cls = class_of_instance(index, found)
        if cls is not None:
            yield from methods_called(index, cls, "__call__")


def methods_called(index: Index, cls: Definition, name: str) -> Iterator[Step]:
    """The method of this name that instances of a class have, also by its bases."""
    found = defined_method(class_family(index, cls), name)
    if found is not None:
        yield Step(found, cls)


def all_methods(index: Index, cls: Definition) -> Iterator[Step]:
    """All methods of a class and of its bases."""
    for one in class_family(index, cls).classes:
        yield from (Step(Definition(one.module, method), cls) for method in methods_of(one))


def methods_of_any(index: Index, module: ProjectModule, name: str) -> Iterator[Step]:
    """The methods of this name of the classes that a file can name, or has an instance of."""
    for cls in _classes(index, module):
        yield from methods_called(index, cls, name)


def class_of_instance(index: Index, found: Definition) -> Definition | None:
    """The class of an instance that a statement of a module makes: ``cfg = Config()``."""
    value = found.node.value if isinstance(found.node, _STATEMENTS) else None
    made = index.resolve(found.module, dotted_text(value.func)) if isinstance(value, ast.Call) else None
    return made if made is not None and isinstance(made.node, _CLASS) else None


def _classes(index: Index, module: ProjectModule) -> list[Definition]:
    """The classes that a file can name, or has an instance of."""

    def found() -> list[Definition]:
        known = (index.resolve(module, name) for name in _names_of_project(index, module))
        classes = (
            one if one is None or isinstance(one.node, _CLASS) else class_of_instance(index, one) for one in known
        )
        return [one for one in classes if one is not None]

    if index.module(module.path) is module:
        return index.disk.kept(("classes named", module.path), found)  # type: ignore[no-any-return]
    own = module.fact(_OwnClasses)
    own.found = own.found if own.found is not None else found()
    return own.found


class _OwnClasses:
    """The same of a file as it is after some fixes: filled as it is asked for."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[Definition] | None = None


def _names_of_project(index: Index, module: ProjectModule) -> Iterator[str]:
    """The names by which a file may know classes of its project: ``Options``, ``options.Options``."""
    read = module.fact(KnownUses).of(module.tree).names
    for name, bound in module.bindings.items():
        if name == "*":
            owners = (index.find(module.path, one.module) for one in bound)
            yield from (inner for one in owners if one is not None for inner in one.bindings if inner in read)
        elif not any(one.alias is not None and one.origin.partition(".")[0] in LIBRARIES for one in bound):
            yield name
            yield from (one for one in read if one.startswith(f"{name}.") and all(two.alias for two in bound))
