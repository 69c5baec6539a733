"""Who calls a function of a file, in all of a project, and with what."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

from devlint.analysis.project.module import Function, ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.code_text import POSSESSIVE, code_of
from devlint.syntax.python_tree.nodes import FIELDS, dotted_text, last_name, nodes_below, parameters_with_defaults

PARAMETER = "parameter "
"""What a value begins with that is a parameter: the function's name, the position and the default follow."""


_NO_OBJECTS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
"""What binds a name to no object that has methods of a class."""


class HandedOn(Record):
    """A parameter that a function hands on, as ``CallSite.values`` writes it."""

    function: str
    position: int | None
    """Where a call of the function gives it; None where only by its name."""
    default: str
    """Its default as it is written; empty for none."""


def handed_on(value: str) -> HandedOn | None:
    """The parameter that a value of ``CallSite.values`` stands for; None where it is another expression."""
    if not value.startswith(PARAMETER):
        return None
    function, position, default = value.removeprefix(PARAMETER).split(":", 2)
    return HandedOn(function, int(position) if position else None, default)


class CallSite(Record):
    """One call, by the name that the function is defined under or one that it is imported as."""

    path: str
    called: str
    """As it is written: ``train``, ``engine.train``, ``model.train``; empty where that is no name."""
    positional: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...]
    has_stars: bool
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For names that are given: all that the function around assigns to them; ``PARAMETER`` begins what is its own."""
    is_bound: bool = True
    """Whether the module of the file binds the first name of what is called."""

    def argument(self, name: str, position: int | None) -> str | None:
        """The text of what is given to a parameter; None where it gets its default, or stars may hide it."""
        found = dict(self.keywords).get(name)
        if found is not None or position is None or self.has_stars:
            return found
        return self.positional[position] if position < len(self.positional) else None


def calls_elsewhere(project: Project, name: str) -> list[CallSite] | None:
    """The calls in other files of what is called ``name`` in this file; None where nobody knows.

    A method is called by any object that has one of this name; of a function only those calls are given that import
    it from this file, or may do so.
    """
    return _of_this_file(project, search(project, CALLS, name), name)


def base_initializations_elsewhere(project: Project, cls: str) -> list[CallSite] | None:
    """The calls of ``__init__`` in other files that may know a class of this file; None where nobody knows."""
    return _of_this_file(project, search(project, BASE_INITIALIZATIONS, cls), "__init__")


def _of_this_file(project: Project, found: list[CallSite] | None, name: str) -> list[CallSite] | None:
    if found is None or (project.root is None and project.index.disk.exists(project.path)):
        return None
    return [one for one in found if not one.is_bound or _may_be(project, one, name)]


def function_calls_elsewhere(project: Project, name: str) -> list[CallSite] | None:
    """The calls in other files of a function of this file's module: only what imports it can call it by a name."""
    found = calls_elsewhere(project, name)
    return None if found is None else [one for one in found if _imports(project, one)]


def _imports(project: Project, site: CallSite) -> bool:
    """Whether a file imports what the name in a call begins with, at its top or in a function."""
    index, head = project.index, site.called.partition(".")[0]
    imported: Set[str] = index.disk.kept(("imported", site.path), lambda: _imported(index, site.path))
    return not imported.isdisjoint({head, "*"})


def _imported(index: Index, path: str) -> Set[str]:
    """The names that the imports of a file bind, at its top or in a function."""
    module = index.module(path)
    return module.fact(_Mentions).imported if module is not None else set()


def _may_be(project: Project, site: CallSite, name: str) -> bool:
    """Whether the name that is called may stand for what this file defines."""
    index = project.index
    key = ("called", site.path, site.called)
    is_bound, defined, may_be_object = index.disk.kept(key, lambda: _meaning(index, site.path, site.called))
    if not is_bound or defined:
        return not is_bound or defined == project.path
    return site.called != name and may_be_object


def _meaning(index: Index, path: str, called: str) -> tuple[bool, str, bool]:
    """Whether a file binds what a call names, which file defines it, and whether it may be called on an object."""
    module, head = index.module(path), called.partition(".")[0]
    if module is None or head not in module.bindings:
        return False, "", False
    definition = index.resolve(module, called)
    bound = index.resolve(module, head) if definition is None else None
    return True, definition.module.path if definition else "", bound is None or not isinstance(bound.node, _NO_OBJECTS)


def parameter_position(function: Function, name: str, is_method: bool) -> int | None:
    """Where a call gives a value to a parameter; None where only by its name, or by no argument (``self``)."""
    named = [one.arg for one in (*function.args.posonlyargs, *function.args.args)][is_method:]
    return named.index(name) if name in named else None


def _calls(index: Index, paths: Iterable[str], name: str) -> Iterator[CallSite]:
    word = name.encode()
    for path in paths:
        if POSSESSIVE and word not in code_of(index.disk.read(path) or b""):
            continue  # only examples in docstrings call it
        module = index.module(path)
        yield from calls_in(module, name) if module is not None else ()


def _base_initializations(index: Index, paths: Iterable[str], name: str) -> Iterator[CallSite]:
    for path in paths:
        module = index.module(path)
        if module is not None and (name in module.bindings or "*" in module.bindings):
            yield from calls_in(module, "__init__")


_NAME_OTHERS = frozenset(
    (ast.ClassDef, ast.arg, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef, ast.Attribute, ast.Call)
)
"""Nodes in which something is mentioned that nobody can call there."""
_MENTION = frozenset((ast.Call, ast.Name, ast.Attribute, ast.Import, ast.ImportFrom))


class _Mentions:
    """The calls in a file, and the mentions of what may be handed on, by the last name of each."""

    def __init__(self, tree: ast.Module) -> None:
        self.calls: dict[str, list[tuple[ast.Call, Function | None]]] = {}
        self.handed_on: dict[str, list[ast.Name | ast.Attribute]] = {}
        self.aliases: dict[str, set[str]] = {}
        """The names under which something is imported from another module."""
        self.imported: set[str] = set()
        """The names that imports bind anywhere, and ``*``."""
        nodes = _with_functions(tree)
        silent = {id(node.func) for node, _ in nodes if isinstance(node, ast.Call)}
        silent |= {id(one) for node, _ in nodes if node.__class__ in _NAME_OTHERS for one in _not_handed_on(node)}
        for node, function in nodes:
            if node.__class__ not in _MENTION:
                continue
            if isinstance(node, ast.Call):
                self.calls.setdefault(last_name(node.func), []).append((node, function))
            elif isinstance(node, (ast.Name, ast.Attribute)):
                if isinstance(node.ctx, ast.Load) and id(node) not in silent:
                    self.handed_on.setdefault(last_name(node), []).append(node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for one in node.names:
                    self.imported.add(one.asname or one.name.partition(".")[0])
                    if isinstance(node, ast.ImportFrom):
                        self.aliases.setdefault(one.name, set()).add(one.asname or one.name)


def calls_in(module: ProjectModule, name: str) -> Iterator[CallSite]:
    """The calls in one file of what is called ``name``, there or where it is imported from, and who hands it on."""
    mentions = module.fact(_Mentions)
    for alias in sorted({name, *mentions.aliases.get(name, ())}):
        for call, function in mentions.calls.get(alias, ()):
            yield _site(module, call, function)
        for node in mentions.handed_on.get(alias, ()):
            text = dotted_text(node)
            yield CallSite(module.path, text, (), (), True, is_bound=_is_bound_at_top(module, text))


def _is_bound_at_top(module: ProjectModule, called: str) -> bool:
    return called.partition(".")[0] in module.bindings


def _with_functions(tree: ast.AST) -> list[tuple[ast.AST, Function | None]]:
    """All nodes with the function around each, those of the last statement first."""
    found: list[tuple[ast.AST, Function | None]] = []
    waiting: list[tuple[ast.AST, Function | None]] = [(tree, None)]
    while waiting:
        node, function = one = waiting.pop()
        found.append(one)
        inner = node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        for name in FIELDS[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                waiting += [(each, inner) for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                waiting.append((value, inner))
    return found


def _not_handed_on(node: ast.AST) -> Iterator[ast.AST]:
    """The mentions in a node of what nobody can call there: annotations, bases, ``isinstance(x, A)``, ``A.name``."""
    found: list[ast.AST | None] = []
    if isinstance(node, ast.ClassDef):
        found += node.bases
    elif isinstance(node, (ast.arg, ast.AnnAssign)):
        found.append(node.annotation)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found.append(node.returns)
    elif isinstance(node, ast.Attribute):
        found.append(node.value)
    elif isinstance(node, ast.Call) and dotted_text(node.func) in ("isinstance", "issubclass", "super"):
        found += node.args
    for one in found:
        yield from nodes_below(one) if one is not None and not isinstance(one, ast.Call) else ()


def _site(module: ProjectModule, call: ast.Call, function: Function | None) -> CallSite:
    keywords = tuple((one.arg, ast.unparse(one.value)) for one in call.keywords if one.arg is not None)
    stars = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    given = [*call.args, *(one.value for one in call.keywords)]
    around = function if function is not None else module.tree
    values = {one.id: tuple(_values(module, around, one.id)) for one in given if isinstance(one, ast.Name)}
    positional = tuple(map(ast.unparse, call.args))
    called = dotted_text(call.func)
    is_bound = _is_bound_at_top(module, called)
    return CallSite(module.path, called, positional, keywords, stars, tuple(values.items()), is_bound=is_bound)


def _assigned_in(tree: ast.Module) -> dict[int, dict[str, list[ast.expr | None]]]:
    """What functions of a file, or its module, assign to names, by the ``id`` of each, as they are asked for."""
    return {}


def _assigned(around: ast.AST) -> dict[str, list[ast.expr | None]]:
    """What is assigned to each name in a function, or a module; None for what is no plain assignment."""
    found: dict[str, list[ast.expr | None]] = {}
    plain: set[int] = set()
    for node in nodes_below(around):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    plain.add(id(target))
                    found.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in plain:
            found.setdefault(node.id, []).append(None)
    return found


def _values(module: ProjectModule, around: ast.AST, name: str) -> Iterator[str]:
    """What a function, or a module, assigns to a name; ``?`` for what is no plain assignment."""
    if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for parameter, default in parameters_with_defaults(around.args):
            if parameter.arg == name:
                position = parameter_position(around, name, _is_bound(around))
                written = ast.unparse(default) if default is not None else ""
                yield f"{PARAMETER}{around.name}:{'' if position is None else position}:{written}"
    known = module.fact(_assigned_in)
    if id(around) not in known:
        known[id(around)] = _assigned(around)
    yield from ("?" if one is None else ast.unparse(one) for one in known[id(around)].get(name, ()))


def _is_bound(function: Function) -> bool:
    named = [*function.args.posonlyargs, *function.args.args]
    return bool(named) and named[0].arg in ("self", "cls")


CALLS = Search("calls", lambda name: (name.encode(),), _calls)
BASE_INITIALIZATIONS = Search("base initializations", lambda name: (name.encode(),), _base_initializations)
