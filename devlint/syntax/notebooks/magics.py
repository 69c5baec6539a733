"""What IPython takes and Python does not: ``!`` and ``%`` lines, ``%%`` cells, ``name?``; and what can stand for it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection

from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.environment_mentions import mentions

_CELL_MAGIC = regex(r"(?:[ \t]*(?:\r\n|\r|\n))*%%(?P<name>[^\s%]\S*)")
_RUNS_ITS_CELL = frozenset("time timeit capture prun debug memit mprun lprun".split())
_NO_PYTHON = frozenset(
    "bash sh script cmd html HTML javascript js latex markdown svg SVG writefile file perl ruby R sql cython "
    "writetemplate bigquery".split()
)
_AUTOMAGIC = regex(r"\s*(?:pip3?|conda|cd|ls|pwd|cat|mkdir|cp|mv|rm|matplotlib|load_ext)(?:[ \t]+[^\s=(.,][^\n]*)?\s*")
_DIRECTIVE = regex(
    r"\s*(?P<lines>\#(?:[|@]|[ \t]*(?:export\w*|hide\w*|collapse\w*|default_exp|all_\w+|default)\b)[^\r\n]*"
    r"(?:(?:\r\n|\r|\n)\#[|@][^\r\n]*)*)"
)
"""Comments at the top of a cell that tell nbdev, Quarto or Colab what to do with it."""
_ESCAPED = regex(r"[ \t]*[!%?,;/]")
_ASSIGNED = regex(r"[ \t]*(?P<targets>(?:[\w.,* \t]|\[[^\]\r\n]*\])*[\w\])])[ \t]*=[ \t]*(?:![^=]|%[ \t]*[A-Za-z])")
_TIMED = regex(r"[ \t]*%time[ \t]+(?P<targets>[^\W\d]\w*(?:[ \t]*,[ \t]*[^\W\d]\w*)*)[ \t]*=(?!=)")
_REST_OF_COMMAND = regex(r"(?:[^\r\n]*\\[ \t]*(?:\r\n|\r|\n))*[^\r\n]*")
_TOKEN = regex(
    r"""(?P<comment>\#[^\r\n]*)
    |(?P<string>\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)
        |"(?:[^"\\\r\n]|\\(?:\r\n|.))*"|'(?:[^'\\\r\n]|\\(?:\r\n|.))*')
    |(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<joined>\\(?:\r\n|\r|\n))|(?P<newline>\r\n|\r|\n)|(?P<help>\?)""",
    re.VERBOSE | re.DOTALL,
)
_NAME = regex(r"(?<![\w.%])[^\W\d]\w*")
_SHELL_NAME = regex(r"\{([^{}]*)\}|\$\{?([^\W\d]\w*)")
_CALL = "get_ipython"
COMMENT = "#!"
"""Stands for a comment; no fix puts anything between such a line and what is below it."""


class Magic(Record):
    """A command that is no Python, to IPython or of another tool: whole lines, without the last line's ending."""

    start: int
    end: int
    stand_in: str
    """A Python statement, indented as the command, that binds what it binds and uses what it may use; or a comment."""


def cell_magic(source: str) -> str | None:
    """The name of the ``%%magic`` that a cell begins with."""
    found = _CELL_MAGIC.match(source)
    return found["name"] if found else None


def has_heading(source: str) -> bool:
    """Whether a cell begins with what must stay its first line: a ``%%magic``, or a comment such as ``#| export``."""
    return cell_magic(source) is not None or _DIRECTIVE.match(source) is not None


def is_python_cell(source: str) -> bool:
    """Whether the lines of a cell, a first ``%%`` line apart, are Python of the same program."""
    name = cell_magic(source)
    if name is not None:
        return name in _RUNS_ITS_CELL
    return _AUTOMAGIC.fullmatch(source) is None


def names_in(source: str, known: Collection[str]) -> list[str]:
    """The names of ``known`` that text may use, as what the program must keep; none in another language's cell."""
    if cell_magic(source) in _NO_PYTHON:
        return []
    found = dict.fromkeys(_NAME.findall(source))
    return [name for name in found if name in known and not keyword.iskeyword(name)]


def stand_in(command: str, names: Collection[str]) -> str:
    """A statement that IPython alone could explain, for text that is no Python."""
    if "VISIBLE_DEVICE" in command or any(one.correct_name == "CUDA_VISIBLE_DEVICES" for one in mentions(command)):
        return f'{_CALL}.environ("CUDA_VISIBLE_DEVICES")'
    return f"{_CALL}({', '.join(names)})"


def magics(source: str, known: Collection[str] = ()) -> list[Magic]:
    """The commands in a cell of Python; ``known`` are the names whose use in one is of interest."""
    found: list[Magic] = []
    first = cell_magic(source)
    at = 0
    directive = _DIRECTIVE.match(source)
    if directive is not None:
        found.append(Magic(directive.start("lines"), directive.end(), COMMENT))
        at = _after_newline(source, directive.end())
    while at < len(source):
        command = _ESCAPED.match(source, at) or _ASSIGNED.match(source, at)
        if command is not None or (first is not None and not found):
            end = _end_of_command(source, at, first is not None and not found)
            at, start = end, at
        else:
            start, (at, asks) = at, _end_of_line(source, at)
            if not asks:
                continue
            end = len(source[:at].rstrip("\r\n"))
        if source[start:end].strip():
            found.append(Magic(start, end, _stands_for(source[start:end], known)))
        at = _after_newline(source, end)
    return found


def _end_of_command(source: str, at: int, first: bool) -> int:
    """Where a command ends: with its line, or the last line joined to it; ``%%`` may stand below empty lines."""
    opening = _CELL_MAGIC.match(source) if first else None
    rest = _REST_OF_COMMAND.match(source, opening.end() if opening else at)
    assert rest is not None
    return rest.end()


def _after_newline(source: str, at: int) -> int:
    return at + (2 if source.startswith("\r\n", at) else 1)


def _end_of_line(source: str, at: int) -> tuple[int, bool]:
    """Where the logical line that begins at ``at`` ends, and whether it asks for help: ``name?``."""
    depth, asked = 0, len(source)
    for token in _TOKEN.finditer(source, at):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "help" and depth == 0:
            asked = token.end()
        elif kind == "newline" and depth == 0:
            return token.end(), asked <= token.start() and not source[asked : token.start()].strip()
    return len(source), source[at:asked].endswith("?") and not source[asked:].strip()


def _stands_for(command: str, known: Collection[str]) -> str:
    """The stand-in of one command, at its own indentation."""
    indent = command[: len(command) - len(command.lstrip(" \t"))]
    escape = command.lstrip()[:1]
    if escape == "!":
        inserted = " ".join(one or other for one, other in _SHELL_NAME.findall(command))
        return indent + stand_in(command, names_in(inserted, known))
    bound = _TIMED.match(command) or (None if escape == "%" else _ASSIGNED.match(command))
    if bound is None:
        return indent + stand_in(command, names_in(command, known))
    used = names_in(command[bound.end() :], known)
    return f"{indent}{bound['targets'].strip()} = {_CALL}({', '.join(used)})"
