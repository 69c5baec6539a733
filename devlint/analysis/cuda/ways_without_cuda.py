"""Devices by default that a program asks for where torch says that there is no CUDA, and then goes another way.

A test is skipped there, a function returns, or the program takes another device: with the CPU by default it would not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse
from devlint.analysis.cuda.ways_of_tests import Way, Ways, assignments_and_calls, is_device_of
from devlint.analysis.names.program_options import program_option
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.analysis.slots.chosen_defaults import only_chooses_map
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.ast_names import parameters_of
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.syntax.python_tree.python_terms import python_term
from devlint.torch_api.device_naming import holds_options

ANOTHER_WAY = "without CUDA, the program asks for this device, and goes another way than with the CPU"
_DEPTH = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMING = (ast.Name, ast.Attribute, ast.Call)
_QUESTION = b"is_available"
TYPE_CHECKING = False
if TYPE_CHECKING:
    _Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


@fact_of
def goes_another_way(ctx: FileContext, use: LiteralUse) -> bool:
    """Whether the program, where torch says that there is no CUDA, does something else for CUDA than for the CPU.

    To stop with an error is nothing else: there is more to gain.
    """
    module, name = own_module(ctx), _named(ctx, use)
    if module is None or name is None:
        return False
    project = project_around(ctx)
    if _ways_differ(project.index, module, module.tree, name, _DEPTH):
        return True
    return _is_seen_elsewhere(ctx, use) and bool(search(project, ASKED, name))


def _is_seen_elsewhere(ctx: FileContext, use: LiteralUse) -> bool:
    """Whether other files may read what a device is the value of: an option, a field or a name of the module."""
    if use.role in (LiteralRole.OPTION, LiteralRole.FIELD) and not isinstance(ctx.tree.parent(use.owner), cst.Assign):
        return True
    owner = _statement(ctx, use)
    return owner is not None and scopes(ctx).function_of(owner) is None


def _statement(ctx: FileContext, use: LiteralUse) -> cst.CSTNode | None:
    """The statement that gives a name a device, or what looks one up: ``os.environ.get("DEVICE", "cuda")``."""
    above = ctx.tree.parent(use.owner) if isinstance(use.owner, cst.Call) else use.owner
    return above if isinstance(above, (cst.Assign, cst.AnnAssign)) else None


def _ways_differ(index: Index, module: ProjectModule, scope: _Scope, name: str, depth: int) -> bool:
    """Whether a file or function, or the functions that it hands the device to, go another way without CUDA."""
    is_file = isinstance(scope, ast.Module)
    assignments, calls = module.fact(assignments_and_calls) if is_file else assignments_and_calls(scope)
    names = _with_copies(assignments, name)
    if Ways(index, module, names).differ(scope.body, Way()):
        return True
    if isinstance(scope, _FUNCTIONS) and only_chooses_map(index, module, scope, name):
        return True
    for call in calls if depth else ():
        given = [*enumerate(call.args), *((one.arg, one.value) for one in call.keywords)]
        places = [place for place, value in given if is_device_of(python_term(value), names)]
        found = index.resolve(module, dotted_text(call.func)) if places else None
        if found is None or not isinstance(found.node, _FUNCTIONS):
            continue
        parameters = [one.arg for one in parameters_of(found.node.args)]
        for place in places:
            known = place in parameters if not isinstance(place, int) else place < len(parameters)
            parameter = parameters[place] if isinstance(place, int) and known else place
            is_own = found.module is module and parameter in names  # which has been read
            if known and not is_own and _ways_differ(index, found.module, found.node, str(parameter), depth - 1):
                return True
    return False


def _named(ctx: FileContext, use: LiteralUse) -> str | None:
    """What a device is called in the file, without what it belongs to."""
    if isinstance(use.owner, cst.Param):
        return use.owner.name.value
    option = program_option(use.owner) if isinstance(use.owner, cst.Call) else None
    if option is not None:
        return option.destination if use.role is LiteralRole.OPTION else None
    statement = _statement(ctx, use)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else getattr(statement, "target", None)
    target = target.attr if isinstance(target, cst.Attribute) else target
    return target.value if isinstance(target, cst.Name) else None


def _with_copies(assignments: list[ast.Assign], name: str) -> frozenset[str]:
    """A name with those that are given its value, or the device of it."""
    names = {name}
    for node in assignments:
        if node.value.__class__ in _NAMING and is_device_of(python_term(node.value), names):
            names.update(last_name(one) for one in node.targets)
    return frozenset(names - {""})


def _asking(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    """The files that take a device of another one by its name, and go another way without CUDA."""
    for path in paths:
        text = index.disk.read(path) or b""
        if _QUESTION not in text or b"--" + name.encode() in text:  # an option of its own
            continue
        module = index.module(path)
        if module is None or not any(_is_taken(module, name, one) for one in nodes_below(module.tree)):
            continue
        if _ways_differ(index, module, module.tree, name, _DEPTH):
            yield Holder(path)


def _is_taken(module: ProjectModule, name: str, node: ast.AST) -> bool:
    """Whether a node imports a name, or reads it of options or of a module: ``args.device``, ``config.DEVICE``."""
    if isinstance(node, ast.ImportFrom):
        return any(one.name == name for one in node.names)
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return False
    owner = last_name(node.value)
    imported = isinstance(node.value, ast.Name) and any(one.alias for one in module.bindings.get(owner, ()))
    return imported or holds_options(owner)


ASKED = Search("devices asked for", lambda name: (name.encode(),), _asking)
