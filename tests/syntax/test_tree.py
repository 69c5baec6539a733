"""The walk over a tree agrees with LibCST's own visitors, node by node."""

from __future__ import annotations

import inspect

import libcst as cst
import pytest

from devlint.syntax.tree import Tree, children
from tests.support.every_node import EVERY_NODE, LAZY_IMPORTS, NEW_SYNTAX

# What no rule asks about: the tree leaves it out.
LEFT_OUT = (
    cst.BaseParenthesizableWhitespace,
    cst.BaseUnaryOp,
    cst.BaseBooleanOp,
    cst.BaseBinaryOp,
    cst.BaseCompOp,
    cst.BaseAugOp,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.Comment,
    cst.Newline,
    cst.LeftParen,
    cst.RightParen,
    cst.LeftSquareBracket,
    cst.RightSquareBracket,
    cst.LeftCurlyBrace,
    cst.RightCurlyBrace,
    cst.Comma,
    cst.Semicolon,
    cst.Colon,
    cst.Dot,
    cst.AssignEqual,
    cst.BitOr,
    cst.ParamSlash,
    cst.Asynchronous,
)


def sources() -> list[str]:
    """The sources that the installed LibCST can parse; the newest syntax needs its newest release."""
    found = [EVERY_NODE]
    for text, node in ((NEW_SYNTAX, "TemplatedString"), (LAZY_IMPORTS, "LazyImport")):
        if hasattr(cst, node):
            found.append(text)
    return found


def visited(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes LibCST's visitor meets, in its order."""
    found: list[cst.CSTNode] = []

    class Visitor(cst.CSTVisitor):
        def on_visit(self, node: cst.CSTNode) -> bool:
            found.append(node)
            return True

    node.visit(Visitor())
    return found


@pytest.mark.parametrize("text", sources())
def test_nodes_come_in_the_order_of_libcsts_visitor(text: str) -> None:
    module = cst.parse_module(text)
    wanted = [node for node in visited(module) if not isinstance(node, LEFT_OUT)]
    found = Tree(module).nodes
    assert [type(node).__name__ for node in found] == [type(node).__name__ for node in wanted]
    assert all(one is other for one, other in zip(found, wanted))


def test_the_sources_use_every_node_type() -> None:
    types = [one for one in vars(cst).values() if inspect.isclass(one) and issubclass(one, cst.CSTNode)]
    concrete = {one.__name__ for one in types if not inspect.isabstract(one)}
    met = {type(node).__name__ for text in sources() for node in visited(cst.parse_module(text))}
    assert concrete - met == set()


@pytest.mark.parametrize("text", sources())
def test_every_node_knows_its_parent(text: str) -> None:
    module = cst.parse_module(text)
    tree = Tree(module)
    assert tree.parent(module) is None
    for node in tree.nodes[1:]:
        parent = tree.parent(node)
        assert parent is not None
        assert any(node is child for child in children(parent))
        assert [one for one, _ in tree.path_up(node)] == [node, *tree.ancestors(node)][:-1]
        assert list(tree.ancestors(node))[-1] is module


@pytest.mark.parametrize("text", sources())
def test_what_is_below_a_node_is_a_slice_of_all_nodes(text: str) -> None:
    tree = Tree(cst.parse_module(text))
    place = {id(node): index for index, node in enumerate(tree.nodes)}
    for node in tree.nodes:
        below = list(tree.below(node))
        start = place[id(node)]
        assert [id(one) for one in below] == [id(one) for one in tree.nodes[start : start + len(below)]]
        after = tree.nodes[start + len(below) :]
        assert not any(up is node for one in after[:1] for up in tree.ancestors(one))


def test_nodes_by_type_are_of_that_very_type() -> None:
    tree = Tree(cst.parse_module(EVERY_NODE))
    assert len(tree.of_type(cst.If)) == 2
    assert [one.value for one in tree.of_type(cst.Float)] == ["1.5"]
    assert tree.of_type(cst.BaseExpression) == []  # type: ignore[type-abstract]
    assert sum(len(tree.of_type(one)) for one in {type(node) for node in tree.nodes}) == len(tree.nodes)
