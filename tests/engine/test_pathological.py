"""Input at its worst: what would crash LibCST's parser, or take it for ever, is refused; what only looks so is not."""

from __future__ import annotations

from typing import Any

import pytest

from devlint.config.finder import ConfigFinder
from devlint.engine import python_programs
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from devlint.sources import environment_mentions
from devlint.sources.environment_mentions import mentions
from devlint.sources.text_kinds import Syntax
from devlint.syntax.parse import parse_module
from devlint.syntax.parser_limits import (
    MAX_BRACKET_DEPTH,
    MAX_CHAIN,
    MAX_ELIFS,
    MAX_LAMBDAS,
    MAX_LINES,
    MAX_PATTERN_DEPTH,
    MAX_STRINGS,
    TooComplexError,
    refuse_pathological,
)

DEEP, LONG = MAX_BRACKET_DEPTH + 1, MAX_CHAIN + 1

REFUSED = {
    "brackets closed in strings only": ("v = " + "(')', " * DEEP + "1" + ")" * DEEP, "brackets nested"),
    "brackets in an f-string": ("v = f'{" + "(" * DEEP + "1" + ")" * DEEP + "}'", "brackets nested"),
    "a chain in an f-string": ("v = f'{a" + ".b" * LONG + "}'", "links"),
    "deep brackets again and again": (("v = " + "a[" * 190 + "]" * 190 + "\n") * 100, "nested brackets in all"),
    "pattern": ("match a:\n case " + "(" * 8 + "b" + ",)" * 8 + ": pass\n", "`case`"),
    "pattern over lines": ("match a:\n case " + "(\n" * 8 + "b" + ",)" * 8 + ": pass\n", "`case`"),
    "broken del": ("if a: del " + "(" * 30 + "a b" + ")" * 30, "`del`"),
    "elifs": ("if a: pass\n" + "elif b: pass\n" * (MAX_ELIFS + 1), "branches"),
    "lambdas in defaults": ("v = " + "lambda a=" * 2 * MAX_LAMBDAS + "1" + ": 1" * 2 * MAX_LAMBDAS, "`lambda`"),
    "calls with several arguments": ("v = x" + ".to(device, non_blocking=True)" * LONG, "links"),
    "a sum of calls": ("v = " + "x.cuda(0, 1) + " * LONG + "x", "links"),
    "a sum of strings with commas": ("v = " + "'a, b' + " * LONG + "x", "links"),
    "comparisons in a row": ("v = (" + "a == 1 or\n" * LONG + "x)", "links"),
    "adjacent strings": ("v = (\n" + "'a'  # why\n" * (MAX_STRINGS + 1) + ")", "strings in a row"),
    "a sum of long products": ("v = " + " + ".join(["a" + " * a" * 100] * 402), "links"),
    "long chains again and again": (("v = x" + ".a" * 400 + "\n") * 40, "long expressions in all"),
    "short statements": ("a\n" * (MAX_LINES + 1), "lines of code"),
    "deep blocks again and again": (
        "".join(" " * (i % 90) + ("if a:\n" if i % 90 < 89 else "b\n") for i in range(90 * 150)),
        "levels",
    ),
}

TAKEN = {
    "brackets in strings": "v = '" + "(" * 3 * DEEP + "'\n",
    "brackets in an f-string's text": "v = f'" + "()" * DEEP + "'\n",
    "a sum of products": "v = " + " + ".join(["a * b ** c"] * (MAX_CHAIN // 2)) + "\n",
    "comments and a string": "# why\n" * MAX_LINES + "\n" * MAX_LINES + '"""' + "a\n" * MAX_LINES + '"""\n',
    "strings with comments": "v = (\n" + "'a'  # b\n" * (MAX_CHAIN // 2 + 20) + ")\n",
    "star imports": "if a:\n" + "    from .b import *\n" * 2 * MAX_CHAIN,
    "a table of functions": "v = {\n" + "".join(f"{i}: lambda a: 1,\n" for i in range(5 * MAX_LAMBDAS)) + "}\n",
    "functions as arguments": "f(" + "lambda a: 1, " * 5 * MAX_LAMBDAS + ")\n",
    "functions as keywords": "f(" + "".join(f"a{i}=lambda: 1, " for i in range(5 * MAX_LAMBDAS)) + ")\n",
    "elifs of many ifs": ("if a: pass\n" + "elif b: pass\n" * 20) * MAX_ELIFS,
    "pattern": "match a:\n case " + "[" * MAX_PATTERN_DEPTH + "b" + "]" * MAX_PATTERN_DEPTH + ": pass\n",
    "case in a docstring": "'''\ncase (a\n'''\nv = " + "[" * 20 + "]" * 20 + "\n",
    "one deep list": "v = " + "[" * MAX_BRACKET_DEPTH + "]" * MAX_BRACKET_DEPTH + "\n",
    "a wide table": "v = [\n" + "    (1, 2, a.b),\n" * 5000 + "]\n",
    "names with operators in them": "v = [" + "orchestra_for_random_words, " * 2 * MAX_CHAIN + "]\n",
    "nothing": "",
}


@pytest.mark.parametrize("label", REFUSED)
def test_refused(label: str) -> None:
    text, words = REFUSED[label]
    with pytest.raises(TooComplexError, match="left alone") as error:
        refuse_pathological(text)
    assert words in str(error.value)


@pytest.mark.parametrize("label", TAKEN)
def test_not_refused(label: str) -> None:
    assert parse_module(TAKEN[label]).code == TAKEN[label]


def test_very_many_strings_in_a_row_are_no_chain() -> None:
    assert parse_module("v = (\n" + "'a'  # b\n" * 4 * MAX_CHAIN + ")\n").body


def test_a_text_with_many_misspelled_names_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    own = environment_mentions._is_own

    def counted(text: str, name: str, known: str) -> Any:
        asked.append(name)
        return own(text, name, known)

    monkeypatch.setattr(environment_mentions, "_is_own", counted)
    text = "env:\n" + "  CUDA_VISIBLE_DEVICE: 0\n" * 2000
    assert len(mentions(text, Syntax.BLOCKS)) == 2000
    assert asked == ["CUDA_VISIBLE_DEVICE"]


def test_the_head_of_a_long_block_is_found() -> None:
    block = "  other: 1\n" * 50 + "  CUDA_VISIBLE_DEVICE: 0\n"
    assert len(mentions(f"env:\n{block}{block}args:\n{block}", Syntax.BLOCKS)) == 2


def test_very_many_edits_are_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    device = "torch.device('cuda' if torch.cuda.is_available() else 'cpu')"
    head = f"import torch\nfrom torch.cuda.amp import autocast\ndevice = {device}\n"
    text = head + "with autocast(): a\n" * 4
    finder = ConfigFinder({}, isolated=True)
    usual = Runner(finder).text("a.py", text.encode()), Runner(finder, Mode.DIFF).text("a.py", text.encode())
    assert [one.fix is None for one in usual[0].diagnostics] == [False] * 4
    monkeypatch.setattr(python_programs, "_MOST_EDITS", 3)
    checked, fixed = Runner(finder).text("a.py", text.encode()), Runner(finder, Mode.DIFF).text("a.py", text.encode())
    assert [one.fix is None for one in checked.diagnostics] == [False, True, True, True]
    assert fixed.after_text == usual[1].after_text != text
