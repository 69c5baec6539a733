"""A text that is parsed in pieces becomes the very tree that LibCST makes of the whole."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.syntax import chunked_parse
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
CLASSES = '''# header
import a
if a:
    pass


class A(
    B,
):  # end
    """Text."""

    x = 1; y = 2
    def first(self): pass

    # above
    @deco
    # below the decorator
    @deco(
        1
    )
    def f(self):
        pass
        # deep

    # of the class

# at the margin
    # and not

    def g(self): return 1
    async def h(self):

        def inner():
            pass

        x = [
    1
]
        # last of h

    class C:

        def i(self):
            pass

        # of C

        def j(self): pass; pass
        # footer of C

    z: int
    def k(self): pass

    # footer of A
# left


@deco
class D:
    if a:
        def k(): pass
        def l(): pass

class F:
    def m(self):
        x = 1 + \\
    2

    def n(self): pass

if a:
    pass
elif b:
    def o(): pass
    def p(): pass
else:  # not there
    x = 1

    # of q
    def q():
        pass

    def r(): pass
    # end of it

class E: x = 1
for a in b:
    pass
else:
    def s(): pass
    def t(): pass
# the end
'''
SAMPLES = {
    "deeper definitions": "def h():\n        pass\nclass A:\n    if a:\n        def f(): pass\n        def g(): pass\n\nclass B: pass\n",
    "definitions": DEFINITIONS,
    "CRLF": DEFINITIONS.replace("\n", "\r\n"),
    "tabs": DEFINITIONS.replace("   # between\n", "").replace("    ", "\t"),
    "trailing white space": DEFINITIONS.replace("\n\n", "\n    \n"),
    "mixed newlines": DEFINITIONS.replace("pass\n", "pass\r\n").replace("end\n", "end\r"),
    "mixed indents": DEFINITIONS.replace("    pass", "  pass"),
    "no final newline": DEFINITIONS.rstrip(),
    "classes": CLASSES,
    "classes, CRLF": CLASSES.replace("\n", "\r\n"),
    "classes, tabs": CLASSES.replace("    ", "\t"),
    "classes, one space": CLASSES.replace("    ", " "),
    "classes, other white space": CLASSES.replace("\n\n", "\n    \n"),
    "classes, deeper white space": CLASSES.replace("\n\n", "\n\n        \n\n"),
    "classes, other indents": CLASSES.replace("        pass\n", "      pass\n"),
    "classes, comments less deep": CLASSES.replace("        # deep\n", "        # deep\n      # less deep\n"),
    "classes, definitions in strings": CLASSES.replace('"Text.', '"\n    def f(): pass\n    def g(): pass\n'),
    "classes, no final newline": CLASSES.rstrip(),
    "every node": EVERY_NODE,
    "in a string": 'x = """\ndef f():\n    pass\n\nclass A:\n    pass\n"""\n' + DEFINITIONS,
    "in brackets": "x = [\n1,\n# c\n2\n]\ndef f(\n    a\n): pass\n" + DEFINITIONS,
    "after a backslash": "x = 1 + \\\n2\ndef f(): pass\n",
}


@pytest.fixture(params=[1, 40, 200], autouse=True)
def short_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked_parse, "MOST", request.param)


@pytest.mark.parametrize("label", SAMPLES)
def test_pieces_make_the_tree_of_the_whole(label: str) -> None:
    text = SAMPLES[label]
    module, whole = chunked_parse.parse_in_chunks(text), cst.parse_module(text)
    assert module.deep_equals(whole)
    assert module.code == whole.code == text


def test_files_of_devlint_make_the_same_trees() -> None:
    for path in sorted(Path(chunked_parse.__file__).parent.glob("*.py"))[::10]:
        text = path.read_text(encoding="utf-8")
        assert chunked_parse.parse_in_chunks(text).deep_equals(cst.parse_module(text)), path


def test_a_long_text_is_parsed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = cst.parse_module
    monkeypatch.setattr(chunked_parse, "_parsed", lambda text: parsed.append(text) or parse(text))
    text = "".join(f"\n\n# {number}\ndef f{number}():\n    pass\n" for number in range(60))
    chunked_parse.parse_in_chunks(text)
    assert len(parsed) > 4
    assert "".join(parsed) == text


@pytest.mark.parametrize("opening", ["class A:\n", "@deco\nclass A(\n    B\n):\n", "if x:\n    pass\nelse:\n"])
def test_a_block_as_long_as_a_file_is_parsed_in_pieces(opening: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = cst.parse_module
    monkeypatch.setattr(chunked_parse, "_parsed", lambda text: parsed.append(text) or parse(text))
    methods = (f"\n    # {number}\n    def f{number}(self):\n        pass\n" for number in range(60))
    text = f"import a\n\n{opening}    x = 1\n{''.join(methods)}\nx = 1\n"
    module = chunked_parse.parse_in_chunks(text)
    assert module.deep_equals(parse(text))
    assert len(parsed) > 8
    assert max(map(len, parsed)) < len(text) / 4


def test_what_does_not_parse_is_parsed_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = cst.parse_module
    monkeypatch.setattr(chunked_parse, "_parsed", lambda text: parsed.append(text) or parse(text))
    text = 'x = """' + "\n\ndef f():\n    pass\n" * 500
    with pytest.raises(cst.ParserSyntaxError):
        chunked_parse.parse_in_chunks(text)
    assert sum(map(len, parsed)) < 5 * len(text)


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
        chunked_parse.parse_in_chunks(text)
    with pytest.raises((cst.ParserSyntaxError, UnicodeError)) as expected:
        cst.parse_module(text)
    assert str(found.value) == str(expected.value)
