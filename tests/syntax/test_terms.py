from __future__ import annotations

import ast

import libcst as cst
import pytest

from devlint.syntax.libcst_terms import libcst_term
from devlint.syntax.python_tree.python_terms import python_term
from tests.support.paths import PACKAGE

TERMS = {
    "x": "Name('x')",
    "(x)": "Name('x')",
    "not x": "Not(Name('x'))",
    "a and b and c": "And((Name('a'), Name('b'), Name('c')))",
    "(a and b) and c": "And((And((Name('a'), Name('b'))), Name('c')))",
    "a or b and c": "Or((Name('a'), And((Name('b'), Name('c')))))",
    "x is not None": "Compare(Name('x'), 'is not', Constant(None))",
    "n>=-1": "Compare(Name('n'), '>=', Number(-1))",
    "'cuda' not in d": "Compare(String('cuda'), 'not in', Name('d'))",
    "0 < x < 8": "Unknown()",
    "a.b.c": "Attribute(Attribute(Name('a'), 'b'), 'c')",
    "f(x, y=True)": "Call(Name('f'), (Name('x'), Constant(True)))",
    "f(*x, **y)": "Call(Name('f'), (Unknown(), Unknown()))",
    "x['a']": "Subscript(Name('x'), String('a'))",
    "x[0]": "Subscript(Name('x'), Number(0))",
    "x[1:2]": "Unknown()",
    "x[0, 1]": "Unknown()",
    "(1, 'a')": "Collection((Number(1), String('a')))",
    "[x, *y]": "Collection((Name('x'), Unknown()))",
    "{None}": "Collection((Constant(None),))",
    "(x := y)": "Assigned(Name('x'), Name('y'))",
    "'a' 'b'": "Unknown()",
    "f'{a}'": "Unknown()",
    "b'a'": "Unknown()",
    "1.5": "Unknown()",
    "-x": "Unknown()",
    "~1": "Unknown()",
    "lambda: x": "Unknown()",
}


@pytest.mark.parametrize(("text", "term"), TERMS.items())
def test_both_trees_give_the_same_terms(text: str, term: str) -> None:
    assert repr(python_term(ast.parse(text, mode="eval").body)) == term
    assert repr(libcst_term(cst.parse_expression(text))) == term


def test_the_tests_of_a_program_are_the_same_terms() -> None:
    found = 0
    for path in sorted((PACKAGE / "analysis" / "guards").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        python = [one.test for one in ast.walk(ast.parse(text)) if isinstance(one, (ast.If, ast.IfExp))]
        exact = [one.test for one in _below(cst.parse_module(text)) if isinstance(one, (cst.If, cst.IfExp))]
        assert sorted(repr(python_term(one)) for one in python) == sorted(repr(libcst_term(one)) for one in exact)
        found += len(python)
    assert found > 50


def _below(node: cst.CSTNode) -> list[cst.CSTNode]:
    return [node, *(inner for child in node.children for inner in _below(child))]


@pytest.mark.parametrize(
    ("text", "dotted", "last_name"),
    [("a.b", "a.b", "b"), ("f().b", "", "b"), ("x['k']", "", "k"), ("x[0]", "", ""), ("f()", "", ""), ("x", "x", "x")],
)
def test_names(text: str, dotted: str, last_name: str) -> None:
    for term in (python_term(ast.parse(text, mode="eval").body), libcst_term(cst.parse_expression(text))):
        assert (term.dotted, term.last_name) == (dotted, last_name)
