"""What a program does on a computer without CUDA, for ``benchmarks.placements``.

Where things go does not matter there, so a program is written without it. What matters is what a fix lets run that did
not run before. ``if use_cuda: x.cuda()`` is nothing without CUDA, and ``x.to(device)`` fails there if ``x`` is neither
a tensor nor a module. Shown is what may be neither: what is None somewhere, is a list or a number, is made by a class
of the program that has no ``to``, or gets its value only with CUDA.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmarks.placement_forms import Form
from benchmarks.placement_lines import put
from benchmarks.placement_names import FUNCTIONS, Definition, Module, Scope, returned
from benchmarks.placement_values import Values

_DEPTH = 4
"""How many definitions are followed to find what is moved."""
_COLLECTIONS = (
    ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp,
)  # fmt: skip
_ARGUMENT = re.compile(r"(, )?device='[^']*'")
_PLACE = re.compile(r"'(cuda|cpu)(:[^']*)?'(?=[,)]|$)|(?<=device\()'[^']*'")
_CUDA_ONLY = re.compile(r"\bcuda\.|\bnvtx\.")
"""What fails or does nothing without CUDA wherever it runs."""
_HEAD = re.compile(r"\s*(if|for|while|with|orelse|finalbody|Try|except)\b.*")


def unplaced(text: str) -> str:
    """A line of a program without devices."""
    text = re.sub(r"with (.*cuda\.)?(device|stream)\(.*\)", "with nullcontext()", text)
    return _PLACE.sub("'cpu'", _ARGUMENT.sub("", text))


def running(lines: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The lines that do something without CUDA, where some of them need it."""
    found = [one for one in lines if not _CUDA_ONLY.search(one[0])]
    return found if len(found) == len(lines) or not all(_HEAD.fullmatch(text) for text, _ in found) else []


class Move(NamedTuple):
    """What is moved, and in which function."""

    place: str
    receiver: ast.expr
    scope: Scope


class Unplaced(Form):
    """The form of a program without moves, which remembers what is moved in the code that runs under the answers."""

    def __init__(self, values: Values, scope: Scope, kept: set[int], found: list[Move]) -> None:
        super().__init__(values, scope, kept)
        self._found = found

    def _inside(self, scope: Scope) -> Form:
        return Unplaced(self._values, scope, self._kept, self._found)

    def _place(self, on_cuda: str | None) -> str:
        return "cpu"

    def _moved(self, node: ast.Call, function: ast.Attribute) -> ast.AST:
        owner = self._scope.owner_class()
        place = f"{getattr(owner, 'name', '')}.{getattr(self._scope.node, 'name', '')}"
        self._found.append(Move(place, function.value, self._scope))
        moved = super()._moved(node, function)
        is_put = isinstance(moved, ast.Call) and isinstance(moved.func, ast.Name) and moved.func.id.startswith("put")
        types = [one for one in moved.keywords if one.arg == "dtype"] if isinstance(moved, ast.Call) and is_put else []
        return put(moved.args[0], "cpu", types) if isinstance(moved, ast.Call) and is_put else moved

    def _called(self, node: ast.Call, name: str) -> ast.AST:
        is_back = isinstance(node.func, ast.Attribute) and node.func.attr == "cpu" and not node.args
        return self.visit(node.func.value) if is_back else super()._called(node, name)


def newly_moved(
    old: Module, new: Module, answers: Mapping[str, bool], kept: set[int]
) -> Iterator[tuple[ast.expr, str]]:
    """What only the fixed text moves without CUDA and may be no tensor, with the reason."""
    before, after = (_moves(one, answers, kept) for one in (old, new))
    known = {(one.place, ast.unparse(one.receiver)) for one in before}
    doubts = _Doubts(new, answers)
    for one in after:
        if (one.place, ast.unparse(one.receiver)) not in known:
            why = doubts.of_move(one)
            if why is not None:
                yield one.receiver, why


def _moves(module: Module, answers: Mapping[str, bool], kept: set[int]) -> list[Move]:
    found: list[Move] = []
    Unplaced(Values(module, answers, has_cuda=False), module.scope, kept, found).block(module.tree.body)
    return found


class _Doubts:
    """Why an expression may be neither a tensor nor a module where there is no CUDA."""

    def __init__(self, module: Module, answers: Mapping[str, bool]) -> None:
        self._values = Values(module, answers, has_cuda=False)

    def of_move(self, move: Move) -> str | None:
        """The reason for a move, None where a test above it asks what it moves."""
        text, child = ast.unparse(move.receiver), move.receiver
        parents = move.scope.module.parents
        while (parent := parents.get(id(child))) is not None and not isinstance(parent, FUNCTIONS):
            if isinstance(parent, (ast.If, ast.IfExp)) and text in ast.unparse(parent.test):
                return None
            child = parent
        return self._of(move.receiver, move.scope, _DEPTH)

    def _of(self, node: ast.AST | None, scope: Scope, depth: int) -> str | None:
        match node:
            case ast.Constant():
                return f"may be {node.value!r}"
            case ast.Call():
                return self._of_call(node, scope, depth) if depth else None
            case ast.Name() | ast.Attribute():
                return self._of_name(node, scope, depth) if depth else None
        return f"may be `{ast.unparse(node)}`" if isinstance(node, _COLLECTIONS) else None

    def _of_call(self, node: ast.Call, scope: Scope, depth: int) -> str | None:
        found = self._values.definitions(node.func, scope)
        made = found[0].value if len(found) == 1 else None
        if isinstance(made, ast.ClassDef) and _lacks_to(made, found[0].scope):
            return f"may be of `{made.name}`, which has no `to`"
        if isinstance(made, FUNCTIONS):
            return self._of(returned(made), found[0].scope.module.scopes[id(made)], depth - 1)
        name = node.func.id if isinstance(node.func, ast.Name) and not found else ""
        return f"is what `{name}()` gives" if isinstance(getattr(builtins, name, None), type) else None

    def _of_name(self, node: ast.Name | ast.Attribute, scope: Scope, depth: int) -> str | None:
        text = ast.unparse(node)
        every = _right_above(node, text, scope) or self._values.nearest(node, scope)
        found = [one for one in every if not _names_itself(one, text)]
        reached = [one for one in found if self._values.is_reached(one)]
        if found and not reached:
            return "gets its value only with CUDA"
        default = scope.parameters.get(text)
        if isinstance(default, ast.Constant):
            return f"may be {default.value!r}"
        return next(filter(None, (self._of(one.value, one.scope, depth - 1) for one in reached)), None)


def _right_above(node: ast.expr, text: str, scope: Scope) -> list[Definition]:
    """The last statement above an expression, in one of the blocks around it, that assigns what it names."""
    own = {id(one.node): one for one in scope.defined.get(text, ()) if not _names_itself(one, text)}
    child, parents = node, scope.module.parents
    while (parent := parents.get(id(child))) is not None and not isinstance(child, FUNCTIONS):
        for block in (getattr(parent, name, None) for name in ("body", "orelse", "finalbody")):
            above = block[: block.index(child)] if isinstance(block, list) and child in block else []
            found = [own[id(one)] for one in above if id(one) in own]
            if found:
                return found[-1:]
        child = parent
    return []


def _names_itself(one: Definition, text: str) -> bool:
    """Whether a statement only moves what it assigns: ``x = x.to(device)``."""
    value = one.value
    moved = value.func if isinstance(value, ast.Call) else None
    return isinstance(moved, ast.Attribute) and ast.unparse(moved.value) == text


def _lacks_to(owner: ast.ClassDef, scope: Scope, depth: int = _DEPTH) -> bool:
    """Whether a class and all of its bases are of the program, and none has ``to``."""
    if any(isinstance(one, FUNCTIONS) and one.name in ("to", "__getattr__") for one in owner.body):
        return False
    for base in owner.bases:
        found = scope.module.definitions(ast.unparse(base))
        value = found[0].value if len(found) == 1 else None
        if ast.unparse(base) == "object":
            continue
        if not isinstance(value, ast.ClassDef) or not depth or not _lacks_to(value, found[0].scope, depth - 1):
            return False
    return not owner.decorator_list and not owner.keywords
