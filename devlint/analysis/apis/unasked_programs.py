"""Projects that give torch's answer to no flag: ``args.cuda = args.cuda and torch.cuda.is_available()``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.mentions import Holder, files_holding
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import last_name, nodes_below, root_name, text_of
from devlint.torch_api.cuda_naming import polarity

_QUESTION = "is_available"
_ELSEWHERE = frozenset({"dist", "distributed"})
"""What else of torch has a question of this name."""
_RUNS = regex(rb"__main__|\.add_argument\(")
_LEAVES = (ast.Raise, ast.Return)


def is_program_that_never_asks(project: Project, own: ProjectModule | None, text: str) -> bool:
    """Whether a file of a project is run, or reads options, and none gives a flag torch's answer.

    A library's flags are its callers' business; what asks torch only to choose a device tells no flag.
    """
    if own is None or _gives_answer(own.tree) or search(project, ASKERS, "") != []:
        return False
    return _RUNS.search(text.encode()) is not None or bool(search(project, PROGRAMS, ""))


def _gives_answer(tree: ast.Module) -> bool:
    """Whether a file assigns, returns or hands on what torch says of CUDA, or sets a flag or stops by it."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.IfExp) and _asks(node.test) and not any(map(_is_answer, (node.body, node.orelse))):
            waiting += [node.body, node.orelse]
        elif isinstance(node, (ast.If, ast.While)) and _asks(node.test):
            if any(map(_tells, (*node.body, *node.orelse))):
                return True
            waiting += [*node.body, *node.orelse]
        elif _is_question(node):
            return True
        elif not (isinstance(node, ast.keyword) and node.arg == "enabled"):
            waiting += ast.iter_child_nodes(node)
    return False


def _asks(test: ast.expr) -> bool:
    return any(map(_is_question, nodes_below(test)))


def _is_question(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or last_name(node.func) != _QUESTION:
        return False
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    return owner is None or _ELSEWHERE.isdisjoint({last_name(owner), root_name(owner)})


def _is_answer(value: ast.expr) -> bool:
    """Whether a value is True or False."""
    return isinstance(value, ast.Constant) and isinstance(value.value, bool)


def _tells(statement: ast.stmt) -> bool:
    """Whether a statement gives a flag a value, or leaves, as what asks whether there is CUDA does for the others."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        name = text_of(target.slice) or "" if isinstance(target, ast.Subscript) else last_name(target)
        return _is_answer(statement.value) or polarity(name) is not None
    call = statement.value if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    return isinstance(statement, _LEAVES) or (call is not None and last_name(call.func) in ("exit", "quit"))


def _askers(index: Index, paths: Iterable[str], _: str) -> Iterator[Holder]:
    """The first two files that give torch's answer to a flag: one may be the file that asks."""
    found = 0
    for path in paths:
        module = index.module(path) if found < 2 else None
        if module is not None and _gives_answer(module.tree):
            found += 1
            yield Holder(path)


def _programs(index: Index, paths: Iterable[str], _: str) -> Iterator[Holder]:
    return files_holding(_RUNS, index, paths)


ASKERS = Search("askers", lambda _: (_QUESTION.encode(),), _askers)
PROGRAMS = Search("programs", lambda _: (b"__main__", b".add_argument("), _programs)
