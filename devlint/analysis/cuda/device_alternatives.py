"""Whether a program that takes CUDA at one place takes something else at its counterpart: it has made the choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.names.classes import bases, classes_named
from devlint.analysis.names.control_flow import exits, statements
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import NOT_FOR_CUDA, ON_EVERY_MACHINE

_NUMBERS = frozenset({"numpy", "tolist", "item"})
"""Methods that give the numbers of a tensor as something else."""
_OTHER = NOT_FOR_CUDA | ON_EVERY_MACHINE | {"auto"}


def has_alternative(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether ``node`` stands in one branch of a choice whose other branch names another device.

    A class that says ``device = "cuda"`` where its base says ``device = "cpu"`` is such a branch.
    """
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.ClassDef):
            return _is_other_than_base(ctx, parent, node)
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        others: Iterable[cst.CSTNode] = ()
        if isinstance(parent, cst.IfExp) and child is not parent.test:
            others = [parent.orelse if child is parent.body else parent.body]
        elif isinstance(parent, cst.If) and child is not parent.test:
            others = _other_branches(ctx, parent, child)
        if any(_names_other_device(ctx, one, child) for one in others):
            return True
    return False


def _is_other_than_base(ctx: FileContext, definition: cst.ClassDef, node: cst.BaseExpression) -> bool:
    """Whether a class gives an attribute a device where a base of it in this file gives it another one."""
    assign = ctx.tree.parent(node)
    target = assign.targets[0].target if isinstance(assign, cst.Assign) and len(assign.targets) == 1 else None
    if not isinstance(target, cst.Name):
        return False
    own = classes_named(ctx, bases(ctx, definition))
    values = (value for one in own for name, value in _attributes(one) if name == target.value)
    return any((string_value(one) or "").partition(":")[0] in _OTHER for one in values)


def _attributes(definition: cst.ClassDef) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The names that the body of a class gives a value, and the values."""
    lines = (one for one in statements(definition.body) if isinstance(one, cst.SimpleStatementLine))
    for small in (one for line in lines for one in line.body):
        target = small.targets[0].target if isinstance(small, cst.Assign) else None
        if isinstance(small, cst.Assign) and isinstance(target, cst.Name):
            yield target.value, small.value


def _other_branches(ctx: FileContext, statement: cst.If, branch: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The branches of an ``if`` but ``branch``; where all of it returns, what follows is one of them."""
    if statement.body is not branch:
        yield statement.body
    if statement.orelse is not None and statement.orelse is not branch:
        yield from _leaves(statement.orelse)
    if statement.orelse is None and exits(statement.body):
        block = ctx.tree.parent(statement)
        following = False
        for one in statements(block) if block is not None else ():
            if following:
                yield one
            following = following or one is statement


def _leaves(orelse: cst.If | cst.Else) -> Iterator[cst.CSTNode]:
    """The blocks of a chain of ``elif`` and ``else``."""
    yield orelse.body
    if isinstance(orelse, cst.If) and orelse.orelse is not None:
        yield from _leaves(orelse.orelse)


def _names_other_device(ctx: FileContext, node: cst.CSTNode, branch: cst.CSTNode) -> bool:
    """Whether ``"cpu"``, ``"mps"`` and the like, but no CUDA, are named below ``node``.

    ``y.cpu()`` is no choice where the branch that names CUDA does that as well.
    """
    other = False
    for one in ctx.tree.below(node):
        if isinstance(one, cst.Attribute):
            if one.attr.value == "cuda":
                return False
            if one.attr.value == "cpu" and not _is_read_out(ctx, one):
                other = other or not _has(ctx, branch, ctx.text_of(one))
        elif isinstance(one, cst.SimpleString):
            word = string_value(one) or ""
            if word.startswith("cuda"):
                return False
            other = other or word.partition(":")[0] in _OTHER
    return other


def _has(ctx: FileContext, branch: cst.CSTNode, text: str) -> bool:
    return any(isinstance(one, cst.Attribute) and ctx.text_of(one) == text for one in ctx.tree.below(branch))


def _is_read_out(ctx: FileContext, method: cst.Attribute) -> bool:
    """Whether ``x.cpu`` is called to read the numbers of ``x``, as for ``x.detach().cpu().numpy()``."""
    node: cst.CSTNode = method
    for _, parent in ctx.tree.path_up(method):
        if isinstance(parent, cst.Attribute) and parent.attr.value in _NUMBERS:
            return True
        is_chain = isinstance(parent, cst.Call) and parent.func is node
        if not is_chain and not (isinstance(parent, cst.Attribute) and parent.value is node):
            return isinstance(parent, cst.Arg) and _goes_to_numpy(ctx, parent)
        node = parent
    return False


def _goes_to_numpy(ctx: FileContext, arg: cst.Arg) -> bool:
    """Whether an argument is given to a function of NumPy."""
    call = ctx.tree.parent(arg)
    return isinstance(call, cst.Call) and (origin(ctx, call.func) or "").startswith("numpy.")
