"""Which parameters of a function end in a device slot: what is given to them only says where something is put.

``placed_parameters`` and ``placed_in_call`` are for all analyses: the first asks of a function of any file, the second
of a call in the file that is analyzed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import IntEnum

from devlint.analysis.project.classes import method_of_class
from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.project import Index
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.torch_api.device_naming import LOADS, SLOTS, TAKE_DEVICE, holds_device
from devlint.torch_api.libraries import TORCH_PACKAGES
from devlint.torch_api.moves import MOVES

_DEPTH = 3
"""How many functions a device is followed through."""
_TAKE_FIRST = frozenset({"torch.device", *TAKE_DEVICE})
_KINDS = frozenset({"GradScaler", "autocast"})
"""What takes a kind of device, and does something else with another, but puts nothing there."""
_TAKE_STRINGS = frozenset({"safetensors.torch.load_file", "safetensors.torch.load_model", "safetensors.safe_open"})


class GivenDevice(IntEnum):
    """What may be given to a parameter in place of a string that names a device; each also allows what is above it."""

    DEVICE = 0
    """A torch.device."""
    STRING = 1
    """Another string: the instance may keep it, or a loader of safetensors take it."""
    STRING_ANYWHERE = 2
    """Another string, which any library may take as ``device=``."""


def placed_parameters(
    index: Index,
    definition: Definition,
    depth: int = _DEPTH,
    owner: ast.ClassDef | None = None,
    given: GivenDevice = GivenDevice.DEVICE,
) -> frozenset[str]:
    """The parameters of a function, or of a class's ``__init__``, that are used in device slots and nowhere else.

    ``owner`` is the class of a method: what it hands to another method of its own instance is followed, too.
    """
    is_class = isinstance(definition.node, ast.ClassDef)
    function = method_of_class(index, definition) if is_class else definition
    if function is None or not isinstance(function.node, (ast.FunctionDef, ast.AsyncFunctionDef)) or depth == 0:
        return frozenset()
    if isinstance(definition.node, ast.ClassDef) and function.node in definition.node.body:
        owner = definition.node
    body = DeviceUses(index, function.module, function.node, owner, depth, given)
    named = [*function.node.args.posonlyargs, *function.node.args.args, *function.node.args.kwonlyargs]
    return frozenset(one.arg for one in named if holds_device(one.arg) and body.only_places(one.arg))


class DeviceUses:
    """The body of a function, and what it does with a device that it is given."""

    def __init__(
        self,
        index: Index,
        module: ProjectModule,
        function: Function,
        owner: ast.ClassDef | None,
        depth: int = _DEPTH,
        given: GivenDevice = GivenDevice.DEVICE,
    ) -> None:
        self.index = index
        self.module = module
        self.function = function
        self.owner = owner
        self.depth = depth
        self.given = given
        self._asked = ""

    def only_places(self, name: str) -> bool:
        """Whether a parameter is used, and all its uses are device slots, or keep it for such."""
        if not all(map(self._places, self._kept_devices(name))):
            return False
        uses, kept = 0, 0
        resolved = {id(part) for one in self.function.body for part in _none_resolved(one, name)}
        resolved.update(map(id, _compared_with_cpu(self.function)))
        for parent, node in _with_parents(self.function.body):
            if not isinstance(node, ast.Name) or node.id != name:
                continue
            if isinstance(parent, ast.Assign) and self._makes_device(parent, name):
                continue
            if id(parent) in resolved:
                continue
            if isinstance(parent, ast.Assign) and parent.value is node and self._keeps(parent):
                kept += 1
                continue
            if not isinstance(parent, (ast.Call, ast.keyword)):
                return False
            uses += 1
        return uses + kept > 0 and uses == self.slots(self.function.body, name)

    def _makes_device(self, statement: ast.Assign, name: str) -> bool:
        """``device = torch.device(device)``."""
        value = statement.value
        return (
            [dotted_text(one) for one in statement.targets] == [name]
            and isinstance(value, ast.Call)
            and self.module.origin(value.func) == "torch.device"
        )

    def _kept_devices(self, name: str) -> Iterator[ast.Attribute]:
        """``self.device`` of each ``self.device = torch.device(device)``."""
        for node in nodes_below(self.function):
            made = node.value if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else None
            if made is not None and any(dotted_text(one) == name for one in made.args):
                if self.module.origin(made.func) == "torch.device":
                    yield from (one for one in getattr(node, "targets", ()) if isinstance(one, ast.Attribute))

    def _places(self, kept: ast.Attribute) -> bool:
        """Whether the class puts something on a device that it keeps; a stand-in for another class need not."""
        dotted = dotted_text(kept)
        return self.owner is not None and dotted == f"self.{kept.attr}" and self.slots(self.owner.body, dotted) > 0

    def _keeps(self, statement: ast.Assign) -> bool:
        """``self.device = device``, where the class uses that in device slots and nowhere else."""
        target = statement.targets[0]
        if (
            self.given is GivenDevice.DEVICE
            or self.owner is None
            or len(statement.targets) != 1
            or not isinstance(target, ast.Attribute)
        ):
            return False
        attribute, reads = dotted_text(target), 0
        if attribute != f"self.{target.attr}":
            return False
        for parent, node in _with_parents(self.owner.body):
            if isinstance(node, ast.Attribute) and dotted_text(node) == attribute and node is not target:
                if not isinstance(parent, (ast.Call, ast.keyword)):
                    return False
                reads += 1
        return reads > 0 and reads == self.slots(self.owner.body, attribute)

    def slots(self, body: list[ast.stmt], dotted: str) -> int:
        """How often a name stands in a device slot."""
        self._asked = dotted
        calls = (node for _, node in _with_parents(body) if isinstance(node, ast.Call))
        return sum(dotted_text(one) == dotted for call in calls for one in self.in_slots(call))

    def in_slots(self, call: ast.Call) -> Iterator[ast.expr]:
        """What is in the device slots of a call: of torch's, or of a function that only places what it is given."""
        called = self.module.origin(call.func)
        if (called or dotted_text(call.func)).rpartition(".")[2] in _KINDS:
            return
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        is_torch = called.partition(".")[0] in TORCH_PACKAGES
        definition = None if is_torch else self._called(call)
        for one in call.keywords:
            if definition is not None:
                if one.arg in self._placed(definition):
                    yield one.value
            elif one.arg in SLOTS and (
                is_torch
                or self.given is GivenDevice.STRING_ANYWHERE
                or (self.given is GivenDevice.STRING and (called or dotted_text(call.func)) in _TAKE_STRINGS)
                or one.arg == "map_location"
                or (not called and (method == "to" or method.startswith("new_")))
            ):
                yield one.value
        for position, arg in enumerate(call.args):
            first = position == 0 and (called in _TAKE_FIRST or (method in MOVES and not is_torch))
            if first or (position == 1 and called in LOADS):
                yield arg
            elif definition is not None and not any(isinstance(one, ast.Starred) for one in call.args):
                if parameter_at(self.index, definition, position) in self._placed(definition):
                    yield arg

    def _called(self, call: ast.Call) -> Definition | None:
        """The function of the project, or the method of the same instance, that is called."""
        dotted = dotted_text(call.func)
        if self.owner is not None and dotted.startswith("self.") and dotted.count(".") == 1:
            name = dotted.partition(".")[2]
            found = [one for one in self.owner.body if isinstance(one, ast.FunctionDef) and one.name == name]
            return Definition(self.module, found[0], name) if len(found) == 1 else None
        return self.index.resolve(self.module, dotted)

    def _placed(self, definition: Definition) -> frozenset[str]:
        """The parameters of what is called that only place."""
        is_method = self.owner is not None and definition.node in self.owner.body
        if definition.node is self.function:  # what it does with its own parameter is being asked
            return frozenset({self._asked})
        return placed_parameters(self.index, definition, self.depth - 1, self.owner if is_method else None, self.given)


def _none_resolved(statement: ast.stmt, name: str) -> tuple[ast.AST, ...]:
    """The test and the assignment of ``if device is None: device = …``; the choice of ``device = device or …``."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BoolOp):
        is_choice = isinstance(statement.value.op, ast.Or) and dotted_text(statement.value.values[0]) == name
        is_own = [dotted_text(one) for one in statement.targets] == [name]
        return (statement, statement.value) if is_choice and is_own else ()
    if not isinstance(statement, ast.If) or len(statement.body) != 1 or statement.orelse:
        return ()
    test, inner = statement.test, statement.body[0]
    is_test = isinstance(test, ast.Compare) and ast.unparse(test) == f"{name} is None"
    targets = inner.targets if isinstance(inner, ast.Assign) else []
    return (test, inner) if is_test and [dotted_text(one) for one in targets] == [name] else ()


def _compared_with_cpu(function: Function) -> Iterator[ast.expr]:
    """Each ``str(device)`` of ``str(device) == "cpu"``, where a device and its name are told from the CPU."""
    for node in ast.walk(function):
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        if len(sides) == 2 and isinstance(sides[1], ast.Constant) and sides[1].value == "cpu":
            if isinstance(sides[0], ast.Call) and dotted_text(sides[0].func) == "str":
                yield sides[0]


def _with_parents(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, ast.AST]]:
    waiting: list[ast.AST] = [*body]
    while waiting:
        parent = waiting.pop()
        for node in ast.iter_child_nodes(parent):
            yield parent, node
            waiting.append(node)


def parameter_at(index: Index, definition: Definition, position: int) -> str | None:
    """The name of the parameter that a positional argument is given to."""
    is_class = isinstance(definition.node, ast.ClassDef)
    function = method_of_class(index, definition) if is_class else definition
    if function is None or not isinstance(function.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    names = [one.arg for one in (*function.node.args.posonlyargs, *function.node.args.args)]
    at = position + (is_class or names[:1] in (["self"], ["cls"]))
    return names[at] if at < len(names) else None


def placed_in_call(
    index: Index, definition: Definition, keyword: str | None, position: int, given: GivenDevice = GivenDevice.DEVICE
) -> bool:
    """Whether an argument of a call, by its keyword or else its position, only says where something is put."""
    placed = placed_parameters(index, definition, given=given)
    if keyword is not None or not placed:
        return keyword in placed
    return parameter_at(index, definition, position) in placed
