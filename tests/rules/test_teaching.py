"""What devlint says to what tutorials show, and that docs/teaching.md tells it."""

from __future__ import annotations

import pytest

from devlint.syntax.syntax_error_hints import syntax_error_hint
from tests.support.teaching_cases import PAGE, SECTIONS, Construct, render, verdict

CONSTRUCTS = [one for section in SECTIONS.values() for one in section]

HINTS = [
    ("<<<<<<< HEAD", "a merge that was not finished"),
    (">>>>>>> branch", "a merge that was not finished"),
    ("x = https://example.org/x.to(device)", "a web address"),
    (">>> x.cuda()", "a prompt"),
    ("In [3]: x.cuda()", "a prompt"),
    ("$ python train.py", "a prompt"),
    ("?", "line numbers or a `?`"),
    ("x = \N{LEFT DOUBLE QUOTATION MARK}cuda\N{RIGHT DOUBLE QUOTATION MARK}", "typographic quotes"),
    ("x.cuda\N{FULLWIDTH LEFT PARENTHESIS}\N{FULLWIDTH RIGHT PARENTHESIS}", "full-width punctuation"),
    ("except E, e:", "this looks like Python 2"),
]


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda one: one.code.partition("\n")[0][:50])
def test_the_verdict_on_each_construct(construct: Construct) -> None:
    word, codes, _ = verdict(construct)
    assert (word, codes) == (construct.verdict, tuple(sorted(construct.codes)))
    assert construct.why or word == "rewritten"


def test_the_page_tells_it() -> None:
    assert PAGE.read_text(encoding="utf-8") == render()


@pytest.mark.parametrize(("line", "words"), HINTS)
def test_what_is_odd_about_a_line(line: str, words: str) -> None:
    hint = syntax_error_hint(["import torch", line], 2)
    assert hint is not None and hint.startswith(words)


def test_numbers_before_the_code_of_each_line() -> None:
    assert (
        syntax_error_hint(["1 import torch", "2 x = 3"], 1) == "line numbers or a `?`, copied from a page with the code"
    )
    assert syntax_error_hint(["if x:", "2 x = 3", "y"], 2) is None


@pytest.mark.parametrize("line", ["x = 'https://example.org'", "f(x", "# “quoted”", "print 'x'"])
def test_nothing_odd(line: str) -> None:
    assert syntax_error_hint([line], 1) is None
    assert syntax_error_hint([line], 7) is None
