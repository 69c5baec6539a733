"""Where a program chooses its visible GPUs: asking for CUDA before that would freeze the choice."""

from __future__ import annotations

import re
from collections.abc import Set

import libcst as cst

from devlint.analysis.apis.asked_at_import import certainly_moves
from devlint.analysis.apis.call_places import (
    bodies_run,
    call_places,
    imports_in_functions,
    init_around,
    made_by,
    own_methods,
    runs_on_import,
)
from devlint.analysis.apis.calls_above_choice import is_called_above_choice
from devlint.analysis.apis.environment_writes import is_os_environ, misspelled_writes, settings_of_any_name
from devlint.analysis.choosers.calls_of_choosers import calls_of_choosers, hands_on_chooser
from devlint.analysis.choosers.card_choosers import (
    card_choosers_elsewhere,
)
from devlint.analysis.choosers.forking_files import is_imported_beside_chooser
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, methods
from devlint.analysis.names.control_flow import block_path, statements
from devlint.analysis.names.program_options import defines_option
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import executed_nodes, is_script
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.calls import function_calls_elsewhere
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact, fact_of

_VARIABLE = "CUDA_VISIBLE_DEVICES"
_LIBRARIES = frozenset("argparse json math numpy os random sys time torch torchvision tqdm".split())
_NAMED = regex(
    r"(?:set|use|select|choose|limit|restrict|hide)\w*visible_?(?:cuda_?)?(?:device|gpu|card)", re.IGNORECASE
)
_CALLS = frozenset({"setdefault", "update", "putenv", "environ"})


@fact
def visible_devices_writes(ctx: FileContext) -> list[cst.CSTNode]:
    """The nodes that set CUDA_VISIBLE_DEVICES, or that may: assignments to ``os.environ[...]``, calls, also elsewhere.

    And those that replace torch's answer: ``torch.cuda.is_available = lambda: False``.
    """
    found = [*misspelled_writes(ctx, _VARIABLE), *calls_of_choosers(ctx), *settings_of_any_name(ctx)]
    found += [*_late_imports(ctx), *_named_choosers(ctx)]
    if "_VISIBLE_DEVICE" not in ctx.source.text:
        return found
    found += [one for one in ctx.tree.of_type(cst.AssignTarget) if _writes(ctx, one, one.target)]
    found += [one for one in ctx.tree.of_type(cst.AugAssign) if _writes(ctx, one, one.target)]
    found += [one for one in ctx.tree.of_type(cst.Call) if _calls_setter(ctx, one)]
    return found


def _writes(ctx: FileContext, node: cst.CSTNode, target: cst.CSTNode) -> bool:
    """Whether a statement gives ``os.environ``, or an entry of it, by whatever name, a value that may be this one."""
    owner = target.value if isinstance(target, cst.Subscript) else target
    is_environment = is_os_environ(ctx, owner) or (owner is not target and "environ" in ctx.text_of(owner))
    if not is_environment or "_VISIBLE_DEVICE" in ctx.text_of(node):
        return is_environment
    index = target.slice[0].slice if isinstance(target, cst.Subscript) else None
    return isinstance(index, cst.Index) and not isinstance(index.value, cst.SimpleString)


def _calls_setter(ctx: FileContext, call: cst.Call) -> bool:
    """The same of a call: ``os.environ.update(settings)``."""
    if (dotted_name(call.func) or "").rpartition(".")[2] not in _CALLS or not call.args:
        return False
    owner = call.func.value if isinstance(call.func, cst.Attribute) else call.func
    first = call.args[0]
    is_named = first.keyword is not None or isinstance(first.value, cst.SimpleString)
    return _names_variable(ctx, call) or (
        is_os_environ(ctx, owner) and ("_VISIBLE_DEVICE" in ctx.text_of(call) or not is_named)
    )


def _late_imports(ctx: FileContext) -> list[cst.CSTNode]:
    """The imports in functions of a script that run a file of the project which sets it at once."""
    found, project = imports_in_functions(ctx), project_around(ctx)
    chosen = card_choosers_elsewhere(project) if found and is_script(ctx) else ()
    choosers = {one.path for one in chosen if not one.name}
    named = [(one, project.module(name)) for one, name in found] if choosers else []
    return [one for one, module in named if module is not None and module.path in choosers]


def _named_choosers(ctx: FileContext) -> list[cst.Call]:
    """Calls of functions of libraries whose name says so: ``utils.set_cuda_visible_devices([1])``."""
    if "isible" not in ctx.source.text:
        return []
    calls = (
        one for one in ctx.tree.of_type(cst.Call) if _NAMED.match((dotted_name(one.func) or "").rpartition(".")[2])
    )
    return [one for one in calls if not _is_known(ctx, one.func)]


def _is_known(ctx: FileContext, function: cst.BaseExpression) -> bool:
    """Whether a function is of this file, or of another one of the project that is found."""
    imported = origin(ctx, function)
    if imported is None:
        return isinstance(function, cst.Name) and scopes(ctx).binder(function.value, function) is not None
    return project_around(ctx).imported(imported) is not None


def _names_variable(ctx: FileContext, node: cst.CSTNode) -> bool:
    text = ctx.text_of(node)
    return "_VISIBLE_DEVICE" in text and ("environ" in text or "putenv" in text)


def sets_visible_devices(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether running ``statement``, with the functions of this file that it calls, may set the visible GPUs."""
    return bool(_writes_run_by(ctx, statement))


@fact_of
def _writes_run_by(ctx: FileContext, statement: cst.CSTNode) -> Set[int]:
    """What sets the visible GPUs when ``statement`` runs, with the functions of this file that it calls, by ``id``."""
    writes = {id(node) for node in visible_devices_writes(ctx)}
    table, found = scopes(ctx), set[int]()
    seen: set[tuple[int, str]] = set()
    waiting = [statement] if writes else []
    while waiting:
        for node in executed_nodes(waiting.pop()):
            if id(node) in writes:
                found.add(id(node))
            name = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) else None
            scope = table.binder(name, node) if name is not None else None
            if scope is not None and name is not None and (id(scope), name) not in seen:
                seen.add((id(scope), name))
                waiting += bodies_run(ctx, scope.bindings[name])
            for method in own_methods(ctx, node):
                if (id(method), "") not in seen:
                    seen.add((id(method), ""))
                    waiting.append(method.body)
    return found


def visible_devices_set_after(ctx: FileContext, node: cst.CSTNode, after: bool = False) -> bool:
    """Whether the program may still choose its visible GPUs after it begins with ``node``, which must not ask for CUDA.

    With ``after`` it has run ``node`` to its end. Functions are followed to where they are called in the file, and
    ``__init__`` to where an instance is made, also in other files.
    """
    if hands_on_chooser(ctx) or (runs_on_import(ctx, node) and is_chosen_by_importers(ctx)):
        return True
    table, init = scopes(ctx), init_around(ctx, node)
    is_early = init is not None and not certainly_moves(ctx, init)
    if init is not None and is_early and _is_made_above_choice(ctx, init):
        return True
    if not visible_devices_writes(ctx):
        return False
    if init is not None and is_early and _is_chosen_by_methods(ctx, init, node):
        return True
    waiting, seen = [(node, after)], set()
    while waiting:
        place, is_done = waiting.pop()
        here = table.function_of(place)
        if _set_below(ctx, place, is_done, here):
            return True
        if here is not None and id(here) not in seen and (here is not init or is_early):
            seen.add(id(here))
            waiting += [(one, True) for one in call_places(ctx, here)]
    return False


def _is_chosen_by_methods(ctx: FileContext, init: cst.FunctionDef, node: cst.CSTNode) -> bool:
    """Whether another method of the class chooses them, which its ``__init__`` does not call above a place."""
    owner, start = class_of(ctx, init.body), ctx.span(node).start
    used = (one for one in executed_nodes(init.body) if isinstance(one, cst.Attribute) and ctx.span(one).start < start)
    known = {"__init__", *(one.attr.value for one in used)}
    others = methods(owner) if owner is not None else ()
    return any(sets_visible_devices(ctx, one.body) for one in others if one.name.value not in known)


def _is_made_above_choice(ctx: FileContext, init: cst.FunctionDef) -> bool:
    """Whether another file makes an instance, by this ``__init__``, above where it chooses the visible GPUs."""
    around = (scopes(ctx).function_of(one) for one in visible_devices_writes(ctx))
    choosers = {one.name.value for one in around if one is not None}
    return any(is_called_above_choice(project_around(ctx), one, choosers) for one in made_by(ctx, init))


@fact
def is_chosen_by_importers(ctx: FileContext) -> bool:
    """Whether others that import this file may choose the visible GPUs then, unless this one has started CUDA."""
    if certainly_moves(ctx, ctx.module):
        return False
    return is_imported_beside_chooser(project_around(ctx))


def _set_below(ctx: FileContext, node: cst.CSTNode, is_done: bool, here: cst.FunctionDef | None) -> bool:
    """Whether the visible GPUs are set further down in the same function, also by what it calls, or in the module."""
    table = scopes(ctx)
    start = ctx.span(node).end if is_done else ctx.span(node).start
    writes = visible_devices_writes(ctx)
    if any(table.function_of(one) is here and ctx.span(one).start > start for one in writes):
        return True
    path = block_path(ctx, node, here if here is not None else ctx.module)
    below = [one for block, index in path for one in statements(block)[index + 1 :]]
    if any(sets_visible_devices(ctx, one) for one in ([] if is_done else [node]) + below):
        return True
    # A function that no statement above calls may be called later, by whatever name.
    above = [one for block, index in path for one in statements(block)[: index + is_done]]
    inner = [one for one in writes if table.function_of(one) is not None] if here is None else []
    return not all(any(id(write) in _writes_run_by(ctx, one) for one in above) for write in inner)


def may_ask_for_cuda(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a fix may ask at ``at`` whether there is CUDA: not on import, nor before the GPUs are chosen."""
    return not visible_devices_set_after(ctx, at) and not is_for_importers(ctx, at)


def is_for_importers(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether ``at`` runs when a library is imported."""
    return not is_script(ctx) and scopes(ctx).function_of(at) is None


def is_option_of_card_chooser(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether an option is defined in a function that another file calls, which then chooses its visible GPUs."""
    function = scopes(ctx).function_of(at) if defines_option(ctx, at) else None
    if function is None:
        return False
    project = project_around(ctx)
    choosers = {one.path for one in card_choosers_elsewhere(project) if one.name}
    sites = function_calls_elsewhere(project, function.name.value) if choosers else ()
    return any(one.path in choosers for one in sites or ())
