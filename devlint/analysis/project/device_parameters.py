"""Which parameters of a function end in a device slot: what is given to them only says where something is put.

``placed_parameters`` and ``placed_in_call`` are for all analyses: the first asks of a function of any file, the second
of a call in the file that is analyzed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.classes import constructor
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.project import Index
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.torch_api.device_naming import LOADS, SLOTS, TAKE_DEVICE, looks_like_device

_DEPTH = 3
"""How many functions a device is followed through."""
_ROOTS = ("torch", "torchvision", "torchaudio")
_TAKE_FIRST = frozenset({"torch.device", *TAKE_DEVICE})


def placed_parameters(index: Index, definition: Definition, depth: int = _DEPTH) -> frozenset[str]:
    """The parameters of a function, or of a class's ``__init__``, that are used in device slots and nowhere else."""
    function = constructor(index, definition) if isinstance(definition.node, ast.ClassDef) else definition
    if function is None or not isinstance(function.node, (ast.FunctionDef, ast.AsyncFunctionDef)) or depth == 0:
        return frozenset()
    node = function.node
    named = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return frozenset(
        name for name in named if looks_like_device(name) and _is_placed(index, function.module, node, name, depth)
    )


def _is_placed(index: Index, module: ProjectModule, function: Function, name: str, depth: int) -> bool:
    """Whether a parameter is used, and all its uses are device slots."""
    uses = 0
    for parent, node in _with_parents(function.body):
        if isinstance(node, ast.Name) and node.id == name:
            if not isinstance(parent, (ast.Call, ast.keyword)) or not isinstance(node.ctx, ast.Load):
                return False
            uses += 1
    slots = 0
    for _, node in _with_parents(function.body):
        if isinstance(node, ast.Call):
            slots += sum(one.id == name for one in _names_in_slots(index, module, node, depth))
    return uses > 0 and uses == slots


def _with_parents(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, ast.AST]]:
    waiting: list[ast.AST] = [*body]
    while waiting:
        parent = waiting.pop()
        for node in ast.iter_child_nodes(parent):
            yield parent, node
            waiting.append(node)


def _names_in_slots(index: Index, module: ProjectModule, call: ast.Call, depth: int) -> Iterator[ast.Name]:
    """The names in the device slots of a call: of torch's, or of a function that only places what it is given."""
    called = module.origin(call.func)
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    is_torch = called.partition(".")[0] in _ROOTS
    placed: frozenset[str] | None = None
    for one in call.keywords:
        if isinstance(one.value, ast.Name):
            by_name = is_torch or one.arg == "map_location" or (not called and _is_tensor_method(method))
            if one.arg in SLOTS and by_name:
                yield one.value
            elif not is_torch:
                placed = _placed_by(index, module, call, depth) if placed is None else placed
                if one.arg in placed:
                    yield one.value
    for position, arg in enumerate(call.args):
        if isinstance(arg, ast.Name) and (
            (position == 0 and (called in _TAKE_FIRST or (method in ("to", "cuda") and not is_torch)))
            or (position == 1 and called in LOADS)
        ):
            yield arg


def _is_tensor_method(method: str) -> bool:
    return method == "to" or method.startswith("new_")


def _placed_by(index: Index, module: ProjectModule, call: ast.Call, depth: int) -> frozenset[str]:
    """The parameters of what is called that only place, where that is a function of the project."""
    found = index.resolve(module, dotted_text(call.func))
    return placed_parameters(index, found, depth - 1) if found is not None else frozenset()


def placed_in_call(index: Index, definition: Definition, keyword: str | None, position: int) -> bool:
    """Whether an argument of a call, by its keyword or else its position, only says where something is put."""
    placed = placed_parameters(index, definition)
    if keyword is not None or not placed:
        return keyword in placed
    function = constructor(index, definition) if isinstance(definition.node, ast.ClassDef) else definition
    named = function.node.args if function is not None else None  # type: ignore[attr-defined]  # it places something
    names = [one.arg for one in (*named.posonlyargs, *named.args)] if named is not None else []
    at = position + isinstance(definition.node, ast.ClassDef)
    return at < len(names) and names[at] in placed
