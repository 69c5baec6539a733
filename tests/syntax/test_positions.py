"""Places of nodes agree with LibCST's own position providers, and with the text itself."""

from __future__ import annotations

import re

import libcst as cst
import pytest
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, PositionProvider

from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from devlint.syntax.positions import MOST_STATEMENTS, Spans
from devlint.syntax.tree import Tree
from tests.support.every_node import EVERY_NODE

# Ours end after the last line of their block, with its comments; LibCST's with its last statement.
ENDS_WITH_BLOCK = (cst.BaseCompoundStatement, cst.BaseSuite, cst.Else, cst.Finally, cst.ExceptHandler)
ENDS_WITH_BLOCK_TOO = (cst.ExceptStarHandler, cst.MatchCase, cst.Module)

SAMPLES = {
    "every node": EVERY_NODE,
    "CRLF": EVERY_NODE.replace("\n", "\r\n"),
    "mixed newlines": "x = 1\r\nif x:\n    y.z()\rw = 2\n",
    "tabs": EVERY_NODE.replace("    ", "\t"),
    "unicode": "x = 'é漢😀'; y = ('é')\n# 漢\nif x:\n    漢 = f'é{x}' \"😀\"\n",
    "parentheses": "x = ( (a . b) ( (c) , * (d) )\n  [ (e) ] ) # f\n",
    "no final newline": "x = (1)",
    "comments": "if x:\n    y\n    # inner\n\n# outer\nz\n",
    "line continuation": "x = \\\n  1 + \\\n  y.z\n",
    "empty": "",
    "only a comment": "# a",
    "form feed on its own line": "x = 1\n\x0c\ny = x.z\n",
    "form feed inside a line": "x = 1 \x0c+ y.z  # a\x0cb\nw\n",
}


def spans_of(text: str) -> tuple[cst.Module, Spans]:
    module = cst.parse_module(text)
    return module, Spans(module, text)


@pytest.mark.parametrize("label", SAMPLES)
def test_spans_are_libcsts(label: str) -> None:
    text = SAMPLES[label]
    module, spans = spans_of(text)
    assert spans.exact
    encoded = text.encode()
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    theirs = wrapper.resolve(ByteSpanPositionProvider)
    compared = 0
    for node in Tree(module).nodes:
        span = spans.syntactic(node)
        start = len(encoded[: theirs[node].start].decode())
        end = len(encoded[: theirs[node].start + theirs[node].length].decode())
        if isinstance(node, (*ENDS_WITH_BLOCK, *ENDS_WITH_BLOCK_TOO)):
            assert span.start <= start and span.end >= end
            assert re.fullmatch(r"(?:\s|#.*)*", text[end : span.end]) is not None
            assert re.fullmatch(r"(?:\s|#.*)*", text[span.start : start]) is not None
        else:
            assert (span.start, span.end) == (start, end), cst.Module([]).code_for_node(node)
            compared += 1
    assert compared or not text.strip() or text.startswith("#")


@pytest.mark.parametrize("label", SAMPLES)
def test_a_node_stands_where_it_does_in_the_code_of_the_whole_file(label: str) -> None:
    text = SAMPLES[label]
    module, whole = spans_of(text)
    tree = Tree(module)
    for node in tree.nodes:
        spans = Spans(module, text, tree)
        assert (spans.syntactic(node), spans.parenthesized(node)) == (whole.syntactic(node), whole.parenthesized(node))
        assert spans.exact


def test_of_two_functions_with_one_text_each_stands_in_its_own_place() -> None:
    text = "class A:\n    def f(self):\n        x\n\nclass B:\n    def f(self):\n        x\n\n\nif y:\n    x\n"
    module, whole = spans_of(text)
    tree = Tree(module)
    spans = Spans(module, text, tree)
    assert [spans.syntactic(node) for node in tree.nodes] == [whole.syntactic(node) for node in tree.nodes]
    assert len({spans.syntactic(one) for one in tree.of_type(cst.Name) if one.value == "f"}) == 2


@pytest.mark.parametrize("text", ["a = 1\nb\na = 1", "b = 2; a = 1\na = 1", "a = 1\nb = a = 1\n", "a\nif b:\n    a\na"])
def test_equal_lines_stand_in_their_own_places(text: str) -> None:
    module, whole = spans_of(text)
    tree = Tree(module)
    for node in tree.nodes:
        spans = Spans(module, text, tree)
        assert (spans.syntactic(node), spans.parenthesized(node)) == (whole.syntactic(node), whole.parenthesized(node))


@pytest.mark.parametrize("label", [one for one in SAMPLES if "form feed" not in one])
def test_rows_and_columns_are_libcsts(label: str) -> None:
    text = SAMPLES[label]
    module, spans = spans_of(text)
    source = Source.from_text("a.py", text)
    places = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    for node in Tree(module).nodes:
        if isinstance(node, (cst.BaseSuite, cst.Module)):
            continue
        place = source.location(spans.syntactic(node).start)
        assert (place.row, place.column - 1) == (places[node].start.line, places[node].start.column)


@pytest.mark.parametrize("label", SAMPLES)
def test_the_text_at_a_span_is_the_nodes_own(label: str) -> None:
    text = SAMPLES[label]
    module, spans = spans_of(text)
    for node in Tree(module).nodes:
        if isinstance(node, (cst.BaseExpression, cst.BaseSmallStatement)):
            outer, inner = spans.parenthesized(node), spans.syntactic(node)
            assert outer.start <= inner.start <= inner.end <= outer.end
            around = text[outer.start : inner.start] + text[inner.end : outer.end]
            if isinstance(node, cst.BaseExpression):
                assert text[outer.start : outer.end] == module.code_for_node(node)
                opening = "".join(module.code_for_node(one) for one in node.lpar)
                closing = "".join(module.code_for_node(one) for one in node.rpar)
                if not (isinstance(node, cst.Tuple) and not node.elements):
                    assert around == opening + closing


DROPPED = [
    "\x0cimport os\nx = os.path\n",
    "x = 1\n\x0cy = x.real\n\x0c\x0cz = y.real\n",
    "x = 1\n\x0c\n\x0cdef f():\n    return x.real\n\n\x0cclass A:\n    y = f().z\n",
    "\x0c\x0cx = (1,\n\x0c 2)\n",
    "x = '''a'''\r\n\x0cy = x.z\r\n",
]


@pytest.mark.parametrize("text", DROPPED)
def test_form_feeds_that_libcst_drops_are_counted(text: str) -> None:
    module, spans = spans_of(text)
    assert spans.exact
    assert module.code != text
    for node in Tree(module).nodes:
        if isinstance(node, (cst.Name, cst.Integer, cst.Attribute)):
            span = spans.syntactic(node)
            assert text[span.start : span.end] == module.code_for_node(node)


@pytest.mark.parametrize(
    "text",
    [
        "x = '''\n\x0ca'''\n\x0cy = x.z\n",
        "if x:\n    a\n\x0c    b\n",
        "if x:\n\x0c    a\n    b\n",
        "# a\n\x0c# b\n\x0cy.z\n",
        "\ufeffx = 1\n",
        "x = 1\rif x:\r    y.z()\r",
    ],
)
def test_what_does_not_come_back_exactly_says_so_or_is_right(text: str) -> None:
    module, spans = spans_of(text)
    for node in Tree(module).nodes:
        if spans.exact and isinstance(node, (cst.Name, cst.Integer, cst.Attribute)):
            span = spans.syntactic(node)
            assert text[span.start : span.end] == module.code_for_node(node)


@pytest.mark.parametrize(
    "text",
    [
        "if a:\n    b\nelif c:\n    d\nif c:\n    d\n",
        "def f():\n    x = y\n    z\n\ndef g():\n    x = y\n",
        'def f():\n    """\n    x = y\n    """\n    x = y\n',
        "def f():\n    if a:\n        b\n    if a:\n        b\n    c\n",
        "if a: b; c\nif a: b; c\n",
        "with a(\n    b\n):\n    c\n    a(\n    b\n)",
        "x = y\n# c\nx = y\n# c\nx = y",
    ],
)
def test_equal_statements_stand_in_their_own_places(text: str) -> None:
    module, whole = spans_of(text)
    tree = Tree(module)
    for node in tree.nodes:
        spans = Spans(module, text, tree)
        assert (spans.syntactic(node), spans.parenthesized(node)) == (whole.syntactic(node), whole.parenthesized(node))


def test_of_a_long_function_only_the_statement_asked_for_is_generated() -> None:
    text = "def f():\n" + "".join(f"    a{number} = b(c{number})\n" for number in range(500))
    module = cst.parse_module(text)
    tree = Tree(module)
    spans = Spans(module, text, tree)
    node = tree.of_type(cst.Call)[250]
    assert spans.syntactic(node) == Spans(module, text).syntactic(node)
    assert len(spans._generated) < 20


def test_a_context_gives_text_with_parentheses_and_spans_without() -> None:
    ctx = FileContext(Source.from_text("a.py", "x = ( # why\n  y.z\n)\n"))
    (node,) = ctx.tree.of_type(cst.Attribute)
    assert ctx.text_of(node) == "( # why\n  y.z\n)"
    assert ctx.source.text[ctx.span(node).start : ctx.span(node).end] == "y.z"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_context_gives_the_text_of_each_expression(newline: str) -> None:
    text = EVERY_NODE.replace("\n", newline)
    ctx = FileContext(Source.from_text("a.py", text))
    whole = Spans(ctx.module, text)
    for node in ctx.tree.nodes:
        span = whole.parenthesized(node)
        assert ctx.text_of(node) == text[span.start : span.end]


def test_many_statements_are_not_looked_up_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"a{number} = b(c{number})\n" for number in range(4 * MOST_STATEMENTS))
    module = cst.parse_module(text)
    tree = Tree(module)
    found: list[cst.CSTNode] = []
    look_up = Spans._found
    monkeypatch.setattr(Spans, "_found", lambda self, tree, unit: found.append(unit) or look_up(self, tree, unit))
    spans, whole = Spans(module, text, tree), Spans(module, text)
    assert all(spans.syntactic(node) == whole.syntactic(node) for node in tree.of_type(cst.Call))
    assert len(found) == MOST_STATEMENTS
