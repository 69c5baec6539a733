"""The names that statements, functions and classes bind and read, on Python's own tree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from devlint.syntax.python_tree.nodes import FIELDS

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


_LEAVES = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort"})
"""Calls after which nothing of the program runs."""


def evaluated_by(node: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a plain statement, without annotations."""
    if isinstance(node, ast.AnnAssign):
        yield from (one for one in (node.target, node.value) if one is not None)
    elif isinstance(node, ast.AugAssign):
        if isinstance(node.target, ast.Name):
            yield ast.Name(node.target.id, ast.Load())
        yield from (node.target, node.value)
    elif not isinstance(node, (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)):
        yield from ast.iter_child_nodes(node)


def names_bound_by(node: ast.stmt) -> Iterator[str]:
    """The names that a plain statement binds."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from names_in_target(target)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        if node.value is not None:
            yield from names_in_target(node.target)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif hasattr(ast, "TypeAlias") and isinstance(node, ast.TypeAlias):
        yield from names_in_target(node.name)


def names_in_target(target: ast.expr) -> Iterator[str]:
    """The names that a target binds: those in tuples and lists, and none of a subscript or an attribute."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from names_in_target(element)
    elif isinstance(target, ast.Starred):
        yield from names_in_target(target.value)


def names_in_pattern(pattern: ast.pattern) -> Iterator[str]:
    """The names that a pattern of ``match`` binds."""
    for one in ast.walk(pattern):
        if isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name:
            yield one.name
        elif isinstance(one, ast.MatchMapping) and one.rest:
            yield one.rest


def is_irrefutable(case: ast.match_case) -> bool:
    """Whether a case of ``match`` takes whatever comes."""
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def ends_program(node: ast.expr) -> bool:
    """Whether an expression is a call after which nothing of the program runs: ``sys.exit()``."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in _LEAVES


def names_of_comprehension(node: ast.AST) -> set[str]:
    """The names that a comprehension binds for itself."""
    return {name for one in node.generators for name in names_in_target(one.target)}  # type: ignore[attr-defined]


def nodes_of_scope(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of one scope but operators, with the functions and classes in it but not what is inside of those."""
    waiting = [*body]
    add = waiting.append
    while waiting:
        node = waiting.pop()
        yield node
        if node.__class__ in _SCOPES:
            waiting += evaluated_at_definition(node)
            continue
        for name in FIELDS[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                for child in value:
                    if isinstance(child, ast.AST):
                        add(child)
            elif isinstance(value, ast.AST):
                add(value)


def bound_names(body: Iterable[ast.AST]) -> tuple[set[str], set[str]]:
    """The names that the statements of a scope bind anywhere, and those that they declare global or nonlocal."""
    bound: set[str] = set()
    declared: set[str] = set()
    for node in nodes_of_scope(body):
        if isinstance(node, ast.comprehension):
            continue
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            declared.update(node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.NamedExpr)):
            bound.update(names_in_target(node.target))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            bound.update(names_in_target(node.optional_vars))
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.pattern):
            bound.update(names_in_pattern(node))
        elif isinstance(node, ast.Delete):
            bound.update(name for target in node.targets for name in names_in_target(target))
        elif isinstance(node, ast.stmt):
            bound.update(names_bound_by(node))
    return bound, declared


def evaluated_at_definition(node: ast.AST) -> list[ast.expr]:
    """What is evaluated where a function or class is defined: decorators, defaults, base classes."""
    found: list[ast.expr | None] = [*getattr(node, "decorator_list", ())]
    if isinstance(node, ast.ClassDef):
        found += [*node.bases, *(one.value for one in node.keywords)]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        found += [*node.args.defaults, *node.args.kw_defaults]
    return [one for one in found if one is not None]


def parameters_of(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (one for one in (arguments.vararg, arguments.kwarg) if one is not None)


def functions_in(body: Iterable[ast.AST], path: str) -> Iterator[tuple[str, Function]]:
    """The functions defined in a scope, those in its classes among them, with their paths."""
    for node in nodes_of_scope(body):
        inner = f"{path}.{getattr(node, 'name', 'lambda')}".lstrip(".")
        if isinstance(node, ast.ClassDef):
            yield from functions_in(node.body, inner)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield inner, node


def functions_bound_once(body: Iterable[ast.AST]) -> dict[str, Definition]:
    """The functions and classes of a scope whose names nothing else in it binds."""
    found: dict[str, Definition] = {}
    times: Counter[str] = Counter()
    for node in nodes_of_scope(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] = node
            times[node.name] += 1
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            times[node.id] += 1
        elif isinstance(node, ast.alias):
            times[node.asname or node.name.partition(".")[0]] += 1
    return {name: node for name, node in found.items() if times[name] == 1}


def free_names(node: ast.AST) -> tuple[set[str], set[str]]:
    """The names that a call of a function or class reads of the scopes around it, and those that it binds there."""
    if isinstance(node, ast.ClassDef):
        methods = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
        constructor = next(methods, None)
        return free_names(constructor) if constructor is not None else (set(), set())
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    bound, declared = bound_names(body)
    own = (bound | {one.arg for one in parameters_of(node.args)}) - declared
    reads: set[str] = set()
    for inner in nodes_of_scope(body):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            reads.add(inner.id)
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            reads |= free_names(inner)[0]
        elif isinstance(inner, COMPREHENSIONS):
            own |= {name for one in inner.generators for name in names_in_target(one.target)}
    return reads - own, declared & bound


def reads_of_class_body(node: ast.ClassDef) -> Iterator[str]:
    """The names that the body of a class reads of the scopes around it."""
    bound = bound_names(node.body)[0]
    for inner in nodes_of_scope(node.body):
        if isinstance(inner, COMPREHENSIONS):
            bound |= {name for one in inner.generators for name in names_in_target(one.target)}
    for inner in nodes_of_scope(node.body):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id not in bound:
            yield inner.id


class CalledFunctions:
    """What calls of the functions of one scope read of that scope, by themselves or through each other."""

    def __init__(self, body: Iterable[ast.AST]) -> None:
        self.functions = functions_bound_once(body)
        self._reads: dict[str, frozenset[str]] = {}
        self._bound_by_functions: set[str] = set()
        """Names of the scope that a function declares global and binds: by the time of a read it may have."""

    def reads_of(self, name: str) -> frozenset[str]:
        """The names that a call of one of the functions may read of the scope around it."""
        if name not in self._reads:
            seen: set[str] = set()
            needed: set[str] = set()
            waiting = [name]
            while waiting:
                called = waiting.pop()
                if called not in seen:
                    seen.add(called)
                    reads, bound = free_names(self.functions[called])
                    needed |= reads
                    self._bound_by_functions |= bound
                    waiting += [one for one in reads if one in self.functions]
            self._reads[name] = frozenset(needed - self._bound_by_functions)
        return self._reads[name]
