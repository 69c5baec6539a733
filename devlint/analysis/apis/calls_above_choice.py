"""Calls of a file's functions and classes that stand above where another file chooses the visible GPUs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.choosers.card_choosers import CHOICE, VISIBLE_DEVICES, card_choosers_elsewhere, writes_variable
from devlint.analysis.project.calls import calls_in
from devlint.analysis.project.mentions import IMPORTERS
from devlint.analysis.project.module import Function, ProjectModule
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.syntax.python_tree.run_order import is_of_function, may_have_run


class EarlyCall(Record):
    """A name that a file calls, or hands on, above a line where it chooses the visible GPUs."""

    path: str
    owner: str
    """The file that defines what is called; empty where that is not known."""
    is_sure: bool
    """Whether the one certainly comes before the other; else the functions of both are called by other files."""


def is_called_above_choice(project: Project, function: str, choosers: Iterable[str]) -> bool:
    """Whether another file calls a function or class of this one above a line where it chooses the visible GPUs.

    ``choosers`` are functions of this file that choose them.
    """
    elsewhere = card_choosers_elsewhere(project)
    names = {one.name for one in elsewhere if one.name} | set(choosers)
    if not elsewhere and not names:
        return False
    found = search(project, EARLY_CALLS, " ".join((function, *sorted(names)))) or ()
    return any(
        one.owner in ("", project.path) and (one.is_sure or search(project, IMPORTERS, one.path) != []) for one in found
    )


def _early_calls(index: Index, paths: Iterable[str], name: str) -> Iterator[EarlyCall]:
    function, *choosers = name.split()
    words = regex(rb"%s|%s" % (CHOICE.pattern, b"|".join(rf"\b{one}\(".encode() for one in choosers) or b"$^"))
    for path, module in index.matching(paths, words):
        known = module.fact(_Choices)
        for site in {one.called: one for one in calls_in(module, function)}.values():
            kinds = {_chooses_after(module, line, frozenset(choosers)) for line in known.lines_of(site.called)}
            if not kinds - {None}:
                continue
            found = index.resolve(module, site.called) if site.is_bound else None
            yield EarlyCall(path, found.module.path if found is not None else "", True in kinds)


class _Choices:
    """What a file defines, calls and names, and where it chooses the visible GPUs itself."""

    def __init__(self, tree: ast.Module) -> None:
        self.definitions: dict[str, Function | ast.ClassDef] = {}
        self.functions: list[Function] = []
        self.calls: dict[str, list[ast.Call]] = {}
        self.writes: list[ast.stmt | ast.Call] = []
        self._named: dict[str, list[int]] = {}
        for node in nodes_below(tree):
            if isinstance(node, Function | ast.ClassDef):
                self.definitions[node.name] = node
            if isinstance(node, Function):
                self.functions.append(node)
            elif isinstance(node, ast.Call):
                self.calls.setdefault(last_name(node.func), []).append(node)
            elif isinstance(node, (ast.Name, ast.Attribute)):
                self._named.setdefault(dotted_text(node), []).append(node.lineno)
            if isinstance(node, (ast.stmt, ast.Call)) and writes_variable(node, VISIBLE_DEVICES):
                self.writes.append(node)

    def lines_of(self, dotted: str) -> list[int]:
        """The lines that name something."""
        return self._named.get(dotted, [])


def _chooses_after(module: ProjectModule, line: int, names: frozenset[str]) -> bool | None:
    """Whether a file certainly chooses the visible GPUs after a line, or calls a function that does; None if never.

    A line of a function comes first only where what runs above the choice leads to the function. Where the choice is in
    one as well, other files may call the two in any order. The function around the line is not meant.
    """
    known = module.fact(_Choices)
    around = {one.name for one in known.functions if one.lineno <= line <= (one.end_lineno or 0)}
    calls = [one for name in sorted(names - around) for one in known.calls.get(name, ()) if one.lineno > line]
    own = [known.definitions[name] for name in {last_name(one.func) for one in calls} if name in known.definitions]
    choices: list[ast.stmt | ast.Call] = [
        one
        for one in known.writes
        if one.lineno > line or any(node.lineno <= one.lineno <= (node.end_lineno or 0) for node in own)
    ]
    choices += [one for one in calls if last_name(one.func) not in known.definitions]
    if any(may_have_run(module.tree, line, one) for one in choices):
        return True
    return False if any(is_of_function(module.tree, one.lineno) for one in choices) else None


EARLY_CALLS = Search("early calls", lambda name: (name.partition(" ")[0].encode(),), _early_calls)
