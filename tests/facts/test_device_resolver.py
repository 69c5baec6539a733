"""Where the device comes from: whole programs in ``device_programs``, with the lines that fixing takes away and adds.

``modules``, ``parameters``, ``names``, ``flags`` and ``definitions`` are the steps of the resolver, in its order; their
fixes are safe. A program without marked lines is left as it is.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from pyflakes import checker, messages

from devlint import engine
from devlint.parse import compiles
from devlint.target import Target
from tests.support.rule_cases import CUDA, rule, source

PROGRAMS = Path(__file__).parent / "device_programs"
STEPS = ("modules", "parameters", "names", "flags", "definitions")
RULES = [rule("DEV101"), rule("DEV105")]
UNBOUND = (messages.UndefinedName, messages.UndefinedLocal, messages.UndefinedExport)


def programs(*steps: str) -> list[tuple[str, str]]:
    """Titles and marked lines of the programs of some steps."""
    found = []
    for step in steps:
        text = (PROGRAMS / f"{step}.txt").read_text(encoding="utf-8")
        for program in text.removeprefix("== ").split("\n== "):
            title, _, lines = program.partition("\n")
            found.append((f"{step}: {title}", lines))
    return found


def unmarked(lines: str, without: str) -> str:
    """A program before (``without`` "+") or after (``without`` "-") it is fixed."""
    kept = [line[2:] for line in lines.rstrip("\n").split("\n") if not line.startswith(without)]
    return "\n".join(kept) + "\n"


def unbound(text: str) -> Counter[str]:
    """Names that pyflakes finds undefined, or used before they are bound, with how often."""
    found = checker.Checker(ast.parse(text)).messages
    return Counter(str(one.message_args[0]) for one in found if isinstance(one, UNBOUND))


def fixed(text: str, unsafe: bool, target: Target = CUDA) -> str:
    """The fixed text, which compiles, is settled, and needs no name that it does not bind."""
    result = engine.fix(source(text), RULES, target, unsafe)
    assert result.failure is None, result.failure
    assert compiles(result.text) is None
    assert not unbound(result.text) - unbound(text)
    assert engine.fix(source(result.text), RULES, target, unsafe).text == result.text
    return result.text


@pytest.mark.parametrize(("title", "lines"), programs(*STEPS))
def test_safe(title: str, lines: str) -> None:
    before, after = unmarked(lines, "+"), unmarked(lines, "-")
    assert fixed(before, unsafe=False) == after
    assert fixed(before, unsafe=True) == after


@pytest.mark.parametrize(("title", "lines"), programs("unsafe"))
def test_unsafe(title: str, lines: str) -> None:
    before, after = unmarked(lines, "+"), unmarked(lines, "-")
    assert fixed(before, unsafe=False) == before
    assert fixed(before, unsafe=True) == after


def test_titles_are_told_apart() -> None:
    titles = [title for title, _ in programs(*STEPS, "unsafe")]
    assert len(titles) > 180 and len(titles) == len(set(titles))
