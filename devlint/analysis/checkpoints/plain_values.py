"""Which expressions are on no device, whatever runs: numbers, texts, and lists of them.

All that a file gives to one name counts, in whatever function; to an attribute, all that the project gives to one of
its name; and for a parameter, all that the project's calls of a function with its name give to it. What other files
give is only noted, as names of a search: ``devlint.analysis.checkpoints.saved_entries`` asks it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.checkpoints.given_values import (
    Given,
    Parameter,
    attribute_key,
    given_to_names,
    names_imported,
)
from devlint.analysis.project.calls import parameter_position
from devlint.analysis.project.module import Function, ProjectModule, statements_of_scope
from devlint.analysis.project.project import LIBRARIES, Index
from devlint.analysis.project.searches import Search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import (
    dotted_text,
    last_name,
    nodes_below,
    parameters_with_defaults,
    root_name,
    text_of,
)
from devlint.torch_api.device_naming import holds_options

_MAKE_PLAIN = frozenset("bool float hash int isinstance len range repr str type".split())
_KEEP_NUMBERS = frozenset({"abs", "max", "min", "round", "sum"})
_SAME = frozenset({"vars", "copy.copy", "copy.deepcopy", "deepcopy"})
_WITHOUT_TENSORS = frozenset({"datetime", "math", "numpy", "os", "scipy", "sklearn", "time"})
"""Libraries that give numbers and texts, or arrays that are on no device."""
_GIVE_PLAIN = frozenset("format isoformat item join lower numpy parse_args strftime strip tolist upper".split())
"""Methods whose result is on no device, whatever they are called on."""
_OF_NO_DEVICE = frozenset("__name__ device dtype ndim shape".split())
_CONTAINERS = (ast.List, ast.Dict, ast.Set)
_ONLY_ASK = frozenset({"isinstance", "issubclass", "super"})
_PARTS = "\t"
"""Between the parts of what is noted: the key, the kind, the name, and which parameter or item."""


class GivenElsewhere(Record):
    """Whether all is on no device that a file gives to what was noted, if all is so that it notes itself."""

    path: str
    is_plain: bool
    noted: tuple[str, ...]


class PlainValues:
    """Which expressions of files of a project are on no device, if all is so that is noted."""

    def __init__(self, index: Index, key: str) -> None:
        self.index = index
        self.key = key
        self.noted: set[str] = set()
        self._asked: dict[tuple[int, int | None], Given] = {}

    def is_one(self, module: ProjectModule, node: Given, item: int | None = None, is_named: bool = False) -> bool:
        """Whether an expression is on no device; or an item of it, where it is a call of a function of the project.

        What is named may be filled later: a list is not plain then.
        """
        if node is None or (id(node), item) in self._asked:
            return node is not None
        self._asked[id(node), item] = node
        if isinstance(node, Parameter):
            return self._is_parameter(module, node)
        if isinstance(node, ast.Call):
            return self._is_call(module, node, item)
        if item is not None:
            return False
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return True
        if isinstance(node, ast.Name):
            given = module.fact(given_to_names).get(node.id, [(None, None)])
            return all(self.is_one(module, value, part, is_named=True) for value, part in given)
        if isinstance(node, ast.Attribute):
            return self._is_attribute(module, node)
        if isinstance(node, ast.Subscript):
            return text_of(node.slice) == self.key or self.is_one(module, node.value)
        if is_named and isinstance(node, _CONTAINERS):
            return False
        return _is_text(node) or all(self.is_one(module, one) for one in _parts(node))

    def _is_attribute(self, module: ProjectModule, node: ast.Attribute) -> bool:
        if node.attr in _OF_NO_DEVICE:
            return True
        if node.attr == "__dict__":
            return self.is_one(module, node.value)
        return self._note("attribute", node.attr, "option" if holds_options(last_name(node.value)) else "")

    def _is_parameter(self, module: ProjectModule, parameter: Parameter) -> bool:
        function, name = parameter.function, parameter.name
        default = next(default for one, default in parameters_with_defaults(function.args) if one.arg == name)
        called = parameter.owner if parameter.owner and function.name == "__init__" else function.name
        if called.startswith("__") or not (default is None or self.is_one(module, default)):
            return False
        position = parameter_position(function, name, parameter.is_method)
        home = "" if parameter.owner and called == function.name else module.path
        return self._note("parameter", called, f"{name}:{'' if position is None else position}:{home}")

    def _note(self, kind: str, name: str, part: str) -> bool:
        self.noted.add(_PARTS.join((self.key, kind, name, part)))
        return True

    def _is_call(self, module: ProjectModule, call: ast.Call, item: int | None) -> bool:
        name, given, dotted = last_name(call.func), call.args, dotted_text(call.func)
        if isinstance(call.func, ast.Attribute):
            if name in _GIVE_PLAIN or (name == "size" and given):
                return item is None
            if name in ("get", "pop") and len(given) == 2 and text_of(given[0]) == self.key:
                return item is None and self.is_one(module, given[1])
        if name in _MAKE_PLAIN and isinstance(call.func, ast.Name):
            return item is None
        if (name in _KEEP_NUMBERS and len(given) > 1 and dotted == name) or (dotted in _SAME and len(given) == 1):
            return item is None and all(self.is_one(module, one) for one in given)
        if module.origin(call.func).partition(".")[0] in _WITHOUT_TENSORS:
            return True
        found = self.index.resolve(module, dotted) if dotted else None
        if found is not None and isinstance(found.node, Function):
            return self.is_returned(found.module, found.node, item)
        is_method = dotted.startswith("self.") and dotted.count(".") == 1
        return is_method and self._note("method", name, "" if item is None else str(item))

    def is_returned(self, module: ProjectModule, function: Function, item: int | None) -> bool:
        """Whether all that a function returns, or an item of it, is on no device."""
        results: list[ast.expr | None] = [
            one.value for one in statements_of_scope(function.body) if isinstance(one, ast.Return)
        ]
        if any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in nodes_below(function)):
            return False
        if item is not None:
            items = [one.elts if isinstance(one, ast.Tuple) else [] for one in results]
            results = [one[item] if item < len(one) else None for one in items]
        return bool(results) and all(self.is_one(module, one) for one in results)


def _is_text(node: ast.expr) -> bool:
    """Whether an operation makes a text, whatever goes into it, or says yes or no."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and text_of(node.left) is not None


def _parts(node: Given) -> list[ast.expr | None]:
    """The expressions that are on no device where an operation, a choice or a list is; None for any other one."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, (ast.BoolOp, ast.Dict)):
        return [*node.values]
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [*node.elts]
    return [node.operand] if isinstance(node, ast.UnaryOp) else [None]


def must_be_found(noted: str) -> bool:
    """Whether nobody knows what was noted where no file gives it a value: all but the attributes of options."""
    return not noted.endswith(f"{_PARTS}option")


def given_elsewhere(index: Index, module: ProjectModule, noted: str) -> Iterator[GivenElsewhere]:
    """What a file gives to an attribute or a parameter, or returns by a method, that was noted."""
    key, kind, name, part = noted.split(_PARTS)
    values = PlainValues(index, key)
    found: list[bool] = []
    if kind == "attribute":
        for value, item in module.fact(given_to_names).get(attribute_key(name), ()):
            found.append(values.is_one(module, value, item, is_named=True))
    elif kind == "method":
        for one in nodes_below(module.tree):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name == name:
                found.append(values.is_returned(module, one, int(part) if part else None))
    else:
        found += _given_to_parameter(values, module, name, part)
    if found:
        yield GivenElsewhere(module.path, all(found), tuple(sorted(values.noted)))


def _given_to_parameter(values: PlainValues, module: ProjectModule, function: str, part: str) -> Iterator[bool]:
    """Whether what the calls of a function give to a parameter is plain; not so where it may be called by another.

    A method is called by any object that has one of its name; a class by its heirs, too.
    """
    parameter, at, home = part.split(":", 2)
    nodes = nodes_below(module.tree)
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    called = {id(one.func) for one in calls}
    called |= {id(arg) for one in calls if dotted_text(one.func) in _ONLY_ASK for arg in one.args}
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) == function:
            if id(node) not in called and _may_be(values.index, module, node, home):
                yield False
        elif isinstance(node, ast.alias) and node.name.rpartition(".")[2] == function and node.asname is not None:
            yield False
        elif isinstance(node, ast.Call) and last_name(node.func) == function:
            if _may_be(values.index, module, node.func, home):
                yield _is_given_plain(values, module, node, parameter, at)


def _may_be(index: Index, module: ProjectModule, named: ast.expr, home: str) -> bool:
    """Whether a name may stand for a function or class of the file ``home``, if that is none of any object."""
    if not home:
        return isinstance(named, ast.Attribute)
    found = index.resolve(module, dotted_text(named)) if dotted_text(named) else None
    if found is not None:
        return found.module.path == home
    if module.origin(named).partition(".")[0] in LIBRARIES or (
        module.path == home and isinstance(named, ast.Attribute)
    ):
        return False
    return module.path == home or not module.fact(names_imported).isdisjoint({root_name(named), "*"})


def _is_given_plain(values: PlainValues, module: ProjectModule, call: ast.Call, parameter: str, at: str) -> bool:
    named = [one.value for one in call.keywords if one.arg == parameter]
    stars = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    of_class = owner is not None and last_name(owner)[:1].isupper()
    given = named or (call.args[int(at) : int(at) + 1] if at else [])
    return not stars and not of_class and all(values.is_one(module, one) for one in given)


def _find(index: Index, paths: Iterable[str], noted: str) -> Iterator[GivenElsewhere]:
    name = noted.split(_PARTS)[2]
    for _, module in index.matching(paths, re.compile(rb"\b%s\b" % re.escape(name.encode()))):
        yield from given_elsewhere(index, module, noted)


PLAIN_VALUES = Search("plain values", lambda noted: (noted.split(_PARTS)[2].encode(),), _find)
