"""Which device an expression of another file is, as far as that file shows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from devlint.analysis.devices.which_device import RUNTIME_INDEX, DeviceValue, Given, WhichDevice, is_given_by
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.syntax.python_tree.python_terms import python_term
from devlint.syntax.terms import Attribute, Name, Not, Term
from devlint.torch_api.device_naming import holds_options, looks_like_device

_DEPTH = 6
_TESTS = {"torch.cuda.is_available": "cuda", "torch.accelerator.is_available": "accelerator"}


def known_device(module: ProjectModule, value: ast.expr | None, parameters: Collection[str] = ()) -> DeviceValue | None:
    """What device an expression is; None where it is not known to be one.

    ``parameters`` are the names that hold a device where the expression stands.
    """
    return _OfModule(module, parameters).of(python_term(value), _DEPTH) if value is not None else None


class _OfModule(WhichDevice):
    """What names and attributes stand for in another file, as far as that shows."""

    unknown = DeviceValue(index=RUNTIME_INDEX)
    called_index = RUNTIME_INDEX

    def __init__(self, module: ProjectModule, parameters: Collection[str]) -> None:
        self.module = module
        self.parameters = parameters

    def called(self, function: Term) -> str:
        """The full name of what is called."""
        return self.module.origin(function.node) or function.dotted

    def of_name(self, name: Name, depth: int, given: Given) -> DeviceValue | None:
        """A parameter, or the only value of a name of the module."""
        if name.name in self.parameters or (looks_like_device(name.name) and is_given_by(given, name.name)):
            return DeviceValue()
        value = self.module.sole_value(name.name)
        return _OfModule(self.module, ()).of(python_term(value), depth - 1) if value is not None else None

    def of_attribute(self, attribute: Attribute) -> DeviceValue | None:
        """An option of the program."""
        return DeviceValue() if holds_options(attribute.value.last_name) else None

    def condition(self, test: Term, holds: bool) -> str | None:
        """What is asked for availability, and nothing else."""
        asked = test if holds else test.operand if isinstance(test, Not) else None
        asks = asked_availability(self.module, asked.node) if asked is not None else ""
        return f"torch.{asks}.is_available()" if asks else None

    def text_of(self, term: Term) -> str:
        """How a text with holes is written."""
        return ast.unparse(term.node) if isinstance(term.node, (ast.JoinedStr, ast.BinOp)) else ""


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
