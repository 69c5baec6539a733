"""The files that are no Python but set environment variables, or name devices, by their names."""

from __future__ import annotations

import os

from devlint.core.record import NamedValue, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

RULE, DEVICE_RULE = "DEV301", "DEV109"
RULES = frozenset({RULE, DEVICE_RULE})
"""The rules that look at these files; only the second at data."""


class Syntax(NamedValue):
    """How a text sets environment variables, beside what all of them share with the shell."""

    SHELL: ClassVar[Syntax]
    """``NAME=0 command``, ``export NAME``, ``$NAME``."""
    ASSIGNMENTS: ClassVar[Syntax]
    """``NAME = 0`` at the start of a line."""
    BLOCKS: ClassVar[Syntax]
    """``NAME: 0`` or ``NAME = 0`` in a block called env."""
    PROSE: ClassVar[Syntax]
    """The name as code: between grave accents."""
    DATA: ClassVar[Syntax]
    """Not at all: only devices are looked for."""


class TextKind(Record):
    """One kind of text."""

    name: str
    syntax: Syntax = Syntax.SHELL
    node_ids: tuple[str, ...] = ("#",)
    """What a comment begins with; one of HTML ends with its own line."""

    @property
    def rules(self) -> frozenset[str]:
        """The rules that look at texts of this kind."""
        return frozenset({DEVICE_RULE}) if self.syntax is Syntax.DATA else RULES


_SHELL = TextKind("shell")
_DOCKER = TextKind("Dockerfile")
_MAKE = TextKind("Makefile", Syntax.ASSIGNMENTS)
_ENV = TextKind("environment file", Syntax.ASSIGNMENTS)
_BLOCKS = TextKind("YAML or TOML", Syntax.BLOCKS)
_INI = TextKind("configuration file", Syntax.BLOCKS, ("#", ";"))
_BATCH = TextKind("batch file", Syntax.SHELL, ("::", "rem ", "REM ", "Rem "))
_JSON = TextKind("JSON", Syntax.DATA, ())
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
    "json": _JSON,
    "rst": _RST,
}
_BY_NAME = {
    **dict.fromkeys("dockerfile containerfile".split(), _DOCKER),
    **dict.fromkeys("makefile gnumakefile justfile .justfile".split(), _MAKE),
    ".env": _ENV,
}


def kind_of(path: str) -> TextKind | None:
    """The kind of a file, by its name: ``run.sh``, ``Dockerfile``, ``Dockerfile.gpu``, ``.env.local``; else None."""
    name = os.path.basename(path).lower()
    stem, dot, suffix = name.rpartition(".")
    if dot and suffix in _BY_SUFFIX and (stem or suffix in ("env", "envrc", "flaskenv")):
        return _BY_SUFFIX[suffix]
    first = name[: name.find(".", 1)] if "." in name[1:] else name
    return _BY_NAME.get(first) if first == name or suffix not in ("py", "pyi", "ipynb") else None
