"""Lines that hold a word, and what one line says without the rest of its file."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from devlint.syntax.python_tree.source_lines import is_on, matching_lines, numbers_of_lines_with, statement_on


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_python_counts_them(end: str) -> None:
    text = end.join(["x = 1", "word = 2", "", "def f():", "    return word", "word"])
    numbers = numbers_of_lines_with(text.encode(), b"word")
    assert numbers == [2, 5, 6]
    found = [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id == "word"]
    assert sorted(found) == numbers


def test_statements_on_lines() -> None:
    tree = ast.parse("@deco\ndef f():\n    x\n    y\n\n\nz\n")
    function, last = tree.body
    assert [is_on(function, [number]) for number in range(1, 8)] == [True, True, True, True, False, False, False]
    assert [is_on(last, numbers) for numbers in ([], [1, 6], [1, 7])] == [False, False, True]
    assert isinstance(function, ast.FunctionDef)
    assert is_on(function.args, []), "nobody knows on which line it stands"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a\nword = 1\nb\nword\n", [b"word = 1"]),
        (b"word\n= 1", [b"word"]),
        (b"word", []),
        (b"x word = 1 word = 2", [b"x word = 1 word = 2"]),
        (b"", []),
    ],
)
def test_matching_lines(text: bytes, expected: list[bytes]) -> None:
    assert list(matching_lines(text, b"word", re.compile(rb"word\s*="))) == expected


def test_an_empty_word_stands_on_every_line() -> None:
    assert list(matching_lines(b"a\nb\n", b"", re.compile(b"[ab]"))) == [b"a", b"b", b""]


def test_a_line_that_is_a_statement() -> None:
    for line in (b"x = 1", b"    x = 1", b"if x:", b"def f(x: int) -> int:", b"with a as b:  ", b"# x", b'"\\d"'):
        assert statement_on(line) is not None
    for line in (b"x)", b"else:", b"f(x,", b'"""', b"\xff"):
        assert statement_on(line) is None


def test_each_line_of_this_file_is_a_statement_or_a_part_of_one() -> None:
    text = Path(__file__).read_bytes()
    whole = {ast.dump(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assign)}
    lines = [statement_on(line) for line in text.splitlines()]
    own = [node for tree in lines if tree is not None for node in tree.body if isinstance(node, ast.Assign)]
    assert own
    assert {ast.dump(node) for node in own} <= whole
