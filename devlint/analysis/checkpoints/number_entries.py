"""What of a checkpoint is a number or a text, and no tensor: by the name of its entry, or by how it is written."""

from __future__ import annotations

from string import Formatter

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import attributes_named
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
    """Whether an entry is a number or a text by the name of its key, and the file moves it nowhere as a tensor."""
    if not isinstance(key, cst.SimpleString) or not names_number(literal_value(key)):
        return False
    assign = ctx.tree.parent(entry)
    names = {dotted_name(one.target) for one in assign.targets} if isinstance(assign, cst.Assign) else set()
    moves = (one for method in MOVES_ANYWHERE for one in attributes_named(ctx, method))
    return not any(one.value is entry or dotted_name(one.value) in names - {None} for one in moves)


def is_plain_by_default(call: cst.Call) -> bool:
    """Whether an entry asked for is a truth or a text if it is missing: ``state.get("normalize", False)``."""
    default = call.args[1].value if len(call.args) == 2 else None
    return isinstance(default, cst.SimpleString) or (isinstance(default, cst.Name) and default.value in _TRUTHS)


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
