"""The lines of rewritten files, as people know them who have only seen the original ones."""

from __future__ import annotations

import os

from devlint.core.line_matches import LineMatcher
from devlint.verify.program import Program


def told_row(program: Program, path: str, row: int) -> str:
    """A line of a file of a program by its number in the original file, if the program is a rewritten copy."""
    texts = _texts(program, path)
    original = row if texts is None else original_row(*texts, row)
    return f"{row} as rewritten" if original is None else str(original)


def _texts(program: Program, path: str) -> tuple[list[bytes], list[bytes]] | None:
    """The lines of a file in the original project and in the copy of it; None where there is no such pair."""
    copy, original = program.project, program.original_project
    if copy is None or original is None or copy == original:
        return None
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(copy))
    if name.startswith(os.pardir):
        return None
    try:
        with open(os.path.join(original, name), "rb") as before, open(path, "rb") as after:
            return before.read().splitlines(), after.read().splitlines()
    except OSError:
        return None


def original_row(before: list[bytes], after: list[bytes], row: int) -> int | None:
    """Which line of the one text became this line of the other; None where it was added."""
    for tag, old_start, old_end, new_start, new_end in LineMatcher(before, after, autojunk=False).get_opcodes():
        if new_start < row <= new_end:
            if tag == "equal":
                return old_start + row - new_start
            from_end = old_end - (new_end - row)  # what is added stands above what it is used in
            return from_end if from_end > old_start else None
    return row
