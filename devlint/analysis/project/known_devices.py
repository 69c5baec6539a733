"""Which device an expression of another file is, as far as that file shows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from devlint.analysis.project.module import Definition, ProjectModule
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.torch_api.device_naming import holds_options, looks_like_device, mentions_device

_DEPTH = 6
_TESTS = {"torch.cuda.is_available": "cuda", "torch.accelerator.is_available": "accelerator"}


class KnownDevice(Record):
    """What is known of a device that another file defines."""

    is_string: bool | None = None
    """None where it may be a string or a torch.device."""
    cuda: bool = True
    """Whether it may be a GPU."""
    index: str | None = None
    """The number of the card; "?" where one is chosen at run time."""
    asks: str = ""
    """What decides that it is a GPU: ``cuda`` for ``torch.cuda.is_available()`` alone, ``accelerator`` likewise."""


def known_device(
    module: ProjectModule, value: ast.expr | None, parameters: Collection[str] = (), depth: int = _DEPTH
) -> KnownDevice | None:
    """What device an expression is; None where it is not known to be one.

    ``parameters`` are the names that hold a device where the expression stands.
    """
    if depth == 0 or value is None:
        return None
    if isinstance(value, ast.Constant):
        kind, _, index = value.value.partition(":") if isinstance(value.value, str) else ("", "", "")
        return KnownDevice(True, kind == "cuda", index or None) if kind in ("cuda", "cpu") else None
    if isinstance(value, ast.IfExp):
        return _either(module, value, parameters, depth)
    if isinstance(value, ast.Call):
        return _made(module, value, parameters, depth)
    if isinstance(value, ast.Name):
        if value.id in parameters:
            return KnownDevice()
        return known_device(module, module.sole_value(value.id), (), depth - 1)
    if isinstance(value, ast.Attribute) and looks_like_device(value.attr):
        return KnownDevice() if holds_options(dotted_text(value.value).rpartition(".")[2]) else None
    return None


def _either(module: ProjectModule, value: ast.IfExp, parameters: Collection[str], depth: int) -> KnownDevice | None:
    given, missing = _named_in_test(value.test)
    body = known_device(module, value.body, {*parameters, given}, depth - 1)
    orelse = known_device(module, value.orelse, {*parameters, missing}, depth - 1)
    if body is None or orelse is None:
        return None
    is_string = body.is_string if body.is_string is orelse.is_string else None
    if body.cuda and not orelse.cuda:
        return KnownDevice(is_string, True, body.index, asked_availability(module, value.test))
    return KnownDevice(is_string, body.cuda or orelse.cuda, body.index if body.index == orelse.index else "?")


def _named_in_test(test: ast.expr) -> tuple[str, str]:
    """The device that is surely one where a test holds, and where it does not: ``device is not None``."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
        name = dotted_text(test.left)
        if test.comparators[0].value is None and looks_like_device(name):
            kind = type(test.ops[0])
            return (name if kind is ast.IsNot else ""), (name if kind is ast.Is else "")
    name = dotted_text(test)
    return (name, "") if name and looks_like_device(name) else ("", "")


def _made(module: ProjectModule, call: ast.Call, parameters: Collection[str], depth: int) -> KnownDevice | None:
    called = module.origin(call.func)
    if called == "torch.device" and call.args:
        inner = known_device(module, call.args[0], parameters, depth - 1) or KnownDevice(index="?")
        return inner.replace(is_string=False, index=inner.index if len(call.args) == 1 else "?")
    name = (called or dotted_text(call.func)).rpartition(".")[2]
    return KnownDevice(index="?") if mentions_device(name) else None


def gives_torch_device(function: Definition) -> bool:
    """Whether a function returns nothing but a torch.device that it makes, perhaps by a name assigned in each case."""
    nodes = nodes_below(function.node)
    values = [value for one in nodes if isinstance(one, ast.Return) for value in _values(nodes, one.value)]
    made = (isinstance(one, (ast.Call, ast.IfExp)) and _is_made(function.module, one) for one in values)
    return bool(values) and all(made)


def _values(nodes: Sequence[ast.AST], returned: ast.expr | None) -> list[ast.expr | None]:
    """What is returned; of a name, all that a function assigns to it, or the name where it is bound in other ways."""
    if not isinstance(returned, ast.Name):
        return [returned]
    stores = [one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    assigns = [one for one in nodes if isinstance(one, ast.Assign) and dotted_text(one.targets[0]) == returned.id]
    bound = sum(one.id == returned.id for one in stores)
    bound += sum(one.arg == returned.id for one in nodes if isinstance(one, ast.arg))
    return [one.value for one in assigns] if assigns and bound == len(assigns) else [returned]


def _is_made(module: ProjectModule, value: ast.expr) -> bool:
    known = known_device(module, value)
    return known is not None and known.is_string is False


def asked_availability(module: ProjectModule, test: ast.expr | None, depth: int = _DEPTH) -> str:
    """Whose availability a test asks for and nothing else, also by the name of a module's constant; else empty."""
    if isinstance(test, ast.Name) and depth:
        return asked_availability(module, module.sole_value(test.id), depth - 1)
    return _TESTS.get(module.origin(test.func), "") if isinstance(test, ast.Call) else ""
