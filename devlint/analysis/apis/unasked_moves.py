"""Whether a file, or one that imports it, moves things to CUDA without asking, and whether an option is off."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from devlint.analysis.apis.option_kinds import is_off
from devlint.analysis.project.default_devices import is_named_as_test
from devlint.analysis.project.mentions import IMPORTERS, importing_by_name
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.options import options_set_nowhere
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search
from devlint.syntax.python_tree.nodes import begin_of_text, dotted_text, last_name, nodes_below
from devlint.torch_api.cuda_naming import IS_CUDA, polarity
from devlint.torch_api.device_naming import looks_like_device

_MOST_FILES = 30
"""How many files are looked into."""
_LEAVE = (ast.Return, ast.Raise, ast.Continue)
_TAKE_DEVICE = frozenset({"device", "to", "set_default_device"})
_ASKS = (ast.If, ast.IfExp, ast.BoolOp, ast.Try)


def is_off_by_default(project: Project, option: str) -> bool:
    """Whether another file defines an option that is off unless somebody asks for it: ``action="store_true"``."""
    options = options_set_nowhere(project, option)
    return bool(options) and all(map(is_off, options))


def importers_move_unasked(project: Project) -> bool:
    """Whether a file that imports this one calls ``x.cuda()`` under no test."""
    found = (project.index.module(one.path) for one in search(project, IMPORTERS, project.path) or ())
    return any(module is not None and _moves_unasked(module) for module in found)


def imports_place_unasked(project: Project, module: ProjectModule) -> bool:
    """Whether a file that one imports calls ``x.cuda()`` under no test, or asks torch alone where it puts things.

    In however many steps.
    """
    waiting, seen = [module], {module.path}
    while waiting and len(seen) < _MOST_FILES:
        importer = waiting.pop()
        bound = (one for found in importer.bindings.values() for one in found)
        names = {one.module or one.origin for one in bound}
        for one in (project.index.find(importer.path, name) for name in sorted(filter(None, names))):
            if one is None or one.path in seen:
                continue
            if _moves_unasked(one) or one.fact(_asks_torch_alone):
                return True
            seen.add(one.path)
            waiting.append(one)
    return False


def _asks_torch_alone(tree: ast.Module) -> bool:
    choices = (one.test for one in nodes_below(tree) if isinstance(one, ast.IfExp))
    return any(isinstance(one, ast.Call) and last_name(one.func) == "is_available" for one in choices)


def _moves_unasked(module: ProjectModule) -> bool:
    waiting: list[ast.AST] = [module.tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
            return True
        if not isinstance(node, _ASKS):
            waiting += ast.iter_child_nodes(node)
    return False


def may_be_given_cuda(project: Project, flags: Collection[str]) -> bool:
    """Whether a file that imports this one, in however many steps, puts something on CUDA whatever its flags say.

    What this file puts there goes where its flag says, too. What only asks torch whether there is CUDA asks no flag.
    ``flags`` are names that are flags, whatever they are.
    """
    waiting, seen = [project.path], {project.path}
    while waiting:
        importers = _importers(project, waiting.pop()) - seen
        modules = (project.index.module(one) for one in sorted(importers) if not is_named_as_test(one))
        if any(one is not None and _places_unasked(one, flags) for one in modules):
            return True
        waiting += sorted(importers)
        seen |= importers
    return False


def _importers(project: Project, path: str) -> set[str]:
    """The files that import one, also those that may by a name that they put together."""
    return {*(one.path for one in search(project, IMPORTERS, path) or ()), *importing_by_name(project, path)}


def _places_unasked(module: ProjectModule, flags: Collection[str]) -> bool:
    return any(asked.isdisjoint(flags) for asked in module.fact(_asked_by_placements))


def _asked_by_placements(tree: ast.Module) -> frozenset[frozenset[str]]:
    return asked_around(tree, is_placement)


def asked_around(tree: ast.AST, is_placement: Callable[[ast.AST], bool]) -> frozenset[frozenset[str]]:
    """What is asked around each placement on CUDA that no flag guards, as far as flags are known by their names."""
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    found: set[frozenset[str]] = set()
    while waiting:
        node, asked = waiting.pop()
        if asks_flag(node) or _is_location(node):
            continue
        if isinstance(node, ast.FunctionDef) and (node.name == "cuda" or any(map(_leaves_by_flag, node.body))):
            continue
        if isinstance(node, (ast.If, ast.IfExp)):
            asked = asked.union(map(_name_of, (node.test, *nodes_below(node.test))))
        if is_placement(node):
            found.add(asked)
        waiting += [(one, asked) for one in ast.iter_child_nodes(node)]
    return frozenset(found)


def _is_location(node: ast.AST) -> bool:
    """Whether an argument says where a checkpoint is read to, which other modules only copy from."""
    return isinstance(node, ast.keyword) and node.arg == "map_location"


def is_placement(node: ast.AST) -> bool:
    """Whether a call moves something to CUDA, or a text that names it is a value, a device or what a function gives."""
    if isinstance(node, ast.Call):
        own = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "cuda" else None
        if own is not None and not dotted_text(own).startswith("super"):
            return True
        return last_name(node.func) in _TAKE_DEVICE and any(map(_is_cuda, node.args))
    if isinstance(node, ast.IfExp):
        return _is_cuda(node.body) or _is_cuda(node.orelse)
    if isinstance(node, ast.keyword):
        return looks_like_device(node.arg or "") and _is_cuda(node.value)
    if isinstance(node, ast.arguments):
        return any(map(_is_cuda, (*node.defaults, *node.kw_defaults)))
    return isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) and _is_cuda(node.value)


def _is_cuda(value: ast.expr | None) -> bool:
    """Whether a text names CUDA, also with a card behind it: ``"cuda:" + str(card)``."""
    return value is not None and begin_of_text(value).partition(":")[0] == "cuda"


def asks_flag(node: ast.AST) -> bool:
    """Whether a statement or an expression goes on where a flag, or a tensor that is on CUDA, says so, or does not."""
    test = node.test if isinstance(node, (ast.If, ast.IfExp, ast.While)) else node
    if test is node and not isinstance(node, ast.BoolOp):
        return False
    parts = [test, *nodes_below(test)]
    owners = {id(one.value) for one in parts if isinstance(one, ast.Attribute)}  # `torch.cuda` is no flag
    names = (_name_of(one) for one in parts if id(one) not in owners)
    return any(name == IS_CUDA or polarity(name) is not None for name in names)


def _name_of(node: ast.AST) -> str:
    """The last name of a name or an attribute, or the text that finds an entry; empty for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _leaves_by_flag(node: ast.stmt) -> bool:
    """Whether a function ends where a flag says so: ``if not use_cuda: return x``."""
    return isinstance(node, ast.If) and isinstance(node.body[-1], _LEAVE) and asks_flag(node)
