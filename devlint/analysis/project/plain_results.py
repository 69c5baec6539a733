"""Functions of a project that give back a tuple, a list or a number in one case, and something else in another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.module import Function, ProjectModule, statements_of_scope
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, parameters_with_defaults

_KIND_QUESTIONS = frozenset({"isinstance", "type", "is_tensor", "hasattr"})
_PLAIN = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)
"""What makes an object that no tensor is, and no module."""
_DEPTH = 4


def may_be_plain(project: Project, own: ProjectModule | None, name: str) -> bool:
    """Whether a function or method of a name, in whatever file of the project, gives back both kinds of things."""
    return (own is not None and name in own.fact(_giving_both)) or bool(search(project, PLAIN_RESULTS, name))


def is_surely_plain(index: Index, module: ProjectModule, value: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether a value is no tensor and no module in any case: NumPy's, or what functions give nothing else of."""
    if depth == 0 or not isinstance(value, ast.Call):
        return depth > 0 and _is_plain(value)
    if module.origin(value.func).startswith("numpy."):
        return True
    found = index.resolve(module, dotted_text(value.func))
    if found is None or not isinstance(found.node, ast.FunctionDef) or found.node.decorator_list:
        return False
    results = _results(found.node)
    return bool(results) and all(is_surely_plain(index, found.module, one, depth - 1) for one in results)


def _giving(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    defined = re.compile(rb"\bdef[ \t]+%s\b" % re.escape(name.encode()))
    for path, module in index.matching(paths, defined):
        if name in module.fact(_giving_both):
            yield Holder(path)


def _giving_both(tree: ast.Module) -> frozenset[str]:
    functions = (one for one in ast.walk(tree) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return frozenset(one.name for one in functions if _gives_both(one))


def _gives_both(function: Function) -> bool:
    """Whether the results of a function are of both kinds: ``return h, c`` and ``return h``.

    Where a parameter decides, whoever calls it knows what it gets.
    """
    return len({_is_plain(one) for one in _results(function)}) > 1 and not is_decided_by_caller(function)


def is_decided_by_caller(function: Function) -> bool:
    """Whether it depends on a parameter which of several things a function gives back."""
    own = [*statements_of_scope(function.body)]
    arguments = (one.arg for one, _ in parameters_with_defaults(function.args) if one.arg not in ("self", "cls"))
    return not _asked_names(own, _results(function)).isdisjoint(arguments)


def _results(function: Function) -> list[ast.expr]:
    own = [*statements_of_scope(function.body)]
    results = [one for one in own if isinstance(one, ast.Return) and one.value is not None]
    return [value for one in results for value in _values(function, own, one)]


def _values(function: Function, own: list[ast.stmt], result: ast.Return) -> list[ast.expr]:
    """What is returned, or all that a function has last given the name that is."""
    name = result.value.id if isinstance(result.value, ast.Name) else None
    assigns = [one for one in own if isinstance(one, ast.Assign) and one.lineno < result.lineno]
    named = [one for one in assigns if any(isinstance(to, ast.Name) and to.id == name for to in one.targets)]
    certain = [index for index, one in enumerate(named) if one in function.body]
    last = [one.value for one in named[certain[-1] if certain else 0 :]]
    given = last or ([result.value] if result.value is not None else [])
    return [inner for one in given for inner in ((one.body, one.orelse) if isinstance(one, ast.IfExp) else (one,))]


def _asked_names(own: list[ast.stmt], values: list[ast.expr]) -> set[str]:
    """The names in the tests on which it depends which of some values there is."""
    wanted = {id(one) for one in values}
    choices = (one for top in own for one in nodes_below(top) if isinstance(one, (ast.If, ast.IfExp)))
    tests = [one.test for one in choices if any(id(node) in wanted for node in nodes_below(one))]
    return {one.id for test in tests for one in _names_asked(test)}


def _names_asked(test: ast.expr) -> Iterator[ast.Name]:
    """The names in a test, but for those of what it asks for its kind: ``isinstance(h, tuple)``."""
    waiting: list[ast.AST] = [test]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name):
            yield one
        elif not (isinstance(one, ast.Call) and last_name(one.func) in _KIND_QUESTIONS):
            waiting += ast.iter_child_nodes(one)


def _is_plain(value: ast.expr) -> bool:
    is_number = isinstance(value, ast.Constant) and value.value is not None
    return is_number or isinstance(value, _PLAIN)


PLAIN_RESULTS = Search("plain results", lambda name: (f"def {name}".encode(),), _giving)
