"""Who reads all that an instance has, or asks objects whether they have a ``device``: ``json.dump(vars(agent))``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.project import Index
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.torch_api.device_naming import holds_options

_ASKING = frozenset({"getattr", "hasattr", "setattr"})
_BY_NAME = frozenset({"get", "pop", "setdefault", "update"})
_OWN = frozenset({"self", "cls"})


class WholeRead(Record):
    """A place that sees whether an instance has one attribute more."""

    path: str
    owner: str
    """What has the attributes, as it is written."""


@fact
def may_be_read_whole(ctx: FileContext) -> bool:
    """Whether the project does so with what may be an instance of any class, as far as anybody knows.

    What holds options has no tensors. A class that reads what its own instances have is asked by itself.
    """
    own, project = own_module(ctx), project_around(ctx)
    return (own is not None and any(True for _ in _of_module(own.tree))) or bool(search(project, READ_WHOLE, ""))


@fact
def is_listed(ctx: FileContext) -> bool:
    """Whether another file reads all names of this one, or of the package it is in: ``models.__dict__``."""
    project = project_around(ctx)
    called = set(project.path.removesuffix(".py").replace("\\", "/").split("/")[-2:])
    return any(one.owner.rpartition(".")[2] in called for one in search(project, READ_WHOLE, "") or ())


def _reads(index: Index, paths: Iterable[str], name: str) -> Iterator[WholeRead]:
    for path in paths:
        module = index.module(path)
        if module is not None:
            yield from (WholeRead(path, owner) for owner in dict.fromkeys(_of_module(module.tree)))


def _of_module(tree: ast.Module) -> Iterator[str]:
    named = {id(one) for node in nodes_below(tree) for one in _only_named(node)}
    for node in nodes_below(tree):
        owner = None if id(node) in named else _owner(node)
        dotted = dotted_text(owner) if owner is not None else ""
        if owner is not None and dotted not in _OWN and not holds_options(dotted.rpartition(".")[2]):
            yield dotted


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
