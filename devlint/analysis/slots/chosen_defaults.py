"""Whether a function may choose the device itself where its caller names none: what it does with it stays right.

With CUDA the function sees the string that was its default before, so that nothing it does changes. Without CUDA, where
it fails today as soon as it puts something somewhere, it sees another one: it must take that for nothing but a device.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.device_parameters import DeviceUses, GivenDevice
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.project import Index
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below, text_of
from devlint.torch_api.device_naming import STRING_METHODS
from devlint.torch_api.libraries import TELLING

_TOLD = TELLING | {"log_once"}
"""What is called to tell people something."""
_MAP = "device_map"
_TEXTS = frozenset("str repr format join get getattr setdefault pop hash".split())
"""What is called to take a text for more than the name of a device."""


def may_choose_by_default(index: Index, definition: Definition, name: str, owner: ast.ClassDef | None) -> bool:
    """Whether a function puts something where a parameter says, and goes neither by its text nor by None.

    ``owner`` is the class of a method: a device that the instance keeps counts with what the class does with it.
    """
    function = definition.node
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    uses = DeviceUses(index, definition.module, function, owner, given=GivenDevice.STRING_ANYWHERE)
    kept = _kept(function, name) if owner is not None else set()
    if not uses.slots(function.body, name) and not any(
        uses.slots(owner.body, one) for one in kept if owner is not None
    ):
        return False
    uses_of_kept = _uses(owner.body, kept) if owner is not None else ()
    return all(map(_is_harmless, (*_uses(function.body, {name}), *uses_of_kept)))


def only_chooses_map(index: Index, module: ProjectModule, function: Function, name: str) -> bool:
    """Whether a device puts nothing anywhere but a whole model, which without it would go where it can by itself.

    ``if device != "cuda": kwargs["device_map"] = {"": device}``, above ``from_pretrained(path, **kwargs)``.
    """
    maps = [chain for chain in _uses(function.body, {name}) if isinstance(chain[1], ast.Dict) and _is_harmless(chain)]
    if not maps or not any(isinstance(one, ast.If) and _asks_for(one.test, name) for one in maps[0]):
        return False
    return not DeviceUses(index, module, function, None, given=GivenDevice.STRING_ANYWHERE).slots(function.body, name)


def _asks_for(test: ast.expr, name: str) -> bool:
    """Whether a test compares a device with a text."""
    return isinstance(test, ast.Compare) and dotted_text(test.left) == name and all(map(_is_text, test.comparators))


def _kept(function: Function, name: str) -> set[str]:
    """The attributes of the instance that are given a parameter as it is."""
    found: set[str] = set()
    for node in nodes_below(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == name:
            found.update(dotted_text(one) for one in node.targets if isinstance(one, ast.Attribute))
    return {one for one in found if one.startswith("self.") and one.count(".") == 1}


def _uses(body: list[ast.stmt], named: set[str]) -> Iterator[list[ast.AST]]:
    """Each place that one of these names stands in, and what is around it, from the inside out."""
    waiting: list[tuple[ast.AST, list[ast.AST]]] = [(one, []) for one in body]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, (ast.Name, ast.Attribute)) and dotted_text(node) in named:
            yield [node, *reversed(around)]
        else:
            waiting += [(one, [*around, node]) for one in ast.iter_child_nodes(node)]


def _is_harmless(chain: list[ast.AST]) -> bool:
    """Whether a use, the first of a chain, neither asks for None nor takes the text for anything but a device."""
    node, *around = chain
    parent = around[0] if around else None
    if isinstance(parent, ast.keyword):
        return True
    if isinstance(parent, ast.Call):
        called = dotted_text(parent.func).rpartition(".")[2] or getattr(parent.func, "attr", "")
        is_compared = called == "str" and isinstance(around[1], ast.Compare) and _is_harmless(around)
        return called not in _TEXTS or is_compared or any(map(_tells, around))
    if isinstance(parent, (ast.Tuple, ast.IfExp)):
        return not (isinstance(parent, ast.IfExp) and parent.test is node) and _is_harmless(around)
    if isinstance(parent, ast.FormattedValue):
        return any(map(_tells, around))
    if isinstance(parent, ast.Compare):
        return all(one is node or _is_text(one) for one in (parent.left, *parent.comparators))
    if isinstance(parent, ast.Dict):
        return _is_device_map(parent, around[1])
    if isinstance(parent, ast.Attribute):
        return parent.attr in STRING_METHODS or parent.attr == "type"
    if isinstance(parent, ast.Assign):
        return node in parent.targets or all(isinstance(one, ast.Attribute) for one in parent.targets)
    return isinstance(parent, ast.Return)


def _is_device_map(node: ast.Dict, parent: ast.AST) -> bool:
    """Whether ``{"": device}`` is a ``device_map`` of a whole model: an argument, or an entry of the arguments."""
    if [one and text_of(one) for one in node.keys] != [""]:
        return False
    if isinstance(parent, ast.keyword):
        return parent.arg == _MAP
    targets = parent.targets if isinstance(parent, ast.Assign) else ()
    slices = (one.slice for one in targets if isinstance(one, ast.Subscript))
    return len(targets) == 1 and any(text_of(one) == _MAP for one in slices)


def _tells(node: ast.AST) -> bool:
    """Whether people are told something."""
    if isinstance(node, ast.Call):
        return dotted_text(node.func).rpartition(".")[2] in _TOLD
    return isinstance(node, (ast.Raise, ast.Assert))


def _is_text(node: ast.expr) -> bool:
    """A string, or some in brackets."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(map(_is_text, node.elts))
    return text_of(node) is not None
