"""Whether a statement right above says that a value is a number: it is one of several sizes there."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext

_OF_SIZES = regex(r"torch\.(?:(?:cuda\.)?[A-Z][a-z]+Tensor|empty|zeros|ones|rand|randn)\Z")
"""What makes a tensor of the sizes that it is given one by one."""


def is_size_above(ctx: FileContext, call: cst.Call, value: cst.BaseExpression) -> bool:
    """Whether ``n`` of ``y = torch.cuda.LongTensor(n)`` is a size above it: ``x = torch.cuda.FloatTensor(n, 4)``.

    Nothing else may stand between them, so that it is still the same.
    """
    name = dotted_name(value)
    statement = next((one for one in ctx.tree.ancestors(call) if isinstance(one, cst.SimpleStatementLine)), None)
    block = ctx.tree.parent(statement) if statement is not None else None
    if name is None or not isinstance(block, (cst.IndentedBlock, cst.Module)) or is_tensor(ctx, value):
        return False
    above = block.body[: next(place for place, one in enumerate(block.body) if one is statement)]
    for one in reversed(above):
        made = _made_of_sizes(ctx, one, name)
        if made is None:
            return False
        if any(dotted_name(arg.value) == name for arg in made.args):
            return True
    return False


def _made_of_sizes(ctx: FileContext, statement: cst.CSTNode, name: str) -> cst.Call | None:
    """The call that makes a tensor of several sizes, if a statement only gives what it makes to other names."""
    only = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else None
    made = only.value if isinstance(only, cst.Assign) else None
    if not isinstance(only, cst.Assign) or not isinstance(made, cst.Call) or len(made.args) < 2:
        return None
    if not _OF_SIZES.match(origin(ctx, made.func) or "") or any(arg.star or arg.keyword for arg in made.args):
        return None
    targets = [dotted_name(one.target) for one in only.targets]
    is_kept = all(one is not None and one != name and not name.startswith(f"{one}.") for one in targets)
    is_simple = all(isinstance(arg.value, (cst.Name, cst.Attribute, cst.Integer)) for arg in made.args)
    return made if is_kept and is_simple else None
