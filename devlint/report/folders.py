"""Folders: their counts, and the tree of a picture of them."""

from __future__ import annotations

import os

from devlint.report.model import ReportedFile, ReportedFolder
from devlint.report.tally import Portability, total
from devlint.report.treemap import TreeNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from devlint.report.tally import Tally

    Files = Sequence[ReportedFile]


def named_below(files: Files) -> list[ReportedFile]:
    """The files, each named from the deepest folder that holds all of them."""
    parents = {os.path.dirname(os.path.abspath(one.path)) for one in files}
    try:
        top = os.path.commonpath(parents) if parents else ""
    except ValueError:  # on several drives
        top = ""
    return [one.replace(name=_below(os.path.abspath(one.path), top)) for one in files]


def _below(path: str, top: str) -> str:
    return (os.path.relpath(path, top) if top else path).replace(os.sep, "/")


def folders_of(files: Files) -> tuple[ReportedFolder, ...]:
    """Every folder with all below it, parents first; the first is the one that holds all."""
    inside: dict[str, list[Tally]] = {"": []}
    for file in files:
        tally = file.tally
        inside[""].append(tally)
        for at, character in enumerate(file.name):
            if character == "/":
                inside.setdefault(file.name[: at + 1], []).append(tally)
    return tuple(ReportedFolder(name, total(tallies)) for name, tallies in sorted(inside.items()))


def tree_of(files: Files) -> TreeNode:
    """The files as a tree, each as large as it has lines; folders with one folder in them are one with it."""
    return _folder("", "", [one for one in files if one.lines])


def _folder(name: str, key: str, files: Files) -> TreeNode:
    """A folder; ``key`` is its full name with a slash at the end, or empty."""
    leaves: list[TreeNode] = []
    inside: dict[str, list[ReportedFile]] = {}
    for file in files:
        first, slash, _ = file.name[len(key) :].partition("/")
        if slash:
            inside.setdefault(first, []).append(file)
        else:
            leaves.append(TreeNode(first, file.lines, file.portability.value, file.name, file_label(file)))
    if len(inside) == 1 and not leaves:
        ((only, below),) = inside.items()
        return _folder(f"{name}/{only}" if name else only, f"{key}{only}/", below)
    folders = [_folder(one, f"{key}{one}/", below) for one, below in inside.items()]
    weight = sum(one.lines for one in files)
    label = f"{key or 'All files'}: {weight:,} lines in {len(files):,} file{'' if len(files) == 1 else 's'}"
    return TreeNode(name, weight, "folder", key, label, (*folders, *leaves))


def file_label(file: ReportedFile) -> str:
    """What is said of a file in one line."""
    found = len(file.findings)
    said = f"{file.name}: {file.portability.label.lower()}; {file.lines:,} lines, {found} finding{'s' * (found != 1)}"
    hard = sum(not one.is_optional for one in file.blockers)
    return f"{said}, {hard} blocker{'s' * (hard != 1)}" if hard else said


def worst_first(kind: Portability) -> int:
    """The order of files in lists: what needs most work first."""
    order = (Portability.BLOCKED, Portability.HAND, Portability.UNKNOWN, Portability.UNSAFE, Portability.SAFE)
    return order.index(kind) if kind in order else len(order)
