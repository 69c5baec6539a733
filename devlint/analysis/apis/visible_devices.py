"""Where a program chooses its visible GPUs: asking for CUDA before that would freeze the choice."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.environment_writes import environment_writes
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import executed_nodes
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.environment_variables import LITERALS, meant

_VARIABLE = "CUDA_VISIBLE_DEVICES"
_CALLS = frozenset({"setdefault", "update", "putenv", "environ"})


@fact
def visible_devices_writes(ctx: FileContext) -> list[cst.CSTNode]:
    """The nodes that set CUDA_VISIBLE_DEVICES (assignments to ``os.environ[...]`` and calls), in source order."""
    found = _misspelled(ctx)
    if "_VISIBLE_DEVICE" not in ctx.source.text:
        return found
    for target in ctx.tree.of_type(cst.AssignTarget):
        if isinstance(target.target, cst.Subscript) and _names_variable(ctx, target.target):
            found.append(target)
    for call in ctx.tree.of_type(cst.Call):
        if (dotted_name(call.func) or "").rpartition(".")[2] in _CALLS and call.args and _names_variable(ctx, call):
            found.append(call)
    return found


def _misspelled(ctx: FileContext) -> list[cst.CSTNode]:
    """The nodes that will set it once its name is spelled right."""
    if "environ" not in ctx.source.text or not any(one.decode() in ctx.source.text for one in LITERALS):
        return []
    return [one.node for one in environment_writes(ctx) if one.own and one.name and meant(one.name) == _VARIABLE]


def _names_variable(ctx: FileContext, node: cst.CSTNode) -> bool:
    text = ctx.text_of(node)
    return "_VISIBLE_DEVICE" in text and ("environ" in text or "putenv" in text)


def sets_visible_devices(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether running ``statement``, with the functions of this file that it calls, may set the visible GPUs."""
    writes = {id(node) for node in visible_devices_writes(ctx)}
    if not writes:
        return False
    module = scopes(ctx).module
    seen: set[str] = set()
    waiting = [statement]
    while waiting:
        for node in executed_nodes(waiting.pop()):
            if id(node) in writes:
                return True
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value not in seen:
                seen.add(node.func.value)
                for binding in module.bindings.get(node.func.value, ()):
                    if isinstance(binding.node, cst.FunctionDef):
                        waiting.append(binding.node.body)
    return False


def visible_devices_set_after(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the program may still choose its visible GPUs after ``node``, which must not ask for CUDA then."""
    writes = visible_devices_writes(ctx)
    if not writes:
        return False
    table = scopes(ctx)
    here = table.function_of(node)
    for write in writes:
        there = table.function_of(write)
        if there is here:
            if ctx.span(write).start > ctx.span(node).start:
                return True
        elif here is None:
            # Module-level code runs before any function that is called below it.
            return True
    return False
