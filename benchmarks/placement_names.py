"""Where the names of a program get their values, read from Python's own trees.

It belongs to ``benchmarks.placements``, which judges devlint's fixes, and so has no code of devlint.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Definition(NamedTuple):
    """One place that gives a name its value."""

    value: ast.AST | None
    """What is assigned, defined or imported; None where that is not written."""
    node: ast.AST
    """The statement."""
    scope: Scope


class Scope:
    """The module or a function: what its own statements give to names, and to attributes such as ``args.cuda``."""

    def __init__(self, module: Module, node: ast.AST, parent: Scope | None, owner: ast.ClassDef | None) -> None:
        self.module, self.node, self.parent, self.owner = module, node, parent, owner
        self.defined: dict[str, list[Definition]] = defaultdict(list)
        self.parameters: dict[str, ast.expr | None] = {}
        self.globals: set[str] = set()
        if isinstance(node, Function):
            self.parameters = parameters(node.args)
        for child in node.body if isinstance(node.body, list) else []:  # type: ignore[attr-defined]
            self._read(child)

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            self.defined[node.name].append(Definition(node, node, self))
            return
        if isinstance(node, ast.Lambda):
            return
        if isinstance(node, ast.Global):
            self.globals.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for one in node.names:
                name = one.asname or (one.name if isinstance(node, ast.ImportFrom) else one.name.partition(".")[0])
                self.defined[name].append(Definition(one, node, self))
        for target, value in _targets(node):
            self._target(target, value, node)
        for child in ast.iter_child_nodes(node):
            self._read(child)

    def _target(self, target: ast.expr, value: ast.expr | None, node: ast.AST) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for position, one in enumerate(target.elts):
                self._target(one, value.elts[position] if same else None, node)  # type: ignore[union-attr]
        elif isinstance(target, ast.Starred):
            self._target(target.value, None, node)
        elif isinstance(target, (ast.Name, ast.Attribute)):
            self.defined[ast.unparse(target)].append(Definition(value, node, self))

    def owner_class(self) -> ast.ClassDef | None:
        """The class whose method this is, or is in."""
        scope: Scope | None = self
        while scope is not None and scope.owner is None:
            scope = scope.parent
        return scope.owner if scope is not None else None


def _targets(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What a statement binds, with the values that it writes."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        yield node.target, node.value
    elif isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor)):
        yield node.target, None
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, None


def parameters(arguments: ast.arguments) -> dict[str, ast.expr | None]:
    """The parameters of a function with their defaults."""
    plain = [*arguments.posonlyargs, *arguments.args]
    given: dict[str, ast.expr | None] = {one.arg: None for one in (*plain, *arguments.kwonlyargs)}
    given.update((one.arg, None) for one in (arguments.vararg, arguments.kwarg) if one is not None)
    given.update(zip([one.arg for one in plain[len(plain) - len(arguments.defaults) :]], arguments.defaults))
    given.update(zip([one.arg for one in arguments.kwonlyargs], arguments.kw_defaults))
    return given


class Module:
    """One file: its tree, the scopes in it, and the parents of its nodes."""

    def __init__(self, project: Project, path: str, text: str) -> None:
        self.project, self.path, self.text = project, path, text
        self.tree = ast.parse(text)
        self.parents: dict[int, ast.AST] = {}
        self.scopes: dict[int, Scope] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.scope = Scope(self, self.tree, None, None)
        self._enter(self.tree, self.scope, None)
        self.attributes: dict[str, list[Definition]] = defaultdict(list)
        for scope in (self.scope, *self.scopes.values()):
            for name in scope.globals if scope is not self.scope else ():
                self.scope.defined[name].extend(scope.defined.pop(name, []))
            for name, found in scope.defined.items():
                if "." in name:
                    self.attributes[name].extend(found)

    def _enter(self, node: ast.AST, scope: Scope, owner: ast.ClassDef | None) -> None:
        for child in ast.iter_child_nodes(node):
            self.parents[id(child)] = node
            if isinstance(child, Function):
                self.scopes[id(child)] = Scope(self, child, scope, owner)
                self._enter(child, self.scopes[id(child)], owner)
            elif isinstance(child, ast.ClassDef):
                self.classes[child.name] = child
                self._enter(child, scope, child)
            else:
                self._enter(child, scope, owner)

    def definitions(self, name: str, depth: int = 4) -> list[Definition]:
        """What gives a name of the module its value, followed through imports from the project."""
        found = self.scope.defined.get(name, [])
        if len(found) == 1 and isinstance(found[0].node, ast.ImportFrom) and isinstance(found[0].value, ast.alias):
            other = self.project.imported(self.path, found[0].node)
            return other.definitions(found[0].value.name, depth - 1) if other is not None and depth else []
        if found or not depth:
            return found
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                other = self.project.imported(self.path, node)
                found = other.definitions(name, depth - 1) if other is not None else []
                if found:
                    return found
        return []

    def attribute(self, owner: ast.ClassDef, name: str, depth: int = 5) -> list[Definition]:
        """What gives ``self.name`` its value in a class, or in the nearest base; of a property what it returns."""
        found: list[Definition] = []
        for method in (one for one in owner.body if isinstance(one, FUNCTIONS)):
            if method.name == name:
                value = returned(method)
                return [Definition(value, method, self.scopes[id(method)])] if value is not None else []
            if method.args.args:
                found += self.scopes[id(method)].defined.get(f"{method.args.args[0].arg}.{name}", [])
        for node in owner.body:
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                found.append(Definition(node.value, node, self.scope))
        bases = owner.bases if depth and not found else []
        for base in bases:
            for one in self.definitions(ast.unparse(base)):
                if not found and isinstance(one.value, ast.ClassDef):
                    found = one.scope.module.attribute(one.value, name, depth - 1)
        return found


def returned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    """What a function returns whose body is assignments and one ``return``, or one choice of two."""
    body = [one for one in function.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
        return None
    if all(isinstance(one, ast.Assign) for one in body[:-1]):
        return body[-1].value
    first = body[0]
    if len(body) == 2 and isinstance(first, ast.If) and not first.orelse and isinstance(first.body[0], ast.Return):
        if first.body[0].value is not None:
            return ast.IfExp(first.test, first.body[0].value, body[-1].value)
    return None


class Project:
    """The files of a repository, read when they are asked for; those in ``fixed`` stand in for those in ``root``."""

    def __init__(self, root: Path, fixed: Path | None = None) -> None:
        self._roots = [one for one in (fixed, root) if one is not None]
        self._modules: dict[str, Module | None] = {}

    def module(self, path: str) -> Module | None:
        """A file by its path below the root; None where there is none that Python can read."""
        if path not in self._modules:
            self._modules[path] = self._parse(path)
        return self._modules[path]

    def _parse(self, path: str) -> Module | None:
        for root in self._roots:
            if (root / path).is_file():
                try:
                    return Module(self, path, (root / path).read_text("utf-8-sig", "replace"))
                except (SyntaxError, ValueError, RecursionError):
                    return None
        return None

    def imported(self, path: str, node: ast.ImportFrom) -> Module | None:
        """The file that an import in another file names, looked for beside that file and in the folders above."""
        folders = list(Path(path).parents)
        folders = folders[node.level - 1 : node.level] if node.level else folders
        for folder in folders:
            place = folder.joinpath(*(node.module or "").split("."))
            for name in (place.with_suffix(".py") if node.module else place, place / "__init__.py"):
                found = self.module(name.as_posix())
                if found is not None:
                    return found
        return None
