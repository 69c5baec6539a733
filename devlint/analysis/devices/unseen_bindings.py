"""Whether what the file does not show may give a name of the module another value: a star import, ``exec``."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from devlint.analysis.devices.used_devices import names_used_as_device
from devlint.analysis.names.bindings import Binding, binds_unknown_names, dotted_name, module_of
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.exports import exported_device, is_exported, is_set_by_others
from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import at_word
from devlint.syntax.file_context import FileContext, fact

_CALLED = "|".join(rf"{at_word(name)}\s*\(\s*\)" for name in ("globals", "locals", "vars", "dir"))
_LOOKS_UP = regex(rf"{_CALLED}|{at_word('modules')}\s*\[|__main__(?<![\"']__main__)\b")
_OF_FUNCTION = frozenset({"locals", "vars", "dir"})
_BY_NAME = frozenset({"get", "pop", "setdefault", "update"})
_RUNS = regex(r"(?<![\w.])(?:eval|exec)\s*\(")
_WORD = regex(r"\w+")


def may_have_changed(ctx: FileContext, scope: Scope, name: str, at: cst.CSTNode) -> bool:
    """Whether a device of ``scope`` may be something else at ``at``, though all that binds it there gives a device.

    Not where the file gives the name to torch as a device below all that may have changed it.
    """
    table = scopes(ctx)
    if scope is not table.module:
        return False
    project = project_around(ctx)
    if table.function_of(at) is not None and is_set_by_others(project, project.path, name):
        return True
    unseen = [one for one in table.unseen if _may_bind(ctx, one, name)]
    if not unseen:
        return False
    order = {id(one.node): ctx.span(one.node).start for one in (*scope.bindings[name], *unseen)}
    found = sorted((*scope.bindings[name], *unseen), key=lambda one: order[id(one.node)])
    reaching = {id(one) for one in may_reach(ctx, scope, found, at)}
    changing = [one for one in unseen if id(one) in reaching]
    if not changing:
        return False
    is_device = _is_device_below(ctx, name, max(order[id(one.node)] for one in changing))
    return not is_device or not all(_may_bind_device(ctx, one, name) for one in changing)


def _is_device_below(ctx: FileContext, name: str, start: int) -> bool:
    """Whether the program itself relies on a name for a device, from some place on."""
    return name in names_used_as_device(ctx) and any(ctx.span(one).start > start for one in reads_named(ctx, name))


def _may_bind_device(ctx: FileContext, unseen: Binding, name: str) -> bool:
    """Whether what a file of the project exports under a name is a GPU, where it is that which binds the name."""
    project = project_around(ctx)
    module = project.module(module_of(unseen.node)) if isinstance(unseen.node, cst.ImportFrom) else None
    return module is None or exported_device(project, module, name) is not None


def may_be_bound_after(ctx: FileContext, name: str, start: int) -> bool:
    """Whether something unseen may bind a name of the module below a place, or whenever a function is called."""
    table = scopes(ctx)
    later = [
        one for one in table.unseen if ctx.span(one.node).start >= start or table.function_of(one.node) is not None
    ]
    return any(_may_bind(ctx, one, name) for one in later)


def _may_bind(ctx: FileContext, unseen: Binding, name: str) -> bool:
    """Whether a star import, or other code that binds what is not in sight, may bind a name."""
    node = unseen.node
    return not isinstance(node, cst.ImportFrom) or is_exported(project_around(ctx), module_of(node), name)


def star_imports(ctx: FileContext, name: str) -> list[str]:
    """The modules whose ``import *`` may bind a name: those of the project that have it, and all others."""
    stars = [module_of(node) for node in ctx.tree.of_type(cst.ImportFrom) if binds_unknown_names(node)]
    return [one for one in stars if is_exported(project_around(ctx), one, name)]


def sole_star_import(ctx: FileContext, name: str) -> str | None:
    """The module of the project whose ``import *`` binds a name that no other ``import *`` may bind."""
    found = star_imports(ctx, name)
    return found[0] if len(found) == 1 and project_around(ctx).module(found[0]) is not None else None


def is_looked_up(ctx: FileContext, name: str) -> bool:
    """Whether the program asks for a name by its text: ``"device" in globals()``, ``eval("device")``."""
    return name in ctx.fact(_names_in_texts)


def is_read_whole(ctx: FileContext, scope: Scope, start: int) -> bool:
    """Whether the program reads all names of a scope below a place: ``json.dump(locals(), file)``."""
    table = scopes(ctx)
    for call in ctx.fact(_calls_for_all_names):
        is_global = dotted_name(call.func) == "globals"
        if (scope is table.module if is_global else table.scope_of(call) is scope) and not _picks_names(ctx, call):
            if ctx.span(call).start >= start or (is_global and table.function_of(call) is not None):
                return True
    return False


@fact
def _calls_for_all_names(ctx: FileContext) -> list[cst.Call]:
    if _LOOKS_UP.search(ctx.source.text) is None:
        return []
    calls = [one for one in ctx.tree.of_type(cst.Call) if not one.args]
    return [one for one in calls if dotted_name(one.func) in _OF_FUNCTION | {"globals"}]


def _picks_names(ctx: FileContext, call: cst.Call) -> bool:
    """Whether only some of all names are looked at: by their text, for a text to fill, or by the kind of value."""
    parent = ctx.tree.parent(call)
    above = ctx.tree.parent(parent) if parent is not None else None
    if isinstance(parent, cst.Arg):
        called = dotted_name(above.func) if isinstance(above, cst.Call) else None
        is_filled = parent.star == "**" and isinstance(above, cst.Call) and _is_format(above.func)
        return is_filled or called in ("eval", "exec") or parent.keyword is not None
    if isinstance(parent, cst.Attribute) and parent.attr.value not in _BY_NAME:
        loops = (one for one in ctx.tree.ancestors(call) if isinstance(one, (cst.CompFor, cst.For)))
        text = ctx.text_of(next(loops, parent))
        return "isinstance(" in text and " or " not in text
    return isinstance(parent, (cst.Attribute, cst.Subscript, cst.ComparisonTarget, cst.BinaryOperation))


def _is_format(function: cst.BaseExpression) -> bool:
    return isinstance(function, cst.Attribute) and function.attr.value == "format"


@fact
def _names_in_texts(ctx: FileContext) -> frozenset[str]:
    """The texts that may be names, and the words of code in texts, of a file that looks names up so."""
    found: set[str | None] = set()
    if _LOOKS_UP.search(ctx.source.text) is not None:
        found.update(string_value(one) for one in ctx.tree.of_type(cst.SimpleString))
    if _RUNS.search(ctx.source.text) is not None:
        run = (one for one in ctx.tree.of_type(cst.Call) if dotted_name(one.func) in ("eval", "exec"))
        code = (node for call in run for arg in call.args[:1] for node in ctx.tree.below(arg))
        found.update(word for node in code for word in _words(node))
    return frozenset(one for one in found if one is not None)


def _words(node: cst.CSTNode) -> Iterable[str]:
    return _WORD.findall(node.value) if isinstance(node, (cst.SimpleString, cst.FormattedStringText)) else ()
