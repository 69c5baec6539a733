"""What a file gives to its names and attributes, in whatever function: all of one name together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.module import Function
from devlint.core.record import Record
from devlint.syntax.python_tree.ast_names import names_bound_by, names_in_target
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, parameters_with_defaults

_COUNT = frozenset({"range", "trange"})
_SHOW = frozenset({"tqdm", "track"})
"""What gives the items of what it is given, and shows how far it is."""


class Parameter(Record, eq=False):
    """A parameter of a function of the file."""

    function: Function
    name: str
    owner: str
    """The class that the function is in; empty for none."""

    @property
    def is_method(self) -> bool:
        """Whether a call gives the instance first."""
        return self.owner != "" and not any(last_name(one) == "staticmethod" for one in self.function.decorator_list)


Given = ast.expr | Parameter | None
"""What a name is given; None for what is not known."""
Part = tuple[Given, int | None]
"""What a name is given, or which item of it."""


def attribute_key(name: str) -> str:
    """Under which name all attributes of a name stand."""
    return f".{name}"


def names_imported(tree: ast.Module) -> frozenset[str]:
    """The names that imports bind anywhere in a file, and ``*``."""
    imports = (one for one in nodes_below(tree) if isinstance(one, (ast.Import, ast.ImportFrom)))
    return frozenset(name for one in imports for name in names_bound_by(one))


def given_to_names(tree: ast.Module) -> dict[str, list[Part]]:
    """What the names of a file are given, and its attributes by whatever they are of."""
    found: dict[str, list[Part]] = {}
    nodes = nodes_below(tree)
    in_classes = {id(inner): one.name for one in nodes if isinstance(one, ast.ClassDef) for inner in one.body}
    for node in nodes:
        for name, part in _given_by(node, in_classes.get(id(node), "")):
            found.setdefault(name, []).append(part)
            if id(node) in in_classes and not name.startswith("."):
                found.setdefault(attribute_key(name), []).append(part)
    return found


def _given_by(node: ast.AST, owner: str) -> Iterator[tuple[str, Part]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _given_to_target(target, node.value)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
        if node.value is not None:
            yield from _given_to_target(node.target, node.value)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from _given_by_loop(node.target, node.iter)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield node.name, (None, None)
        for one, _ in parameters_with_defaults(node.args):
            yield one.arg, (Parameter(node, one.arg, owner), None)
        for star in (node.args.vararg, node.args.kwarg):
            if star is not None:
                yield star.arg, (None, None)
    elif isinstance(node, ast.Call) and last_name(node.func) in ("setattr", "__setattr__"):
        yield from ((attribute_key(str(one.value)), (None, None)) for one in node.args if isinstance(one, ast.Constant))
    else:
        yield from ((name, (None, None)) for name in _named_by(node))


def _named_by(node: ast.AST) -> Iterator[str]:
    """The names that are given what nobody knows: imports, definitions, parameters of lambdas."""
    if isinstance(node, ast.Lambda):
        yield from (one.arg for one, _ in parameters_with_defaults(node.args))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _names(node.optional_vars)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from names_bound_by(node)
    elif isinstance(node, (ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name


def _names(target: ast.expr) -> Iterator[str]:
    """The names and attributes of a target."""
    yield from names_in_target(target)
    yield from (attribute_key(one.attr) for one in nodes_below(target) if isinstance(one, ast.Attribute))


def _given_by_loop(target: ast.expr, values: ast.expr) -> Iterator[tuple[str, Part]]:
    """``for step in range(9)``, ``for step, batch in enumerate(data)``: the numbers of the rounds are known."""
    while isinstance(values, ast.Call) and last_name(values.func) in _SHOW and values.args:
        values = values.args[0]
    called = dotted_text(values.func) if isinstance(values, ast.Call) else ""
    counted = target if called in _COUNT else None
    if called == "enumerate" and isinstance(target, ast.Tuple) and target.elts:
        counted = target.elts[0]
    number = counted.id if isinstance(counted, ast.Name) else None
    for name in _names(target):
        yield name, (ast.Constant(0) if name == number else None, None)


def _given_to_target(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Part]]:
    if isinstance(target, ast.Name):
        yield target.id, (value, None)
    elif isinstance(target, ast.Attribute):
        yield attribute_key(target.attr), (value, None)
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
        for at, one in enumerate(target.elts):
            if not isinstance(one, (ast.Name, ast.Attribute)):
                yield from ((name, (None, None)) for name in _names(one))
            elif values is not None:
                yield from _given_to_target(one, values[at])
            else:
                name = one.id if isinstance(one, ast.Name) else attribute_key(one.attr)
                yield name, (value, at)
    elif isinstance(target, ast.Starred):
        yield from ((name, (None, None)) for name in _names(target.value))
