"""Bodies of a method of a module, and what the analysis says of them: ``known_values/*.txt``."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "known_values"
_HEAD = (_FOLDER / "head.py.txt").read_text()
"""A module up to the first lines of its ``forward``; the cases go on there."""


def cases(name: str, begin: str = "") -> list[tuple[str, str]]:
    """The bodies and what is said of them: lines ``code -> words``, or blocks of lines before such an arrow.

    A single line stands after ``begin``.
    """
    found = []
    for block in (_FOLDER / f"{name}.txt").read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("# ")]
        if lines and lines[-1].startswith("-> "):
            found.append(("\n".join(lines[:-1]), lines[-1][3:]))
        else:
            found += [(begin + code, words) for code, _, words in (line.rpartition("  -> ") for line in lines)]
    return found


def program_with(body: str) -> str:
    """The program whose ``forward`` goes on like this."""
    return _HEAD + "".join(f"        {line}\n" for line in body.splitlines())
