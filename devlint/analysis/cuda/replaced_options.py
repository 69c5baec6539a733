"""Options that other files read only where there is CUDA, or give up before they use them."""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.program_options import program_option
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import MENTIONS
from devlint.analysis.project.searches import search
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import last_name, nodes_below
from devlint.torch_api.device_naming import holds_options


@fact_of
def is_given_up_elsewhere(ctx: FileContext, call: cst.Call) -> bool:
    """Whether other files read an option, and each chooses the CPU in its place where torch says that there is no CUDA.

    ``torch.device(args.device if torch.cuda.is_available() else "cpu")``, or another value is given to ``args.device``.
    """
    option = program_option(call)
    name = option.destination if option is not None and option.of_parser else None
    if name is None:
        return False
    project = project_around(ctx)
    modules = (project.index.module(one.path) for one in search(project, MENTIONS, name) or ())
    found = [one for module in modules if module is not None for one in _uses(module.tree, name)]
    return bool(found) and all(found)


def _uses(tree: ast.Module, destination: str) -> Iterator[bool]:
    """For each place that reads an option whether a question to torch decides there; true for one that replaces it."""
    below = nodes_below(tree)
    chosen = {id(one) for node in below if _asks(node) for one in nodes_below(node)}
    replaced = [one for node in below if isinstance(node, ast.Assign) for one in _replaced(node, destination)]
    yield from (True for _ in replaced)
    yield from (id(one) in chosen or bool(replaced) for one in below if _is_option(one, destination, ast.Load))


def _asks(node: ast.AST) -> bool:
    """Whether a choice is made by what ``is_available()`` says."""
    test = node.test if isinstance(node, (ast.If, ast.IfExp)) else None
    return test is not None and any(last_name(one) == "is_available" for one in nodes_below(test))


def _replaced(statement: ast.Assign, destination: str) -> Iterator[ast.AST]:
    """The option that a statement gives a value that is not made of it."""
    if not any(_is_option(one, destination, ast.Load) for one in nodes_below(statement.value)):
        yield from (one for one in statement.targets if _is_option(one, destination, ast.Store))


def _is_option(node: ast.AST, destination: str, how: type[ast.expr_context]) -> bool:
    """Whether a node reads, or gives a value to, ``args.device``."""
    is_named = isinstance(node, ast.Attribute) and node.attr == destination and isinstance(node.ctx, how)
    return is_named and holds_options(last_name(node.value)) if isinstance(node, ast.Attribute) else False
