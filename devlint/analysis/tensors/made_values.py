"""What statements give names: which of them hold something that is made of a tensor, and is where that is."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES

SAY_NO_PLACE = frozenset(
    "cpu data_ptr device dim dtype is_cuda item ndim numel numpy requires_grad shape size tolist type".split()
)
"""What is asked of a tensor that gives nothing which is where the tensor is."""
_GIVE_NONE = frozenset("float id int isinstance len list print range str type".split())
_STORES = frozenset("append extend add insert".split())


def value_given(statement: cst.CSTNode) -> cst.CSTNode | None:
    """What a statement gives names or a list: the right side, what a loop runs over, what is appended."""
    if isinstance(statement, (cst.Assign, cst.AugAssign, cst.AnnAssign)):
        return statement.value
    if isinstance(statement, cst.For):
        return statement.iter
    call = statement.value if isinstance(statement, cst.Expr) else None
    is_stored = isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value in _STORES
    return call.args[-1].value if isinstance(call, cst.Call) and is_stored and call.args else None


def names_assigned(statement: cst.CSTNode) -> frozenset[str]:
    """The names, and attributes of names, that a statement gives a value."""
    targets: list[cst.CSTNode] = []
    if isinstance(statement, cst.Assign):
        targets = [one.target for one in statement.targets]
    elif isinstance(statement, (cst.AugAssign, cst.AnnAssign, cst.For)):
        targets = [statement.target]
    elif isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        function = statement.value.func
        targets = [function.value] if isinstance(function, cst.Attribute) and function.attr.value in _STORES else []
    found: set[str] = set()
    while targets:
        target = targets.pop()
        if isinstance(target, (cst.Tuple, cst.List)):
            targets += [one.value for one in target.elements]
        elif (name := dotted_name(target)) is not None:
            found.add(name)
    return frozenset(found)


def is_made_of_any(ctx: FileContext, node: cst.CSTNode, names: frozenset[str]) -> bool:
    """Whether an expression is made of one of some names, and not only of its size or a copy on the CPU."""
    for one in (node, *ctx.tree.below(node)) if names else ():
        if isinstance(one, (cst.Name, cst.Attribute)) and dotted_name(one) in names:
            if not any(says_no_place(up) for up in _around(ctx, one, node)):
                return True
    return False


def _around(ctx: FileContext, node: cst.CSTNode, top: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What is around a node in an expression."""
    while node is not top:
        parent = ctx.tree.parent(node)
        if parent is None:
            return
        node = parent
        yield node


def says_no_place(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Attribute):
        return node.attr.value in SAY_NO_PLACE
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in MOVES:
        return True
    return isinstance(node, cst.Call) and (dotted_name(node.func) or "").rpartition(".")[2] in _GIVE_NONE
