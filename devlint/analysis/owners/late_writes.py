"""Who gives an attribute or an entry of options a value, and whether others may have asked for it before."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from devlint.analysis.owners.named_at_run_time import set_of_any_name
from devlint.analysis.project.attributes import owner_of_assigned
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import arguments, dotted_text, last_name, nodes_below, text_of
from devlint.torch_api.device_naming import holds_options

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_INSTANCES = frozenset({"self", "cls"})
_KEEPS_NOTHING = frozenset("print len str repr dict vars isinstance getattr hasattr deepcopy dumps Namespace".split())
"""Calls that keep no attribute of what they are given."""


class LateWrite(Record):
    """A place that gives an attribute or an entry of something a value: ``opt.cuda = False``, ``d["cuda"] = False``."""

    path: str
    line: int
    owner: str
    """What has the attribute, as it is written; empty for a longer expression."""
    function: str
    """The function around it, or the class whose ``__init__`` that is; empty at the top of a module."""
    callers: tuple[str, ...]
    """The functions and classes of the same file that call it, or one that does."""
    is_first: bool
    """Whether the function has made the options itself, and nothing keeps what it made of them, when it writes."""
    joins: bool
    """Whether nothing changes where there is CUDA: ``opt.cuda = opt.cuda and torch.cuda.is_available()``."""


def late_writes(project: Project, own: ProjectModule | None, attribute: str) -> list[LateWrite]:
    """All such places of a project, as far as anybody knows; ``own`` is the file that is analyzed."""
    found: list[LateWrite] = search(project, LATE_WRITES, attribute) or []
    return [*found, *(_writes_in(own, attribute) if own is not None else ())]


def _late_writes(index: Index, paths: Iterable[str], attribute: str) -> Iterator[LateWrite]:
    pattern = re.compile(_WRITTEN.replace(b"NAME", re.escape(attribute.encode())))
    for _, module in index.matching(paths, pattern):
        yield from _writes_in(module, attribute)


def _writes_in(module: ProjectModule, attribute: str) -> Iterator[LateWrite]:
    for scope, name in module.fact(_Scopes).found:
        written = [(one, owner) for one in scope for owner in _written(one, attribute)]
        written = [(one, owner) for one, owner in written if owner not in _INSTANCES]
        written += [(one, owner) for one in scope for owner in _written_by_any_name(module, one, name, attribute)]
        for node, owner in written:
            joins = _says_the_same(scope, node, attribute)
            callers = tuple(sorted(module.fact(_Scopes).calling({name}) - {name})) if name else ()
            line, is_first = getattr(node, "lineno", 0), _is_new(scope, owner, node, joins)
            yield LateWrite(module.path, line, owner, name, callers, is_first, joins)


class _Scopes:
    """The nodes of each function of a file, and of the module, with the name by which one is called."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[Sequence[ast.AST], str]] = []
        waiting: list[tuple[ast.AST, str, str]] = [(tree, "", "")]
        while waiting:
            scope, name, around = waiting.pop()
            nodes: list[ast.AST] = []
            inner = list(ast.iter_child_nodes(scope))
            while inner:
                node = inner.pop()
                if isinstance(node, _FUNCTIONS):
                    waiting.append((node, around if around and node.name == "__init__" else node.name, ""))
                elif isinstance(node, ast.ClassDef):
                    waiting.append((node, name, node.name))
                else:
                    nodes.append(node)
                    inner += ast.iter_child_nodes(node)
            self.found.append((nodes, name))

    def calling(self, names: set[str]) -> set[str]:
        """These functions, and those that call one of them, or one that does."""
        found, before = set(names), 0
        while len(found) > before:
            before = len(found)
            for nodes, name in self.found:
                if name and name not in found and any(_calls(one, found) for one in nodes):
                    found.add(name)
        return found


def _calls(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in names


def _written(node: ast.AST, attribute: str) -> Iterator[str]:
    """What has the attribute, or entry, that a statement or call writes: ``opt``, also of ``vars(opt)["cuda"] = …``."""
    owner = owner_of_assigned(node, attribute)
    if owner is None and isinstance(node, ast.Call) and last_name(node.func) == "update":
        keys = [one.arg for one in node.keywords]
        keys += [text_of(key) for one in node.args if isinstance(one, ast.Dict) for key in one.keys if key is not None]
        owner = node.func.value if attribute in keys and isinstance(node.func, ast.Attribute) else None
    if owner is not None:
        of = owner.args[0] if isinstance(owner, ast.Call) and _is_state(owner) else owner
        yield dotted_text(of).removesuffix(".__dict__")


def _written_by_any_name(module: ProjectModule, node: ast.AST, function: str, attribute: str) -> Iterator[str]:
    """The options that a node may give any attribute; an instance, in a method, where its class has the attribute."""
    for owner in map(dotted_text, set_of_any_name(node, by_keys=True)):
        if owner in _INSTANCES:
            classes = [one for one in nodes_below(module.tree) if isinstance(one, ast.ClassDef) and _is_in(node, one)]
            if any(one.name != function and _has(one, attribute) for one in classes):
                yield owner
        elif holds_options(owner.rpartition(".")[2]):
            yield owner


def _is_in(node: ast.AST, definition: ast.ClassDef) -> bool:
    return definition.lineno <= getattr(node, "lineno", 0) <= (definition.end_lineno or 0)


def _has(definition: ast.ClassDef, attribute: str) -> bool:
    """Whether a class gives itself, or its instances, an attribute."""
    nodes = nodes_below(definition)
    stored = (one for one in nodes if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Store))
    return any(last_name(one) == attribute for one in stored)


def _is_state(node: ast.AST) -> bool:
    """Whether it is ``vars(opt)``."""
    return isinstance(node, ast.Call) and last_name(node.func) == "vars" and len(node.args) == 1


def _says_the_same(scope: Sequence[ast.AST], write: ast.AST, attribute: str) -> bool:
    """Whether nothing changes where there is CUDA: ``opt.cuda = opt.cuda and torch.cuda.is_available()``.

    Nor does it where torch has said that there is none: ``if not torch.cuda.is_available(): opt.cuda = False``.
    """
    value = getattr(write, "value", None)
    if isinstance(write, ast.AugAssign) and isinstance(write.op, ast.BitAnd):
        return _asks(value)
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And) and len(value.values) == 2:
        kept = [one for one in value.values if not _asks(one)]
        owner = owner_of_assigned(write, attribute)
        same = f"{dotted_text(owner)}.{attribute}" if owner is not None and dotted_text(owner) else None
        if len(kept) == 1 and dotted_text(kept[0]) == same:
            return True
    tests = (one for one in scope if isinstance(one, ast.If) and any(write is two for two in _nodes_of(one.body)))
    return any(isinstance(one.test, ast.UnaryOp) and _asks(one.test.operand) for one in tests)


def _nodes_of(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of some statements."""
    for one in body:
        yield from nodes_below(one)


def _asks(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "is_available"


def _is_new(scope: Sequence[ast.AST], owner: str, write: ast.AST, joins: bool) -> bool:
    """Whether the function has made the options itself, and given them to nothing that it keeps, when it writes.

    What only joins a flag may have been given them.
    """
    line = getattr(write, "lineno", 0)
    if not owner:
        return False
    made = [one for one in scope if isinstance(one, (ast.Assign, ast.AnnAssign)) and _binds(one, owner)]
    above = [one for one in made if one.lineno < line]
    last = max(above, key=lambda one: one.lineno, default=None)
    made_by = last.value if last is not None else None
    if made_by is None or not isinstance(made_by, (ast.Call, ast.Dict, ast.DictComp)) or _is_state(made_by):
        if last is not None or not joins:
            return False
    kept = (one for one in scope if isinstance(one, (ast.Assign, ast.AnnAssign, ast.Return, ast.withitem)))
    first = last.lineno if last is not None else 0
    return not any(first < getattr(one, "lineno", line) < line and _keeps(one, owner) for one in kept)


def _binds(statement: ast.Assign | ast.AnnAssign, owner: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return any(dotted_text(one) == owner for target in targets for one in (target, *getattr(target, "elts", ())))


def _keeps(statement: ast.AST, owner: str) -> bool:
    """Whether a statement keeps what something makes of the options: ``model = Model(opt)``."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and _binds(statement, owner):
        return False
    calls = (one for one in nodes_below(statement) if isinstance(one, ast.Call))
    given = (two for one in calls if last_name(one.func) not in _KEEPS_NOTHING for two in arguments(one))
    return any(dotted_text(one) == owner for one in given)


_WRITTEN = (
    rb"(?<!self)\.NAME\b[^\n=]*(?<![!<>=])=(?!=)|[\"']NAME[\"']\s*\]\s*[&|]?=(?!=)"
    rb"|(?:setattr|update)\s*\([^\n]*\bNAME\b|\bsetattr\(|\b__dict__\b|\bvars\("
)
_ANY_NAME = (b"setattr(", b"__dict__", b"vars(")
LATE_WRITES = Search("late writes", lambda attribute: (attribute.encode(), *_ANY_NAME), _late_writes)
