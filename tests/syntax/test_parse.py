"""What no parser should be given is refused in one clear line and in bounded time."""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys

import libcst as cst
import pytest

from devlint.sources.encoding import SourceError
from devlint.syntax.parse import TooComplexError, compiles, parse_module
from devlint.syntax.parser_limits import MAX_BRACKET_DEPTH, MAX_CHAIN, MAX_INDENT_DEPTH
from tests.support.paths import ROOT


def blocks(depth: int, indent: str = " ") -> str:
    return "".join(f"{indent * level}if a:\n" for level in range(depth)) + indent * depth + "pass\n"


FINE = {
    "empty": "",
    "no final newline": "x = 1",
    "brackets at the limit": "x = " + "(" * MAX_BRACKET_DEPTH + "1" + ")" * MAX_BRACKET_DEPTH,
    "brackets in strings": "x = '" + "(" * 1000 + "'\n",
    "brackets in a triple-quoted string": 'x = """\n' + "([{\n" * 1000 + '"""\n',
    "brackets in comments": "# " + "[" * 1000 + "\nx = 1\n",
    "many brackets side by side": "x = [" + "()," * 5000 + "]\n",
    "a long chain": "x = a" + ".b" * (MAX_CHAIN - 150) + "\n",
    "long lists of short chains": "x = [" + "a.b.c + d.e.f," * 1000 + "]\n",
    "blocks near the limit": blocks(MAX_INDENT_DEPTH - 1),
    "long dotted text in a string": "x = '" + "a." * 5000 + "'\n",
    "a docstring that looks like a chain": 'r"""\nx = 1\n' + "a.b.c -\n" * 1000 + '"""\nx = 1\n',
    "a docstring with lines of operators": 'def f():\n    """A.\n\n' + "    -----\n    - a.b\n" * 900 + '    """\n',
    "wide indentation": "x = [\n" + " " * 300 + "1,\n]\n",
    "a comment with operators": "# " + "-" * 5000 + "\nx = 1\n",
}


@pytest.mark.parametrize("label", FINE)
def test_what_is_not_complex_is_parsed(label: str) -> None:
    assert parse_module(FINE[label]).code == FINE[label]


# Something to find, so that every fact about the file is asked for.
CUDA = "import torch\nif torch.cuda.is_available(): x.cuda()\ny.cuda()\n"

TOO_COMPLEX = {
    "brackets": "x = " + "(" * (MAX_BRACKET_DEPTH + 1) + "1" + ")" * (MAX_BRACKET_DEPTH + 1),
    "mixed brackets": "x = " + "[({" * 3000,
    "opening brackets only": "(" * 100_000,
    "attributes": "x = a" + ".b" * 3000 + "\n",
    "calls": "x = a" + ".b()" * 2000 + "\n",
    "calls over lines": "x = (a\n" + "  .b()\n" * 3000 + ")\n",
    "sums": "x = " + "+".join(["a"] * 3000) + "\n",
    "sums over lines": "x = (a +\n" + "  b +\n" * 3000 + "  c)\n",
    "signs": "x = " + "-" * 3000 + "1\n",
    "nots": "x = " + "not " * 3000 + "1\n",
    "lambdas": "x = " + "lambda: " * 3000 + "1\n",
    "conditionals": "x = " + "1 if a else " * 3000 + "1\n",
    "powers": "x = " + "**".join(["a"] * 3000) + "\n",
    "ors": "x = " + " or ".join(["a"] * 5000) + "\n",
    "subscripts": "x" + "[0]" * 3000 + "\n",
    "returned calls": "x" + "()" * 3000 + "\n",
    "inversions": "x = " + "~" * 3000 + "1\n",
    "elifs": "if a: pass\n" + "elif b: pass\n" * 3000,
    "blocks": blocks(150),
    "blocks with tabs": blocks(500, "\t"),
    "remainders": "x = a" + " % b" * 3000 + "\n",
    "shifts": "x = a" + " << b" * 3000 + "\n",
    "conditionals over lines": "x = (" + "a if b else\n" * 3000 + "c)\n",
    "adjacent strings": "x = " + '"a" ' * 5000 + "\n",
    "annotation": "x: " + "List[" * 190 + "a" + "]" * 190 + "\n",
    "numbers": "x = [" + "1," * 250_000 + "]\n",
    "characters": "x = 1\n" * 900_000,
}

# In a process of its own: the worst would end this one, or take all its memory.
CHILD = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from tests.support import engine
from devlint.rules.generate import all_rules
from devlint.rules.base import Rule
from devlint.sources.source import Source
from devlint.core.target import Target
rules = [one for one in all_rules() if issubclass(one, Rule)]
for label, text in json.load(sys.stdin).items():
    started = time.process_time()
    result = engine.fix(Source.from_text("case.py", text), rules, Target())
    took = time.process_time() - started
    failure = result.failure.message if result.failure else None
    print(json.dumps([label, failure, result.text == text, len(result.diagnostics), took]), flush=True)
"""


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def test_what_is_too_complex_is_left_alone_with_one_clear_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(ROOT)],
        input=json.dumps({label: CUDA + text for label, text in TOO_COMPLEX.items()}),
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=_limit_memory,
    )
    answers = {label: rest for label, *rest in map(json.loads, done.stdout.splitlines())}
    assert list(answers) == list(TOO_COMPLEX), f"ended with {done.returncode}: {done.stderr[-300:]}"
    for label, (failure, unchanged, findings, seconds) in answers.items():
        assert failure is not None, label
        assert failure.endswith("left alone") and "\n" not in failure and len(failure) < 100, (label, failure)
        assert unchanged and findings == 0, label
        assert seconds < 10, (label, seconds)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("async def f(): return[await(a)for(a)in(b)if(c)]\n", TooComplexError, "is taken by Python but not by LibCST"),
        ('x = "a" b"b"\n', SourceError, "cannot mix bytes"),
    ],
)
def test_what_libcst_makes_no_tree_of_is_said_in_one_line(text: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        parse_module(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words", "row"),
    [
        ("print 'x'\n", "Missing parentheses", 1),
        ("x = 1\nraise E, 'x'\n", "invalid syntax", 2),
        ("x = 1\nexec 'x'\n", "Missing parentheses", 2),
        ("x = 1\n\n  y = 2\n", "unexpected indent", 3),
        ("def f(:\n", "", 1),
        ("x = )\n", "unmatched", 1),
        ("x = 'a\n", "unterminated", 1),
        ('"""a\n', "unterminated", 1),
        ("x = 1 +\n", "invalid syntax", 1),
        ("if x:\ny\n", "expected an indented block", 2),
        ("x = 0777\n", "leading zeros", 1),
        ("x = 1\x00\n", "null byte", 1),
        ("x = \u20ac\n", "", 1),
        ("x.cuda(async=True)\n", "invalid syntax", 1),
    ],
)
def test_no_python_is_refused_in_pythons_words(text: str, words: str, row: int) -> None:
    with pytest.raises(SourceError) as caught:
        parse_module(text)
    assert words in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.row == row
    assert caught.value.column >= 1


def test_compiles_gives_the_complaint_or_none() -> None:
    assert compiles("x = 1\n") is None
    assert compiles("return 1\n") is not None
    assert compiles("x = '\\d'\n") is None
    assert compiles("x = " + "(" * 300) is not None
    assert compiles("x = '\x00'\n") is not None


def test_the_garbage_collector_is_switched_on_again() -> None:
    assert gc.isenabled()
    parse_module("x = 1\n")
    assert gc.isenabled()
    for text in ("x = (\n", "(" * 300):
        with pytest.raises((SourceError, TooComplexError)):
            parse_module(text)
        assert gc.isenabled()
    gc.disable()
    try:
        parse_module("x = 1\n")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_parsed_module_is_a_module() -> None:
    assert isinstance(parse_module("x = 1\n"), cst.Module)
