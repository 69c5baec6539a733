"""The files that are no Python but set environment variables: which they are, and what a comment is in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

from devlint.comments import Comment
from devlint.diagnostic import Location
from devlint.source import Source
from devlint.variable_names import Syntax

RULE = "DEV301"
"""The one rule that looks at these files."""


@dataclass(frozen=True)
class TextKind:
    """One kind of text."""

    name: str
    syntax: Syntax = Syntax.SHELL
    marks: tuple[str, ...] = ("#",)
    """What a comment begins with; one of HTML ends with its own line."""


_SHELL = TextKind("shell")
_DOCKER = TextKind("Dockerfile")
_MAKE = TextKind("Makefile", Syntax.ASSIGNMENTS)
_ENV = TextKind("environment file", Syntax.ASSIGNMENTS)
_BLOCKS = TextKind("YAML or TOML", Syntax.BLOCKS)
_INI = TextKind("configuration file", Syntax.BLOCKS, ("#", ";"))
_BATCH = TextKind("batch file", Syntax.SHELL, ("::", "rem ", "REM ", "Rem "))
_MARKDOWN = TextKind("Markdown", Syntax.PROSE, ("<!--", "#"))
_RST = TextKind("reStructuredText", Syntax.PROSE, (".. ", "#"))

_BY_SUFFIX = {
    **dict.fromkeys("sh bash zsh ksh fish csh tcsh sbatch slurm pbs lsf ps1".split(), _SHELL),
    **dict.fromkeys("bat cmd".split(), _BATCH),
    **dict.fromkeys("dockerfile containerfile".split(), _DOCKER),
    **dict.fromkeys("mk mak make just".split(), _MAKE),
    **dict.fromkeys("env envrc flaskenv".split(), _ENV),
    **dict.fromkeys("yml yaml toml".split(), _BLOCKS),
    **dict.fromkeys("ini cfg service".split(), _INI),
    **dict.fromkeys("md markdown".split(), _MARKDOWN),
    "rst": _RST,
}
_BY_NAME = {
    **dict.fromkeys("dockerfile containerfile".split(), _DOCKER),
    **dict.fromkeys("makefile gnumakefile justfile .justfile".split(), _MAKE),
    ".env": _ENV,
}
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


def kind_of(path: str) -> Optional[TextKind]:
    """The kind of a file, by its name: ``run.sh``, ``Dockerfile``, ``Dockerfile.gpu``, ``.env.local``; else None."""
    name = os.path.basename(path).lower()
    stem, dot, suffix = name.rpartition(".")
    if dot and suffix in _BY_SUFFIX and (stem or suffix in ("env", "envrc", "flaskenv")):
        return _BY_SUFFIX[suffix]
    first = name[: name.find(".", 1)] if "." in name[1:] else name
    return _BY_NAME.get(first) if first == name or suffix not in ("py", "pyi", "ipynb") else None


def comments_in(source: Source, kind: TextKind, hint: re.Pattern[str]) -> Iterator[Comment]:
    """The comments of a text in which ``hint`` is found, as if all began with ``#``; for their line and the next.

    A comment that has its line to itself speaks for what stands below it: a line, with those joined to it by
    backslashes, or a block of code.
    """
    last = 0
    for found in hint.finditer(source.text):
        row = source.location(found.start()).row
        line = source.line(row)
        at = min((line.find(mark) for mark in kind.marks if mark in line), default=-1)
        if row == last or at < 0:
            continue
        last = row
        alone = not line[:at].strip(" \t*-")
        text = line[at:].replace("-->", "   ")
        for mark in kind.marks:
            text = text.replace(mark, "#".ljust(len(mark)))
        end = _end(source, row + 1) if alone else row + 1
        yield Comment(source.offset(Location(row, at + 1)), text, range(row, end), alone=False)


def _end(source: Source, row: int) -> int:
    """The row below what begins at ``row``."""
    fence = _FENCE.match(source.line(row))
    if fence is not None:
        for other in range(row + 1, source.row_count + 1):
            if source.line(other).strip().startswith(fence[1]):
                return other + 1
        return source.row_count + 1
    while source.line(row).endswith(("\\", "^")) and row < source.row_count:
        row += 1
    return row + 1
