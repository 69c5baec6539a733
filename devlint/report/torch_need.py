"""The oldest torch that the code needs, as it is and after fixes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import ProjectModule
from devlint.config.finder import ConfigFinder
from devlint.core.characters import without_controls
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.core.target import DEFAULT_TORCH_MIN_VERSION
from devlint.engine.runner import Runner
from devlint.report.model import TorchNeed, TorchReason
from devlint.torch_api.accelerator_api import KEYWORDS_SINCE
from devlint.torch_api.first_releases import FIRST_RELEASES

_MOST_PLACES = 3
_RULE = "DEV705"
"""Finds what of ``torch.accelerator`` is too new, where nothing asks whether it is there."""
ACCELERATOR = "accelerator"
_ELSEWHERE = {name for name in FIRST_RELEASES if not name.startswith(f"torch.{ACCELERATOR}.")}
_WORDS = regex(rf"\b(?:{'|'.join(sorted(name.rpartition('.')[2] for name in _ELSEWHERE))})\b")
_DOTTED = regex(r"(?<![\w.])(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*")
_ASKS = regex(r"attr\(|version|TORCH_")
_KEYWORDS = {f"{keyword}=": since for keyword, since in KEYWORDS_SINCE.values()}


class TorchName(Record, order=True):
    """A name that is not in every torch, where it stands."""

    name: str
    path: str
    row: int
    by_fix: bool = False

    @property
    def version(self) -> tuple[int, int]:
        """The first release that has it."""
        return _KEYWORDS.get(self.name) or FIRST_RELEASES[self.name]


def may_hold_names(text: str) -> bool:
    """Whether a program may hold names outside of ``torch.accelerator`` that are not in every torch."""
    return _WORDS.search(text) is not None


def names_in_program(path: str, tree: ast.Module) -> Iterator[TorchName]:
    """Names outside of ``torch.accelerator``, but where the program asks whether they are there."""
    module = ProjectModule(path, tree)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Try) or (
            isinstance(node, (ast.If, ast.IfExp)) and _ASKS.search(ast.unparse(node.test)) is not None
        ):
            continue
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if f"{node.module}.{alias.name}" in _ELSEWHERE:
                    yield TorchName(f"{node.module}.{alias.name}", path, node.lineno)
        elif isinstance(node, ast.Attribute) and module.origin(node) in _ELSEWHERE:
            yield TorchName(module.origin(node), path, node.lineno)
        waiting += ast.iter_child_nodes(node)


def names_in_fix(path: str, row: int, texts: Iterable[str]) -> Iterator[TorchName]:
    """The names that the edits of a fix write, whatever torch is called there."""
    for text in texts:
        for dotted in _DOTTED.findall(text):
            rest = dotted.partition(".")[2]
            name = f"torch.{rest}" if f"torch.{rest}" in FIRST_RELEASES else dotted
            if name in FIRST_RELEASES:
                yield TorchName(name, path, row, True)


def accelerator_names(paths: Iterable[str]) -> Iterator[TorchName]:
    """What DEV705 finds in files where 2.0 is to be supported: names of ``torch.accelerator`` that nothing asks for."""
    oldest = ".".join(map(str, DEFAULT_TORCH_MIN_VERSION))
    finder = ConfigFinder({"select": [_RULE], "torch-min-version": oldest}, isolated=True)
    for report in Runner(finder).run(paths):
        for one in report.diagnostics:
            name = one.message.split("`")[1]
            if one.code == _RULE and (name in FIRST_RELEASES or name in _KEYWORDS):
                yield TorchName(name, without_controls(report.path), one.location.row)


def torch_need(names: Iterable[TorchName], required: str) -> TorchNeed:
    """The oldest torch that has all names, and why."""
    found = sorted(set(names))
    reasons = []
    for name in dict.fromkeys(one.name for one in found):
        uses = [one for one in found if one.name == name]
        now = [one for one in uses if not one.by_fix]
        shown = now or uses
        places = tuple((one.path, one.row) for one in shown[:_MOST_PLACES])
        reasons.append(TorchReason(uses[0].version, name, places, len(shown), not now))
    reasons.sort(key=lambda one: ((-one.version[0], -one.version[1]), one.name))
    oldest = DEFAULT_TORCH_MIN_VERSION
    now_need = max((one.version for one in reasons if not one.by_fixes), default=oldest)
    fixed = max((one.version for one in reasons), default=oldest)
    return TorchNeed(max(now_need, oldest), max(fixed, oldest), required, tuple(reasons))
