"""Classes of other files: their bases, their methods, and the device that their instances have."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Set

from devlint.analysis.project.mentions import is_unknown_elsewhere
from devlint.analysis.project.module import Definition, Function
from devlint.analysis.project.project import Index, Project
from devlint.core.record import Record
from devlint.syntax.python_tree.ast_names import names_bound_by
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, parameters_with_defaults
from devlint.torch_api.libraries import STANDARD_LIBRARY

_MOST_CLASSES = 60
"""How many bases are followed."""
_MOST_HOPS = 4
"""How many files are followed that only import something once more."""


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


def is_unreadable(index: Index, importer: str, origin: str, hops: int = _MOST_HOPS) -> bool:
    """Whether what a file imports under a full name may be defined in a file that is no Python of today, by itself.

    Nobody knows what is in that. Another file may only import the name, and a class may have its base there.
    """
    head = origin[: len(origin) - len(origin.lstrip("."))]
    parts = origin.lstrip(".").split(".")
    for count in range(len(parts), -1 if head else 0, -1):
        name = head + ".".join(parts[:count])
        path = index.file(importer, name) if name.strip(".") else None
        module = index.module(path) if path is not None else None
        if path is not None and (module is None or count == len(parts)):
            return module is None
        if path is not None and module is not None:
            bound = module.bindings.get(parts[count]) or module.bindings.get("*") or []
            inner = [one.origin for one in bound if one.alias is not None]
            inner += [module.origin(base) for one in bound for base in getattr(one.statement, "bases", ())]
            return hops > 0 and any(is_unreadable(index, path, one, hops - 1) for one in inner if one)
    return False


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
            elif found is not None and _is_named_tuple(found.node):
                others.append("collections.namedtuple")
            else:
                others.append(one.module.origin(base) or written or "?")
        waiting = [*bases, *waiting]
    return ClassFamily(tuple(classes), tuple(others))


def _is_named_tuple(node: ast.AST) -> bool:
    """Whether a statement makes a class by ``namedtuple("Base", …)``."""
    made = node.value if isinstance(node, ast.Assign) else None
    return isinstance(made, ast.Call) and last_name(made.func) in ("namedtuple", "NamedTuple")


def defined_method(family: ClassFamily, name: str) -> Definition | None:
    """The method of this name that instances have."""
    found = ((cls, one) for cls in family.classes for one in methods_of(cls) if one.name == name)
    return next((Definition(cls.module, method, name) for cls, method in found), None)


def lacks_method(family: ClassFamily, name: str) -> bool:
    """Whether no instance of a class has a method: all its bases are known, and nothing gives it attributes unseen."""
    if not all(map(is_pythons, family.others)) or sets_attribute(family, name):
        return False
    body = [one for cls in family.classes for one in cls.node.body]  # type: ignore[attr-defined]  # it is a class
    names = {getattr(one, "name", "") for one in body} | {bound for one in body for bound in names_bound_by(one)}
    is_plain = not any(cls.node.decorator_list or cls.node.keywords for cls in family.classes)  # type: ignore[attr-defined]
    return is_plain and names.isdisjoint({name, "__getattr__", "__getattribute__", "__new__"})


def methods_of(cls: Definition) -> Iterator[Function]:
    for one in cls.node.body:  # type: ignore[attr-defined]  # it is a class
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield one


def method_of_class(index: Index, cls: Definition, name: str = "__init__") -> Definition | None:
    """The method of this name that the instances of a class have; the one that makes them."""
    return defined_method(class_family(index, cls), name)


def calls_base_init(statement: ast.stmt) -> bool:
    """Whether a statement is ``super().__init__(...)`` or ``Base.__init__(self, ...)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"


def is_none_by_default(family: ClassFamily, name: str) -> bool:
    """Whether an instance keeps a parameter of ``__init__`` as the attribute of its name, which is None by default."""
    for method, value in (given for cls in family.classes for given in values_of(cls, name)):
        if method.name == "__init__" and isinstance(value, ast.Name) and value.id == name:
            defaults = {one.arg: default for one, default in parameters_with_defaults(method.args)}
            default = defaults.get(name)
            return isinstance(default, ast.Constant) and default.value is None
    return False


def sets_attribute(family: ClassFamily, attribute: str) -> bool:
    """Whether a method of a class, or of a base of it, gives an attribute of the instance a value."""
    return any(True for cls in family.classes for _ in values_of(cls, attribute))


def sets_true(family: ClassFamily, attribute: str) -> bool:
    """Whether a method of a class, or of a base of it, sets an attribute of the instance to True."""
    values = (value for cls in family.classes for _, value in values_of(cls, attribute))
    return any(isinstance(one, ast.Constant) and one.value is True for one in values)


def values_of(cls: Definition, attribute: str) -> Iterator[tuple[Function, ast.expr]]:
    """What the methods of a class assign to an attribute of the instance."""
    for method in methods_of(cls):
        for node in nodes_below(method):
            value = value_of(node, instance_of(method), attribute) if isinstance(node, ast.stmt) else None
            if value is not None:
                yield method, value


def all_values_of(cls: Definition, attribute: str) -> Iterator[ast.expr]:
    """What the methods of a class, and its body, assign to an attribute of the instance."""
    yield from (value for _, value in values_of(cls, attribute))
    for one in cls.node.body:  # type: ignore[attr-defined]  # it is a class
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None:
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            if any(isinstance(target, ast.Name) and target.id == attribute for target in targets):
                yield one.value


def value_of(statement: ast.stmt, instance: str, attribute: str) -> ast.expr | None:
    """What a statement assigns to an attribute of the instance."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return None
    return statement.value if any(dotted_text(one) == f"{instance}.{attribute}" for one in targets) else None


def instance_of(method: Function) -> str:
    """The name that a method has for the instance, or the class; none in a static method."""
    parameters = [*method.args.posonlyargs, *method.args.args]
    is_static = any(last_name(one) == "staticmethod" for one in method.decorator_list)
    return parameters[0].arg if parameters and not is_static else ""


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
    if is_unknown_elsewhere(project, name):
        return False
    index = project.index
    family: Set[tuple[str, str]] = index.disk.kept(("family", path, heir), lambda: _family_of(index, path, heir))
    return (project.path, name) in family


def _family_of(index: Index, path: str, name: str) -> Set[tuple[str, str]]:
    """The class of a file and all that it inherits from, each with the file that it is in."""
    module = index.module(path)
    found = index.resolve(module, name) if module is not None else None
    if found is None or not isinstance(found.node, ast.ClassDef):
        return frozenset()
    return frozenset((one.module.path, one.name) for one in class_family(index, found).classes)
