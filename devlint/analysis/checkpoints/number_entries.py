"""What of a checkpoint is a number or a text, and no tensor: by the name of its entry, or by how it is written."""

from __future__ import annotations

from string import Formatter

import libcst as cst

from devlint.analysis.checkpoints.saved_entries import may_be_saved_with_tensors
from devlint.analysis.checkpoints.state_keys import is_certainly_text
from devlint.analysis.checkpoints.state_reads import reads_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.syntax.literals import literal_value
from devlint.torch_api.checkpoint_naming import names_measure, names_number
from devlint.torch_api.moves import MOVES_ANYWHERE

OF_NUMBERS = tuple("defgDEFG%")
"""What formats end with that write numbers alone: of a tensor they write its only number."""
_TRUTHS = ("True", "False")
_PERCENT = regex(r"%[-+ #0]*\d*(?:\.\d+)?([A-Za-z%])")


def is_number_entry(ctx: FileContext, entry: cst.BaseExpression, key: cst.BaseExpression | None) -> bool:
    """Whether an entry is a number or a text by the name of its key, and is nowhere moved or saved as a tensor."""
    named = literal_value(key) if isinstance(key, cst.SimpleString) else None
    if not names_number(named):
        return False
    is_asked = not is_measure(key) and "epoch" not in str(named).lower()  # nobody counts epochs by tensors
    if is_asked and may_be_saved_with_tensors(ctx, str(named)):
        return False
    assign = ctx.tree.parent(entry)
    names = {dotted_name(one.target) for one in assign.targets} if isinstance(assign, cst.Assign) else set()
    moves = (one for method in MOVES_ANYWHERE for one in attributes_named(ctx, method))
    return not any(one.value is entry or dotted_name(one.value) in names - {None} for one in moves)


def is_asked_as_plain(ctx: FileContext, call: cst.Call) -> bool:
    """Whether an entry is a truth or a text if it is missing, ``state.get("normalize", False)``, and is used as one."""
    default = call.args[1].value if len(call.args) == 2 else None
    is_truth = isinstance(default, cst.Name) and default.value in _TRUTHS
    if not is_truth and not isinstance(default, cst.SimpleString):
        return False
    statement = ctx.tree.parent(call)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    scope = scopes(ctx).binder(target.value, target) if isinstance(target, cst.Name) else None
    if not isinstance(target, cst.Name) or scope is None or not scope.is_function:
        return _is_tested(ctx, call) or is_certainly_text(ctx, call)
    return all(_is_tested(ctx, one) or is_certainly_text(ctx, one) for one in reads_of(ctx, target))


def _is_tested(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression only decides what runs."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.If, cst.While, cst.IfExp, cst.Assert)):
            return parent.test is child
        if not isinstance(parent, (cst.UnaryOperation, cst.BooleanOperation, cst.Comparison, cst.ComparisonTarget)):
            return False
    return False


def is_measure(key: cst.BaseExpression | None) -> bool:
    """Whether the key of an entry says how good a checkpoint is, which may be a tensor of one number."""
    return isinstance(key, cst.SimpleString) and names_measure(literal_value(key))


def writes_number(template: cst.BaseExpression, position: int) -> bool:
    """Whether ``"{:.3f}"`` writes what it is given at a position as a number."""
    text = template.evaluated_value if isinstance(template, (cst.SimpleString, cst.ConcatenatedString)) else None
    if not isinstance(text, str):
        return False
    try:
        fields = [one for one in Formatter().parse(text) if one[1] is not None]
    except ValueError:
        return False
    plain = len(fields) > position and all(one[1] == "" for one in fields)
    return plain and (fields[position][2] or "").endswith(OF_NUMBERS)


def writes_number_by_percent(written: cst.BinaryOperation, position: int) -> bool:
    """Whether ``"%d of %.3f" % (…)`` writes the value at a position as a number."""
    text = string_value(written.left)
    if text is None or not isinstance(written.operator, cst.Modulo):
        return False
    fields = [one for one in _PERCENT.findall(text) if one != "%"]
    return len(fields) > position and fields[position] in OF_NUMBERS
