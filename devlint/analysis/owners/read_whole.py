"""Who reads all that an instance has, or asks objects whether they have a ``device``: ``json.dump(vars(agent))``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, root_name, text_of
from devlint.torch_api.device_naming import holds_options
from devlint.torch_api.libraries import TORCH_LOADERS

_ASKING = frozenset({"getattr", "hasattr", "setattr"})
_BY_NAME = frozenset({"get", "pop", "setdefault", "update"})
_LISTING = frozenset({"vars", "dir", "getmembers"})
_OWN = frozenset({"self", "cls"})
_PARSERS = frozenset({"parse_args", "parse_known_args"})


class WholeRead(Record):
    """A place that sees whether an instance has one attribute more."""

    path: str
    owner: str
    """What has the attributes, as it is written."""
    may_be_instance: bool = True
    """Whether it may be an instance of any class; an imported module, or what a parser gives, is none."""


@fact
def may_be_read_whole(ctx: FileContext) -> bool:
    """Whether the project does so with what may be an instance of any class, as far as anybody knows.

    What holds options has no tensors. A class that reads what its own instances have is asked by itself.
    """
    own, project = own_module(ctx), project_around(ctx)
    found = [*(_of_module(own.path, own.tree) if own is not None else ()), *(search(project, READ_WHOLE, "") or ())]
    return any(one.may_be_instance for one in found)


@fact
def is_listed(ctx: FileContext) -> bool:
    """Whether a file reads all names of this one, or of the package it is in: ``models.__dict__``, ``dir(models)``."""
    own, project = own_module(ctx), project_around(ctx)
    called = set(project.path.removesuffix(".py").replace("\\", "/").split("/")[-2:])
    found = [*(search(project, READ_WHOLE, "") or ()), *(search(project, LISTED, "") or ())]
    if any(one.owner.rpartition(".")[2] in called for one in found):
        return True
    return own is not None and any(one.owner == "__name__" for one in _listed_in(own))


def _reads(index: Index, paths: Iterable[str], name: str) -> Iterator[WholeRead]:
    for path in paths:
        module = index.module(path)
        if module is not None:
            yield from dict.fromkeys(_of_module(path, module.tree))


def _listings(index: Index, paths: Iterable[str], name: str) -> Iterator[WholeRead]:
    for path in paths:
        module = index.module(path)
        if module is not None:
            yield from dict.fromkeys(_listed_in(module))


def _listed_in(module: ProjectModule) -> Iterator[WholeRead]:
    """The modules of which a file reads all names, or all functions."""
    nodes = nodes_below(module.tree)
    left_out = {id(one) for node in nodes for one in _only_named(node)}
    owners = [owner for node in nodes if id(node) not in left_out and (owner := _listed(node)) is not None]
    imported = dict(_imported_by_text(nodes)) if owners else {}
    for owner in owners:
        text = _module_by_text(owner) or imported.get(dotted_text(owner))
        dotted = text or module.origin(owner) or dotted_text(owner)
        if dotted and dotted not in _OWN:
            yield WholeRead(module.path, dotted)


def _imported_by_text(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """The variables that are a module that is imported by its name, and that name."""
    for node in nodes:
        text = _module_by_text(node.value) if isinstance(node, ast.Assign) else None
        for target in node.targets if isinstance(node, ast.Assign) and text else ():
            yield dotted_text(target), text or ""


def _module_by_text(node: ast.expr) -> str | None:
    """The name of a module that is imported by it, or looked up: ``sys.modules[__name__]``."""
    if isinstance(node, ast.Subscript):
        named = last_name(node.value) == "modules"
        return text_of(node.slice) or dotted_text(node.slice) if named else None
    is_import = isinstance(node, ast.Call) and last_name(node.func) in ("import_module", "__import__")
    return text_of(node.args[0]) if isinstance(node, ast.Call) and is_import and node.args else None


def _listed(node: ast.AST) -> ast.expr | None:
    """What all names are read of: ``dir(models)``, ``inspect.getmembers(models)``; of not only its classes."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    called = last_name(node.func) if isinstance(node, ast.Call) and node.args else ""
    if not isinstance(node, ast.Call) or called not in _LISTING:
        return None
    return node.args[0] if [last_name(one) for one in node.args[1:]] != ["isclass"] else None


def _of_module(path: str, tree: ast.Module) -> Iterator[WholeRead]:
    nodes = nodes_below(tree)
    left_out = {id(one) for node in nodes for one in (*_only_named(node), *_compared(node))}
    owners = [owner for node in nodes if id(node) not in left_out and (owner := _owner(node)) is not None]
    modules = _modules(nodes) if owners else frozenset()
    for owner in owners:
        dotted = dotted_text(owner)
        if dotted not in _OWN and not holds_options(dotted.rpartition(".")[2]):
            yield WholeRead(path, dotted, not _is_parsed(owner) and root_name(owner) not in modules)


def _modules(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names that are modules, or come from a library that knows no class of the project, and nothing else."""
    bound: set[str] = set()
    others: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            bound.update(one.asname or one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            is_foreign = not node.level and (node.module or "").partition(".")[0] in TORCH_LOADERS
            (bound if is_foreign else others).update(one.asname or one.name for one in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
        elif isinstance(node, ast.arg):
            others.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            others.add(node.name)
    return frozenset(bound - others)


def _is_parsed(owner: ast.expr) -> bool:
    """Whether something is what a parser of options gives: ``vars(parser.parse_args())``."""
    owner = owner.value if isinstance(owner, ast.Subscript) else owner
    return isinstance(owner, ast.Call) and last_name(owner.func) in _PARSERS


def _compared(node: ast.AST) -> Iterator[ast.expr]:
    """All that another instance has, which a class compares with its own: ``self.__dict__ == other.__dict__``."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)) and len(node.ops) == 1:
        sides = [node.left, node.comparators[0]]
        owners = [owner for one in sides if (owner := _owner(one)) is not None]
        if len(owners) == len(sides) and any(dotted_text(one) == "self" for one in owners):
            yield from sides


def _owner(node: ast.AST) -> ast.expr | None:
    """What is asked for a ``device``, or read whole."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    if not isinstance(node, ast.Call) or not node.args:
        return None
    called, given = last_name(node.func), node.args[1:2]
    asks = called in _ASKING and bool(given) and getattr(given[0], "value", None) == "device"
    return node.args[0] if asks or called == "vars" else None


def _only_named(node: ast.AST) -> Iterator[ast.expr]:
    """All that an instance has, where only an entry with a name is asked for, or entries get values."""
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr in _BY_NAME):
        yield node.value
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        yield from node.comparators


READ_WHOLE = Search("read whole", lambda name: (b"'device'", b'"device"', b"__dict__", b"vars("), _reads)
LISTED = Search("names listed", lambda name: (b"__dict__", b"vars(", b"dir(", b"getmembers("), _listings)
