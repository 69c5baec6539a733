"""The devices that a program names as CUDA, and what holds them."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, arguments, last_name, text_of
from devlint.rules.prefilter.looks.values import may_be_number
from devlint.torch_api.device_naming import holds_device

_Assignment = ast.Assign | ast.AnnAssign | ast.NamedExpr


def cuda_devices(tree: SyntaxTree) -> list[ast.expr]:
    """Strings that name CUDA, what they are the beginning of, and what ``device`` makes of them or of the number 0."""
    named = [one for one, _ in tree.fact(_named)]
    begun = {*named, *(one for one in tree.of_type(ast.Constant) if one.value == 0)}
    return [*named, *(one for one in tree.fact(made_devices) if not begun.isdisjoint(arguments(one)))]


def cards(tree: SyntaxTree) -> list[ast.expr]:
    """Those that name a card by its number: ``"cuda:1"``, ``f"cuda:{i}"``, ``torch.device(rank)``."""
    named = [one for one, text in tree.fact(_named) if text.startswith("cuda:")]
    devices = {one for one, _ in tree.fact(_named)}
    return [*named, *(one for one in tree.fact(made_devices) if _is_of_card(tree, one, named, devices))]


def made_devices(tree: SyntaxTree) -> list[ast.Call]:
    """What may be calls of ``torch.device``."""
    return [one for one in tree.of_type(ast.Call) if is_made(tree, one)]


def _is_of_card(tree: SyntaxTree, made: ast.Call, cards: Container[ast.expr], devices: Container[ast.expr]) -> bool:
    given = arguments(made)
    if len(given) == 1:
        return given[0] in cards or may_be_number(tree, given[0])
    return any(one in devices for one in given)


def _named(tree: SyntaxTree) -> list[tuple[ast.expr, str]]:
    """Strings that begin with ``cuda``, and what they are the beginning of, with that beginning."""
    found: list[tuple[ast.expr, str]] = [(one, text_of(one) or "") for one in tree.of_type(ast.Constant)]
    found += [(one, text_of(one.values[0]) or "") for one in tree.of_type(ast.JoinedStr) if one.values]
    return [(whole, text) for one, text in found if text.startswith("cuda") for whole in _wholes(tree, one)]


def _wholes(tree: SyntaxTree, node: ast.expr) -> Iterator[ast.expr]:
    """A string, and what is made of it: ``"cuda:%d" % i``, ``"cuda:" + str(i)``, ``"cuda:{}".format(i)``."""
    yield node
    parent = tree.parent(node)
    whole = tree.parent(parent) if isinstance(parent, ast.Attribute) else parent
    if isinstance(whole, ast.BinOp) or (isinstance(whole, ast.Call) and whole.func is parent):
        yield whole


def is_made(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether an expression may be ``torch.device(...)``."""
    return isinstance(node, ast.Call) and any(one.rpartition(".")[2] == "device" for one in tree.called(node.func))


def is_used(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether a torch.device is no default of a parameter, and more than compared or looked into."""
    if isinstance(tree.parent(node), ast.arguments):
        return False
    for parent in tree.around(node):
        if isinstance(parent, (ast.Compare, ast.Attribute, ast.Expr)):
            return False
        if isinstance(parent, (ast.Call, ast.stmt, ast.Lambda)):
            break
    return True


def assigned_by(tree: SyntaxTree, node: ast.expr) -> _Assignment | None:
    """The assignment that gives ``node`` to a name, attribute or key that holds a device."""
    for parent in tree.around(node):
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return parent if any(_holds_device(target) for target in targets) else None
        if not isinstance(parent, (ast.BoolOp, ast.Tuple)):
            return None
    return None


def _holds_device(target: ast.expr) -> bool:
    """Whether a target is called like a device, or one of several is."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_holds_device(one) for one in target.elts)
    name = text_of(target.slice) if isinstance(target, ast.Subscript) else last_name(target)
    return holds_device(name or "")
