"""Devices that other modules of the project define for all to import."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.known_devices import known_device
from devlint.analysis.project.module import Bound, Definition, ProjectModule, statements_of_scope
from devlint.analysis.project.project import Index, Project
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.torch_api.device_naming import looks_like_device

_LIKE_DEVICE = regex(rb"dev(?:ice)?(?:_|(?!\w))")
_NUMBERED = regex(r"\bcuda:")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTING = frozenset({"import_module", "__import__"})
_MOST_MODULES = 150
"""How many modules are followed to see whether imports run in a circle."""


def exported_device(project: Project, module: ProjectModule, name: str) -> DeviceValue | None:
    """The device that a module binds to a name once and for all, a GPU where there is one; None for anything else."""
    found = project.index.resolve(module, name)
    if found is None or len(module.bindings.get(name, "1")) != 1 or found.node not in found.module.tree.body:
        return None
    if is_deleted(module, name) or is_deleted(found.module, found.name):
        return None
    known = known_device(found.module, found.module.sole_value(found.name))
    is_guarded = known is not None and known.condition is not None
    return known if is_guarded and is_set_by_others(project, found.module.path, found.name) is False else None


def numbered_device(project: Project, module: ProjectModule, name: str) -> DeviceValue | None:
    """The device with the number of a card that a module binds to a name: ``torch.device(f"cuda:{gpu}")``."""
    found = project.index.resolve(module, name)
    value = found.module.sole_value(found.name) if found is not None else None
    if found is None or value is None or not _NUMBERED.search(ast.unparse(value)):
        return None
    return known_device(found.module, value)


def is_chosen_device(project: Project, module: ProjectModule, name: str) -> bool:
    """Whether something else than torch says which device a module binds to a name: an option, a function."""
    found = project.index.resolve(module, name)
    value = found.module.sole_value(found.name) if found is not None else None
    if found is None or value is None or exported_device(project, module, name) is not None:
        return False
    names = (one for one in (value, *nodes_below(value)) if isinstance(one, ast.Name))
    return any(found.module.origin(one).partition(".")[0] != "torch" for one in names)


def is_deleted(module: ProjectModule, name: str) -> bool:
    """Whether a module, or a function in it, deletes a name of the module."""
    deleted = (one for node in nodes_below(module.tree) if isinstance(node, ast.Delete) for one in node.targets)
    return any(isinstance(one, ast.Name) and one.id == name for target in deleted for one in nodes_below(target))


def is_exported(project: Project, name_of_module: str, name: str) -> bool:
    """Whether ``from module import *`` may bind a name: True where nobody knows, as of other libraries."""
    module = project.module(name_of_module)
    return module is None or _is_exported(project.index, module, name, set())


def _is_exported(index: Index, module: ProjectModule, name: str, seen: set[str]) -> bool:
    if module.path in seen:
        return False
    seen.add(module.path)
    listed = module.sole_value("__all__")
    if isinstance(listed, (ast.List, ast.Tuple)) and all(isinstance(one, ast.Constant) for one in listed.elts):
        return any(isinstance(one, ast.Constant) and one.value == name for one in listed.elts)
    if name in module.bindings or name in module.declared_global:
        return True
    inner = [index.find(module.path, one.module) for one in module.bindings.get("*", ())]
    return any(one is None or _is_exported(index, one, name, seen) for one in inner)


def starred(project: Project, modules: Iterable[str], name: str) -> Definition | None:
    """What a name stands for that the file only has by ``import *`` from some modules; None where nobody knows."""
    found: list[Definition] = []
    for one in modules:
        if is_exported(project, one, name):
            module = project.module(one)
            known = _starred(project.index, module, name, set()) if module is not None else None
            if known is None:
                return None
            found += known
    places = {(one.module.path, one.name) for one in found}
    return found[0] if len(places) == 1 else None


def _starred(index: Index, module: ProjectModule, name: str, seen: set[str]) -> list[Definition] | None:
    """All that a name of a module may be, which may have it by ``import *``; None where other libraries have a say."""
    if module.path in seen:
        return []
    seen.add(module.path)
    if name in module.bindings or name in module.declared_global:
        known = index.resolve(module, name)
        return [known] if known is not None else None
    found: list[Definition] = []
    for one in module.bindings.get("*", ()):
        inner = index.find(module.path, one.module)
        below = _starred(index, inner, name, seen) if inner is not None else None
        if below is None:
            return None
        found += below
    return found


def may_bind_device(text: bytes) -> bool:
    """Whether a text may have a name that is called like a device."""
    return _LIKE_DEVICE.search(text.lower()) is not None


def device_names(names: Iterable[str]) -> list[str]:
    """The names of a module that are called like a device, the likeliest first."""
    found = [name for name in names if looks_like_device(name) and not name.startswith("_")]
    return sorted(found, key=lambda name: (name.lower() != "device", name))


def is_set_by_others(project: Project, path: str, name: str) -> bool | None:
    """Whether another file sets a name of the module at a path, ``config.device = …``; None where nobody knows."""
    found = set_from_outside(project, name)
    for one in found or ():
        setter = project.index.module(one.path) if one.owner else None
        owner = project.index.resolve(setter, one.owner) if setter is not None else None
        owner = owner or (project.index.resolve_import(one.path, one.owner) if one.owner else None)
        if owner is not None and isinstance(owner.node, ast.Module) and owner.module.path == path:
            return True
    return None if found is None else False


def imports_back(project: Project, module: ProjectModule) -> bool:
    """Whether the import of a module may import the project's file itself, so that names of it may not exist yet."""
    index = project.index
    waiting, seen = [module], {module.path}
    while waiting:
        one = waiting.pop()
        if one.path == project.path or len(seen) > _MOST_MODULES or one.fact(_imports_by_text):
            return True
        for below in _imported_at_once(index, one):
            if below.path not in seen:
                seen.add(below.path)
                waiting.append(below)
    return False


def _imports_by_text(tree: ast.Module) -> bool:
    """Whether the import of a module calls what imports others by their names: ``import_module(name)``."""
    statements = (one for one in statements_of_scope(tree.body) if not isinstance(one, _DEFINITIONS))
    calls = (node for one in statements for node in nodes_below(one) if isinstance(node, ast.Call))
    return any(last_name(one.func) in _IMPORTING for one in calls)


def _imported_at_once(index: Index, module: ProjectModule) -> list[ProjectModule]:
    """The modules of the project that are imported when a module is."""
    found: list[ProjectModule | None] = []
    for statement in statements_of_scope(module.tree.body):
        for alias in statement.names if isinstance(statement, (ast.Import, ast.ImportFrom)) else ():
            bound = Bound(statement, alias)
            whole = bound.module or bound.origin
            found += [index.find(module.path, whole), index.find(module.path, bound.origin)]
            parts = whole.lstrip(".").split(".")
            dots = whole[: len(whole) - len(whole.lstrip("."))]
            found += [index.find(module.path, dots + ".".join(parts[:count])) for count in range(1, len(parts))]
    return [one for one in found if one is not None and one is not module]
