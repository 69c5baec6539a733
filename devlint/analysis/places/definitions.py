"""The functions and classes of a file, each with what its own text says of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from devlint.syntax.python_tree.ast_names import parameters_of
from devlint.syntax.python_tree.nodes import nodes_below

_INITIALIZERS = frozenset(
    "__init__ _init_weights reset_parameters init_weights _reset_parameters _load_from_state_dict "
    "init_parameters _initialize_weights".split()
)
"""Methods that run before a module is moved."""
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class FunctionDefinition:
    """A function, or a method with the class it stands in."""

    def __init__(self, node: FunctionNode, owner: ClassDefinition | None = None) -> None:
        self.node = node
        self.owner = owner
        arguments = node.args
        self.positional = [*arguments.posonlyargs, *arguments.args]
        self.parameters = [*self.positional, *arguments.kwonlyargs]
        self.decorators = {ast.unparse(each).partition("(")[0].rpartition(".")[2] for each in node.decorator_list}
        self.is_method = owner is not None and "staticmethod" not in self.decorators

    @property
    def instance(self) -> str:
        """The name of its first parameter, where it is a method; empty where it is none."""
        is_of_class = "classmethod" in self.decorators
        return self.positional[0].arg if self.is_method and self.positional and not is_of_class else ""

    @cached_property
    def uses(self) -> Uses:
        """How it uses its names."""
        return Uses(self.node)

    @property
    def is_generator(self) -> bool:
        """Whether it yields."""
        return self.uses.has_yield

    @property
    def is_initializer(self) -> bool:
        """Whether it runs before the module is moved: ``__init__`` and what only that calls."""
        name = self.node.name
        return name in _INITIALIZERS or (self.owner is not None and name in self.owner.used_by_init_only)


class ClassDefinition:
    """A class with its methods."""

    def __init__(self, node: ast.ClassDef) -> None:
        self.node = node
        self.methods = {
            each.name: FunctionDefinition(each, self)
            for each in node.body
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
        }

    @cached_property
    def used_by_init_only(self) -> frozenset[str]:
        """The methods that nothing in the class but ``__init__`` names."""
        by_init: set[str] = set()
        by_others: set[str] = set()
        for name, method in self.methods.items():
            named = by_init if name == "__init__" else by_others
            named |= method.uses.of(method.instance) | method.uses.of(self.node.name)
        return frozenset(by_init - by_others - {"forward"})


class Uses:
    """How a function uses its names, whatever their values."""

    def __init__(self, node: FunctionNode) -> None:
        self.attributes: dict[str, set[str]] = {}
        """What is asked of each name."""
        self.subscripted: set[str] = set()
        """Names that are indexed as only tensors and arrays are: ``x[:, 0]``."""
        self.calls: list[ast.Call] = []
        self.knows_devices = any(one.arg == "device" for one in parameters_of(node.args))
        """Whether it says ``device`` in any way."""
        self.has_yield = False
        self.stored_attributes: set[tuple[str, str]] = set()
        """The attributes that are assigned to, with the names that they are assigned to."""
        for one in nodes_below(node):
            if isinstance(one, (ast.Yield, ast.YieldFrom)):
                self.has_yield = True
            elif isinstance(one, ast.Attribute):
                self.knows_devices |= one.attr in ("device", "_execution_device")
                if isinstance(one.value, ast.Name):
                    self.attributes.setdefault(one.value.id, set()).add(one.attr)
                    if isinstance(one.ctx, ast.Store):
                        self.stored_attributes.add((one.value.id, one.attr))
            elif isinstance(one, ast.Call):
                self.calls.append(one)
            elif isinstance(one, ast.keyword):
                self.knows_devices |= one.arg == "device"
            elif isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and _is_of_tensor(one.slice):
                self.subscripted.add(one.value.id)

    def of(self, name: str) -> set[str]:
        """The attributes that are asked of a name."""
        return self.attributes.get(name, set())


def _is_of_tensor(index: ast.expr) -> bool:
    """Whether an index is one that lists do not take."""
    return isinstance(index, ast.Tuple) and any(
        isinstance(one, ast.Slice) or (isinstance(one, ast.Constant) and one.value in (None, Ellipsis))
        for one in index.elts
    )


def functions_of(definition: FunctionDefinition | ClassDefinition) -> Iterator[FunctionDefinition]:
    """The function itself, or the methods of a class."""
    if isinstance(definition, ClassDefinition):
        yield from definition.methods.values()
    else:
        yield definition
