"""Where a device is only data: printed, expected by a test, or asked for its type."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.syntax.file_context import FileContext

_READS = frozenset("print str repr format hash type isinstance debug info warning error exception critical".split())
_QUESTIONS = frozenset({"type", "index"})


def is_expectation(statement: cst.CSTNode) -> bool:
    """Whether an assignment is to a name such as ``EXPECTED``."""
    if not isinstance(statement, cst.Assign):
        return False
    return any("expect" in (dotted_name(one.target) or "").lower() for one in statement.targets)


def only_reads(ctx: FileContext, call: cst.Call, arg: cst.CSTNode) -> bool:
    """Whether ``call`` puts nothing on the device it is given: it prints or compares it, or asks for its type."""
    name = (dotted_name(call.func) or "").rpartition(".")[2]
    return name in _READS or name.startswith("assert") or _asks_for_type(ctx, call, arg)


def _asks_for_type(ctx: FileContext, call: cst.Call, arg: cst.CSTNode) -> bool:
    """Whether ``call`` is of a function of this file that reads only ``.type`` or ``.index`` of its argument."""
    if not isinstance(call.func, cst.Name) or not isinstance(arg, cst.Arg) or arg.star:
        return False
    name = call.func.value
    functions = [one for one in ctx.tree.of_type(cst.FunctionDef) if one.name.value == name]
    if len(functions) != 1 or any(one.star for one in call.args):
        return False
    function = functions[0]
    names = [one.name.value for one in function.params.params]
    if arg.keyword is not None:
        parameter = arg.keyword.value
    else:
        at = next(number for number, one in enumerate(call.args) if one is arg)
        parameter = names[at] if at < len(names) else ""
    if parameter not in names:
        return False
    parents = [
        ctx.tree.parent(one)
        for one in ctx.tree.of_type(cst.Name)
        if one.value == parameter and function.body in ctx.tree.ancestors(one)
    ]
    return bool(parents) and all(isinstance(one, cst.Attribute) and one.attr.value in _QUESTIONS for one in parents)
