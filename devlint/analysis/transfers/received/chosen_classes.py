"""Classes that a program chooses at run time, by a name: from a table, a module that it imports, with ``getattr``."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import islice

from devlint.analysis.project.classes import ClassFamily, class_family, defined_method, is_pythons
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.overrides import classes_with_method
from devlint.analysis.project.project import Index, Project
from devlint.syntax.python_tree.nodes import dotted_text, last_name

_PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.Buffer", "torch.Tensor", "torch.nn.parameter.Parameter"})
_ALL = ".__dict__"
_MOST_MEMBERS = 60
_IMPORTS = frozenset({"import_module", "__import__"})


def is_chosen_by_name(function: ast.expr, owners: Iterable[ast.expr]) -> bool:
    """Whether what is called is ``table[name]``, ``getattr(module, name)``, or of a module that is imported by name.

    ``owners`` are the values of what an attribute is taken of.
    """
    if isinstance(function, ast.Subscript):
        return True
    if isinstance(function, ast.Call):
        return last_name(function.func) == "getattr"
    values = [function.value, *owners] if isinstance(function, ast.Attribute) else []
    return any(isinstance(one, ast.Call) and last_name(one.func) in _IMPORTS for one in values)


def named_members(index: Index, module: ProjectModule) -> list[str]:
    """The names of the classes and functions of the project that a module has, also by ``import *``."""
    names = {*module.bindings} - {"*"}
    for starred in module.bindings.get("*", ()):
        inner = index.find(module.path, starred.module)
        names |= set(inner.bindings) - {"*"} if inner is not None else set()
    found = ((one, index.resolve(module, one)) for one in sorted(names))
    kept = (one for one, of in found if of is not None and isinstance(of.node, (ast.ClassDef, Function)))
    return list(islice(kept, _MOST_MEMBERS))


def _module_named(index: Index, module: ProjectModule, function: ast.expr) -> ProjectModule | None:
    """The module of the project of which ``nets.__dict__[name]``, or ``getattr(nets, name)``, is any member."""
    dotted = ""
    if isinstance(function, ast.Subscript):
        written = dotted_text(function.value)
        dotted = written.removesuffix(_ALL) if written.endswith(_ALL) else ""
    elif isinstance(function, ast.Call) and last_name(function.func) == "getattr" and function.args:
        dotted = dotted_text(function.args[0])
    found = index.resolve(module, dotted) if dotted else None
    return found.module if found is not None and isinstance(found.node, ast.Module) else None


def entries_of_table(index: Index, module: ProjectModule, function: ast.expr) -> list[tuple[ProjectModule, ast.expr]]:
    """The values of ``KINDS`` where ``KINDS[kind]`` is called and a dictionary is all that the name ever has.

    Of a module of the project, ``nets.__dict__[name]``, all that it has.
    """
    named = _module_named(index, module, function)
    if named is not None:
        return [(named, ast.Name(one, ast.Load())) for one in named_members(index, named)]
    dotted = dotted_text(function.value) if isinstance(function, ast.Subscript) else ""
    found = index.resolve(module, dotted) if dotted else None
    table = found.module.sole_value(found.name) if found is not None else None
    if found is None:
        return []
    if isinstance(table, ast.Call) and dotted_text(table.func) == "dict" and not table.args:
        return [(found.module, one.value) for one in table.keywords if one.arg is not None]
    return [(found.module, one) for one in table.values] if isinstance(table, ast.Dict) else []


def classes_with_cuda_alone(project: Project, own: ProjectModule) -> list[Definition]:
    """The classes of the project with a ``cuda`` of their own and no ``to``: of a module, that is torch's."""
    found = [Definition(own, one, one.name) for one in own.tree.body if isinstance(one, ast.ClassDef)]
    for one in classes_with_method(project, "cuda") or ():
        module = project.index.module(one.path)
        definition = project.index.resolve(module, one.name) if module is not None else None
        found += [definition] if definition is not None else []
    families = [class_family(project.index, one) for one in found]
    return [one for one, family in zip(found, families) if _defines(family, "cuda") and not _defines(family, "to")]


def modules_with_own_cuda(project: Project, own: ProjectModule) -> list[Definition]:
    """Those of them that may be modules, as they have a base of another library, and do more than torch's ``to``."""
    found = []
    for one in classes_with_cuda_alone(project, own):
        family = class_family(project.index, one)
        method = defined_method(family, "cuda")
        if method is not None and not all(map(is_pythons, family.others)) and _does_more(method.node):
            found.append(one)
    return found


def parameters_with_own_cuda(project: Project, own: ProjectModule) -> list[Definition]:
    """Those of them that are parameters or tensors, which a module asks when its own ``cuda`` is called."""
    found = classes_with_cuda_alone(project, own)
    return [one for one in found if _PARAMETERS.intersection(class_family(project.index, one).others)]


def _does_more(method: ast.AST) -> bool:
    """Whether a ``cuda`` does more than to move the instance, or parts of it, and to give it back."""
    return any(
        not isinstance(one, (ast.Expr, ast.Return)) or not (one.value is None or _only_moves(one.value))
        for one in getattr(method, "body", ())
    )


def _only_moves(value: ast.expr) -> bool:
    """``super().cuda(device)``, ``self.net.cuda()``, the instance, and a docstring."""
    is_move = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "cuda"
    return is_move or isinstance(value, (ast.Name, ast.Constant))


def _defines(family: ClassFamily, method: str) -> bool:
    return defined_method(family, method) is not None


def is_context_manager(function: Function) -> bool:
    """Whether a generator is a context manager: what it yields is what ``with`` gives."""
    return any(last_name(one) == "contextmanager" for one in function.decorator_list)
