"""The numbers and messages in docs/limits.md are those of the code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devlint.config import finder, options
from devlint.core import file_reading, toml
from devlint.engine import text_files
from devlint.sources import gitignore_patterns
from devlint.syntax import parser_limits
from devlint.syntax.parser_limits import TooComplexError, refuse_pathological
from devlint.syntax.python_tree import python_ast
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
Text = Callable[[int], str]


def deep_lines(levels: int) -> str:
    """Lines that have so many blocks around them in all."""
    whole = sum(range(100))
    block = "".join(" " * depth + ("if a:\n" if depth < 99 else "b\n") for depth in range(100))
    rest = "".join(" " * depth + "if a:\n" for depth in range(50))
    return block * (levels // whole) + "b\n" + rest + " " * 50 + "b\n" + "b\n" if levels % whole else block


PROGRAMS: dict[str, tuple[int, Text]] = {
    "characters": (python_ast.MAX_CHARACTERS, lambda n: "# " + "a" * (n - 3) + "\n"),
    "numbers": (python_ast.MAX_NUMBERS, lambda n: "v = [" + "1 + 1,    " * (n // 2) + "1" * (n % 2) + "]\n"),
    "commas, colons, brackets, `=` and dots": (parser_limits.MAX_ITEMS, lambda n: "v = [" + "a," * (n - 2) + "]\n"),
    "mentions of CUDA outside comments": (parser_limits.MAX_MENTIONS, lambda n: "# cuda\n" + "v.cuda()\n" * n),
    "lines of code": (parser_limits.MAX_LINES, lambda n: "a\n" * n),
    "nested brackets": (parser_limits.MAX_BRACKET_DEPTH, lambda n: "v = " + "[" * n + "]" * n + "\n"),
    "nested blocks": (
        parser_limits.MAX_INDENT_DEPTH,
        lambda n: "".join(" " * depth + "if a:\n" for depth in range(n)) + " " * n + "b\n",
    ),
    "links in an expression": (parser_limits.MAX_CHAIN, lambda n: "v = a" + ".b" * n + "\n"),
    "adjacent strings": (parser_limits.MAX_STRINGS, lambda n: "v = (\n" + "'a'\n" * n + ")\n"),
    "branches of an `if`": (parser_limits.MAX_ELIFS, lambda n: "if a: pass\n" + "elif b: pass\n" * n),
    "nested `lambda`": (parser_limits.MAX_LAMBDAS, lambda n: "v = " + "lambda: " * n + "1\n"),
    "nested brackets in a `case` or `del`": (
        parser_limits.MAX_PATTERN_DEPTH,
        lambda n: "match a:\n case " + "[" * n + "b" + "]" * n + ": pass\n",
    ),
}
OTHERS = {
    "bytes of any file": file_reading.MAX_BYTES,
    "bytes of a shell script, Markdown file or the like": text_files.MAX_TEXT,
    "bytes of a configuration file or `.gitignore`": file_reading.MAX_SETTINGS,
    "entries of a list in a configuration file": options.MAX_ENTRIES,
    "characters of a pattern": gitignore_patterns.MAX_PATTERN,
    "parts of a dotted key": toml.MAX_KEY_PARTS,
    "configuration files that extend one another": finder.MAX_EXTENDED,
    "nesting levels of all brackets together": parser_limits.MAX_WORK,
    "nesting levels of all lines together": parser_limits.MAX_LEVELS,
    "work for long expressions": parser_limits.MAX_CHAIN_WORK,
}


def rows() -> dict[str, tuple[int, str]]:
    """For each row of the tables its limit and its message."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if line.startswith("| ")]
    return {cells[0]: (int(cells[1].replace(",", "")), cells[2]) for cells in lines if cells[1][:1].isdigit()}


def test_each_limit_is_there_with_its_number() -> None:
    expected = {**{name: limit for name, (limit, _) in PROGRAMS.items()}, **OTHERS}
    assert {name: limit for name, (limit, _) in rows().items()} == expected


@pytest.mark.parametrize(
    "module", [parser_limits, finder, file_reading, gitignore_patterns, options, python_ast, text_files, toml]
)
def test_no_limit_is_left_out(module: object) -> None:
    named = {value for name, value in vars(module).items() if name.startswith("MAX_")}
    assert named <= {limit for limit, _ in rows().values()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_limit_is_where_the_page_says(name: str) -> None:
    limit, make = PROGRAMS[name]
    refuse_pathological(make(limit))
    with pytest.raises(TooComplexError) as error:
        refuse_pathological(make(limit + 1))
    assert rows()[name][1].strip("`") in str(error.value).replace("`", "")
