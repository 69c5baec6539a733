"""Functions of other files that choose the visible GPUs: ``def set_gpu(x): os.environ["CUDA_VISIBLE_DEVICES"] = x``."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator

from devlint.analysis.project.mentions import BY_NAME, IMPORTERS, Holder, containing_folder, runs_module
from devlint.analysis.project.module import Bound, Definition, Function, ProjectModule, statements_of_scope
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.root import is_installable
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of

_VARIABLE = "_VISIBLE_DEVICE"
_CHOICE = regex(rb"_VISIBLE_DEVICE|cuda\.is_available\s*=(?!=)|environ\[\s*[A-Za-z_]")
_FORKS = (b"multiprocessing", b"os.fork", b"import fork", b"ProcessPool", b"joblib")
_MOST_FUNCTIONS = 40
"""How many functions are looked into for one call."""
_MOST_CALLS = 2
"""Through how many functions a call leads to another."""
_MOST_IMPORTERS = 12
"""How many files are looked into for one that imports a file, also through others."""
_OWN = "self."
_SETTERS = frozenset({"setdefault", "update", "putenv"})


class CardChooser(Record):
    """One such function, by the name that it is called by; a class where that is its ``__init__``.

    A file that sets them when it is imported has no name.
    """

    path: str
    name: str


def card_choosers_elsewhere(project: Project) -> list[CardChooser]:
    """The functions of other files that choose the visible GPUs, as far as anybody knows."""
    return search(project, CARD_CHOOSERS, _VARIABLE) or []


def is_imported_by_chooser(project: Project) -> bool:
    """Whether another file imports this one, or one that imports it, and chooses the visible GPUs further down."""
    if not search(project, CHOICES, _VARIABLE):
        return False
    names = frozenset(one.name for one in card_choosers_elsewhere(project) if one.name)
    by_name = search(project, BY_NAME, "") or ()
    waiting, seen = [project.path], {project.path}
    while waiting and len(seen) < _MOST_IMPORTERS:
        path = waiting.pop(0)
        importers = {one.path for one in search(project, IMPORTERS, path) or ()}
        importers |= {one.path for one in by_name if one.folder == containing_folder(path)}
        for importer in sorted(importers - seen):
            module = project.index.module(importer)
            if module is not None and _chooses_below_import(project, module, path, names):
                return True
            waiting.append(importer)
            seen.add(importer)
    return False


def _chooses_below_import(project: Project, importer: ProjectModule, path: str, names: Container[str]) -> bool:
    """Whether a file puts the variable into the environment, or calls what does, below where it imports another one."""
    imports = [
        bound.statement.lineno
        for found in importer.bindings.values()
        for bound in found
        if bound.alias is not None and _imports(project, importer, bound, path)
    ]
    below = [one for one in nodes_below(importer.tree) if getattr(one, "lineno", 0) > min(imports, default=0)]
    calls = (last_name(one.func) for one in below if isinstance(one, ast.Call))
    return any(_writes(one, _VARIABLE) for one in below) or any(one in names for one in calls)


def _imports(project: Project, importer: ProjectModule, bound: Bound, path: str) -> bool:
    return any(runs_module(project.index, importer.path, one, path) for one in (bound.module, bound.origin))


def may_ask_at_import(project: Project) -> bool:
    """Whether a module may ask for CUDA when it is imported: it is part of a program, of which no file minds.

    Whoever installs a package may choose the visible GPUs, or fork, after importing it; so may other files.
    """
    if project.root is None or is_installable(project.index.disk, project.root):
        return False
    return search(project, LATE_CHOICES, _VARIABLE) == []


def _holders(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    yield from map(Holder, paths)  # each holds one of the words


def _card_choosers(index: Index, paths: Iterable[str], name: str) -> Iterator[CardChooser]:
    for path, module in index.matching(paths, _CHOICE):
        lines = statements_of_scope(module.tree.body)
        if any(_writes(node, name) for line in lines for node in (line, getattr(line, "value", None))):
            yield CardChooser(path, "")
        for node in nodes_below(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _chooses(node, name):
                yield CardChooser(path, node.name)
            elif isinstance(node, ast.ClassDef):
                inits = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
                yield from (CardChooser(path, node.name) for one in inits if _chooses(one, name))


def _chooses(function: Function, variable: str) -> bool:
    return any(_writes(node, variable) for node in nodes_below(function))


def _writes(node: ast.AST | None, variable: str) -> bool:
    """Whether a node puts a variable, or one whose name nobody knows, into the environment; or answers for torch."""
    if isinstance(node, ast.Assign):
        if any(dotted_text(one).endswith("cuda.is_available") or _is_any_variable(one) for one in node.targets):
            return True
        keys = [one.slice for one in node.targets if isinstance(one, ast.Subscript)]
        return any(variable in (text_of(one) or "") for one in keys)
    is_setter = isinstance(node, ast.Call) and last_name(node.func) in _SETTERS
    if node is None or not (is_setter or isinstance(node, ast.AugAssign)):
        return False
    text = ast.unparse(node)
    return variable in text and ("environ" in text or "putenv" in text)


def _is_any_variable(target: ast.expr) -> bool:
    """Whether a target is ``os.environ[name]``."""
    if not isinstance(target, ast.Subscript) or dotted_text(target.value).rpartition(".")[2] != "environ":
        return False
    return isinstance(target.slice, (ast.Name, ast.Attribute))


def runs_one_called(index: Index, definition: Definition, method: str, names: Container[str]) -> bool:
    """Whether a function, or a method of a class, may run a function that has one of some names.

    ``method`` is empty for a function, and for a class that is only made.
    """
    waiting, seen = [(definition, method, 0)], set[tuple[str, str, str]]()
    while waiting and len(seen) < _MOST_FUNCTIONS:
        found, method, depth = waiting.pop()
        place = (found.module.path, found.name, method)
        function = _function(found, method) if place not in seen else None
        seen.add(place)
        for call in _called(found.module, function) if function is not None else ():
            if call in names or call.startswith(_OWN) and call.removeprefix(_OWN) in names:
                return True
            if depth == _MOST_CALLS:
                continue
            if call.startswith(_OWN):
                waiting.append((found, call.removeprefix(_OWN), depth + 1))
                continue
            inner = _resolved(index, found.module, function, call)
            if inner is not None and inner.name in names:
                return True
            if inner is not None:
                waiting.append((inner, "", depth + 1))
    return False


def _function(definition: Definition, method: str) -> Function | None:
    """What runs: the function itself, or the method of a class; its ``__init__`` where it is only made."""
    node = definition.node
    if isinstance(node, ast.ClassDef):
        wanted = method or "__init__"
        return next((one for one in node.body if isinstance(one, Function) and one.name == wanted), None)
    return node if isinstance(node, Function) and not method else None


class _Calls:
    """What the functions of a module call, and import themselves: filled as they are asked for."""

    def __init__(self, tree: ast.Module) -> None:
        self._called: dict[ast.AST, list[str]] = {}
        self._imported: dict[ast.AST, dict[str, str]] = {}

    def called(self, function: Function) -> list[str]:
        """The names that a function calls, as they are written, but for those of its own parameters."""
        if function not in self._called:
            given = {one.arg for one in nodes_below(function.args) if isinstance(one, ast.arg)} - {"self"}
            names = (dotted_text(one.func) for one in nodes_below(function) if isinstance(one, ast.Call))
            known = dict.fromkeys(one for one in names if one and one.partition(".")[0] not in given)
            self._called[function] = [*known]
        return self._called[function]

    def imported(self, function: Function) -> dict[str, str]:
        """What a function imports, by the names that it gives it."""
        if function not in self._imported:
            imports = [one for one in nodes_below(function) if isinstance(one, (ast.Import, ast.ImportFrom))]
            named = [(alias.asname or alias.name, Bound(one, alias).origin) for one in imports for alias in one.names]
            self._imported[function] = dict(reversed(named))
        return self._imported[function]


def _called(module: ProjectModule, function: Function) -> list[str]:
    return module.fact(_Calls).called(function)


def _resolved(index: Index, module: ProjectModule, function: Function | None, name: str) -> Definition | None:
    """What a function calls by a name that it imports itself, or that its module binds."""
    head, _, rest = name.partition(".")
    origin = module.fact(_Calls).imported(function).get(head) if function is not None else None
    if origin is not None:
        return index.resolve_import(module.path, f"{origin}.{rest}" if rest else origin)
    return index.resolve(module, name)


LATE_CHOICES = Search("late choices", lambda name: (name.encode(), *_FORKS), _holders)
CARD_CHOOSERS = Search("card choosers", lambda name: (name.encode(), b"is_available", b"environ["), _card_choosers)
CHOICES = Search("choices of cards", lambda name: (name.encode(),), _holders)
