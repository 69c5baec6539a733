"""A text that is parsed in pieces becomes the very tree that LibCST makes of the whole."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint import pieces
from tests.support.every_node import EVERY_NODE

DEFINITIONS = """# header

# more of it
import a


def f():
    x  # end
    # indented

    # indented too

# above the class
class A(B):
    def g(self):
        pass
    # of the class
   # between

# alone

@deco
# below the decorator
@deco(
    1
)
def h(): pass
x = 1; y = 2

async def i():
    if x:
        pass
        # deep
    # less deep
# left

if y:
    pass
def j(): return 1
# the end

"""
SAMPLES = {
    "definitions": DEFINITIONS,
    "CRLF": DEFINITIONS.replace("\n", "\r\n"),
    "tabs": DEFINITIONS.replace("   # between\n", "").replace("    ", "\t"),
    "trailing white space": DEFINITIONS.replace("\n\n", "\n    \n"),
    "mixed newlines": DEFINITIONS.replace("pass\n", "pass\r\n").replace("end\n", "end\r"),
    "mixed indents": DEFINITIONS.replace("    pass", "  pass"),
    "no final newline": DEFINITIONS.rstrip(),
    "every node": EVERY_NODE,
    "in a string": 'x = """\ndef f():\n    pass\n\nclass A:\n    pass\n"""\n' + DEFINITIONS,
    "in brackets": "x = [\n1,\n# c\n2\n]\ndef f(\n    a\n): pass\n" + DEFINITIONS,
    "after a backslash": "x = 1 + \\\n2\ndef f(): pass\n",
}


@pytest.fixture(params=[1, 40, 200], autouse=True)
def short_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MOST", request.param)


@pytest.mark.parametrize("label", SAMPLES)
def test_pieces_make_the_tree_of_the_whole(label: str) -> None:
    text = SAMPLES[label]
    module, whole = pieces.parse_in_pieces(text), cst.parse_module(text)
    assert module.deep_equals(whole)
    assert module.code == whole.code == text


def test_files_of_devlint_make_the_same_trees() -> None:
    for path in sorted(Path(pieces.__file__).parent.glob("*.py"))[::10]:
        text = path.read_text(encoding="utf-8")
        assert pieces.parse_in_pieces(text).deep_equals(cst.parse_module(text)), path


def test_a_long_text_is_parsed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = cst.parse_module
    monkeypatch.setattr(cst, "parse_module", lambda text: parsed.append(text) or parse(text))
    text = "".join(f"\n\n# {number}\ndef f{number}():\n    pass\n" for number in range(60))
    pieces.parse_in_pieces(text)
    assert len(parsed) > 4
    assert "".join(parsed) == text


@pytest.mark.parametrize(
    "text",
    [
        "x = 1 \\\ndef f(): pass\n",
        "x = 1 \\\n\ndef f(\n",
        "if x:\ndef f(): pass\n",
        "try:\n    pass\ndef f(): pass\n",
        "@deco\nclass A: pass\n@deco\n",
        "x = '''\ndef f(): pass\n",
        "def f(): pass\nclass A(\ndef g(): pass\n",
        "def f(): pass\ndef g(): \ud800\n",
    ],
)
def test_what_does_not_parse_fails_as_the_whole(text: str) -> None:
    with pytest.raises((cst.ParserSyntaxError, UnicodeError)) as found:
        pieces.parse_in_pieces(text)
    with pytest.raises((cst.ParserSyntaxError, UnicodeError)) as expected:
        cst.parse_module(text)
    assert str(found.value) == str(expected.value)
