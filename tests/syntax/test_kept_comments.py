"""Comments that a fix would delete go to lines of their own."""

from __future__ import annotations

import pytest

from devlint.core.diagnostic import Applicability, Edit, Fix, Span
from devlint.engine.fixpoint import splice
from devlint.sources.comments import lost_comments
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from devlint.syntax.kept_comments import with_comments_kept

CASES = [
    ("y = f(  # why\n    x,\n)\n", "f(  # why\n    x,\n)", "x", "# why\ny = x\n"),
    ("if a:\n\ty = (  # why\n\t\tx)\n", "(  # why\n\t\tx)", "x", "if a:\n\t# why\n\ty = x\n"),
    ("if a:\n    y = 1\nelif (b  # why\n      ):\n    z\n", "b  # why\n      ", "b", "# why\nif a:\n    y = 1\nelif (b):\n    z\n"),
    ("if a: y = (  # why\n    x)\n", "(  # why\n    x)", "x", "# why\nif a: y = x\n"),
    ("a = 1\n\n# above\ny = x  # why\n\nb = 1\n", "# above\ny = x  # why\n\n", "", "a = 1\n\n# above\n# why\n\nb = 1\n"),
    ("@f(  # why\n    x)\ndef g():\n    pass\n", "(  # why\n    x)", "", "# why\n@f\ndef g():\n    pass\n"),
    ("y = (x  # why\n)\r\n", "(x  # why\n)", "x  # why", "y = x  # why\r\n"),
    ("a\n\fy = (  # why\n    x)\n", "(  # why\n    x)", "x", "a\n# why\n\fy = x\n"),
    ("y = f('# no comment')\n", "f('# no comment')", "x", "y = x\n"),
]  # fmt: skip


def _fix(text: str, old: str, new: str) -> Fix:
    at = text.index(old)
    return Fix((Edit(Span(at, at + len(old)), new),), Applicability.UNSAFE, "Replace it")


@pytest.mark.parametrize(("text", "old", "new", "after"), CASES)
def test_where_they_go(text: str, old: str, new: str, after: str) -> None:
    fix = with_comments_kept(FileContext(Source.from_text("case.py", text)), _fix(text, old, new))
    assert fix is not None
    assert splice(text, fix.edits) == after
    assert not fix.is_safe and fix.message == "Replace it"
    assert lost_comments(text, after) == []


def test_a_line_is_inserted_at_the_same_place() -> None:
    text = "y = (  # why\n    x)\n"
    both = Fix((Edit(Span(0, 0), "x = 1\n"), *_fix(text, "(  # why\n    x)", "x").edits), Applicability.SAFE, "")
    fix = with_comments_kept(FileContext(Source.from_text("case.py", text)), both)
    assert fix is not None
    assert splice(text, fix.edits) == "x = 1\n# why\ny = x\n"


def test_there_is_no_statement() -> None:
    text = "# why\nx\n"
    assert with_comments_kept(FileContext(Source.from_text("case.py", text)), _fix(text, "# why\nx", "y")) is None


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("x  # a\n", "x\n", ["# a"]),
        ("x  # a\n", "# a\nx\n", []),
        ("x  # a\n# a\n", "x\n# a\n", ["# a"]),
        ("x  # a\n", "x  # b\n", ["# a"]),
        ("x = '# a'\n", "x = ''\n", []),
        ("x(  # a\n", "x\n", []),
    ],
)
def test_lost_comments(before: str, after: str, lost: list[str]) -> None:
    assert lost_comments(before, after) == lost
