"""What a file saves as it is: what ``torch.save`` and ``pickle.dump`` are given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.torch_api.device_naming import holds_options

_PICKLERS = frozenset("pickle cPickle _pickle dill cloudpickle joblib".split())
_DUMPS = frozenset({"dump", "dumps"})
_DICTIONARIES = frozenset({"dict", "OrderedDict"})
_DISPLAYS = (ast.Dict, ast.List, ast.Tuple)
_BLOCKS = ("body", "orelse", "finalbody")
Values = Callable[[ast.AST, dict[str, str]], Iterator[ast.expr]]


class SavingFunction(Record):
    """A function that saves a parameter of it."""

    name: str
    parameter: str
    position: int | None
    """Where a call gives it; None where only by its name."""


def torch_saved(tree: ast.AST, aliases: dict[str, str]) -> Iterator[ast.expr]:
    """What ``torch.save`` is given."""
    for call in nodes_below(tree):
        if isinstance(call, ast.Call) and call.args and _full_name(call.func, aliases) == "torch.save":
            yield call.args[0]


def pickled(tree: ast.AST, aliases: dict[str, str]) -> Iterator[ast.expr]:
    """What ``torch.save`` or a pickler is given."""
    yield from torch_saved(tree, aliases)
    for call in nodes_below(tree):
        if isinstance(call, ast.Call) and call.args:
            origin, _, name = _full_name(call.func, aliases).rpartition(".")
            if name in _DUMPS and origin.partition(".")[0] in _PICKLERS:
                yield call.args[0]


def full_names_of_imports(tree: ast.Module) -> dict[str, str]:
    """The full names of what a file imports, at its top or in a function."""
    return {
        alias.asname or alias.name: f"{getattr(one, 'module', '')}.{alias.name}".strip(".")
        for one in nodes_below(tree)
        if isinstance(one, (ast.Import, ast.ImportFrom))
        for alias in one.names
    }


def _full_name(function: ast.expr, aliases: dict[str, str]) -> str:
    first, dot, rest = dotted_text(function).partition(".")
    return f"{aliases.get(first, first)}{dot}{rest}"


def saved_names(tree: ast.AST, aliases: dict[str, str], values: Values) -> list[str]:
    """The names and attributes that are saved so, also as parts of something, but for the options of a program."""
    saved = [*values(tree, aliases)]
    named = {one.id for one in saved if isinstance(one, ast.Name)}
    assigns = [one for one in nodes_below(tree) if isinstance(one, ast.Assign)] if named else []
    hold = _just_written(tree, saved)
    saved = [one for one in saved if id(one) not in hold]
    saved += [one.value for one in assigns if not named.isdisjoint(map(dotted_text, one.targets))]
    found = dict.fromkeys(dotted_text(part) for one in saved for part in _parts(one))
    return [one for one in found if one and not holds_options(one.rpartition(".")[2])]


def _just_written(tree: ast.AST, saved: list[ast.expr]) -> set[int]:
    """Which of some names, by their ``id``, stand for a dictionary or a list that is written right above, whole.

    They are no instance themselves; nothing else names them between.
    """
    names = {id(one): one.id for one in saved if isinstance(one, ast.Name)}
    blocks = [getattr(node, name, None) for node in (tree, *nodes_below(tree)) for name in _BLOCKS] if names else []
    found = set()
    for block in (one for one in blocks if isinstance(one, list)):
        for index, statement in enumerate(block):
            for part in (one for one in nodes_below(statement) if id(one) in names):
                name = names[id(part)]
                above = next((one for one in reversed(block[:index]) if _names(one, name)), None)
                is_written = isinstance(above, ast.Assign) and isinstance(above.value, _DISPLAYS)
                if is_written and _names(statement, name) == 1:
                    found.add(id(part))
    return found


def _names(statement: ast.AST, name: str) -> int:
    """How often a statement has a name."""
    return sum(isinstance(one, ast.Name) and one.id == name for one in nodes_below(statement))


def saving_functions(tree: ast.Module, values: Values) -> list[SavingFunction]:
    """The functions and methods of a file that save a parameter as it is."""
    aliases, found = full_names_of_imports(tree), []
    for function in nodes_below(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        names = saved_names(function, aliases, values)
        given = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        is_method = given[:1] in (["self"], ["cls"])
        found += [SavingFunction(function.name, one, given.index(one) - is_method) for one in given if one in names]
        named = [one.arg for one in function.args.kwonlyargs if one.arg in names]
        found += [SavingFunction(function.name, one, None) for one in named]
    return [one for one in found if one.parameter not in ("self", "cls")]


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """What is saved with a value: itself, the values of a dictionary, both branches, the module of a wrapper."""
    inner: list[ast.expr] = []
    if isinstance(value, ast.Dict):
        inner = value.values
    elif isinstance(value, (ast.List, ast.Tuple)):
        inner = value.elts
    elif isinstance(value, ast.Call) and last_name(value.func) in _DICTIONARIES:
        inner = [one.value for one in value.keywords]
    elif isinstance(value, ast.IfExp):
        inner = [value.body, value.orelse]
    elif isinstance(value, ast.Attribute) and value.attr == "module":
        inner = [value.value]
    yield value
    for one in inner:
        yield from _parts(one)
