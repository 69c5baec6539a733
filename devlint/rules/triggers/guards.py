"""What certainly runs only where there is CUDA; a rule's own facts know of more."""

from __future__ import annotations

import _ast as ast

from devlint.analysis.guards.conditions import Names, NeedsCuda
from devlint.rules.triggers.syntax_tree import possible_names
from devlint.syntax.python_tree.nodes import last_name, nodes_below, text_of
from devlint.syntax.python_tree.python_terms import python_term
from devlint.torch_api.cuda_naming import CAUGHT, NEGATES, SAYS_CUDA, is_for_cuda
from devlint.torch_api.device_naming import OPTION_CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from devlint.rules.triggers.syntax_tree import SyntaxTree
    from devlint.syntax.terms import Term

    Place = tuple[int, int]

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BLOCKS = ("body", "orelse", "finalbody")


class _ImportedNames(Names):
    """Names as they are written, and as any import of the file means them."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._imported = tree.imported  # not the tree, which keeps what asks: it is to go as soon as it is not needed

    def may_be(self, term: Term) -> Collection[str]:
        """All that a name may stand for."""
        return possible_names(term.node, self._imported)


def implies_cuda(tree: SyntaxTree, test: ast.expr, holds: bool) -> bool:
    """Whether there is certainly CUDA wherever ``test`` is true (or, with ``holds=False``, false)."""
    known, key = tree.fact(_known), (test, holds)
    if key not in known:
        known[key] = tree.fact(_needs_cuda).follows(python_term(test), holds)
    return known[key]


def _needs_cuda(tree: SyntaxTree) -> NeedsCuda:
    return NeedsCuda(_ImportedNames(tree))


def _known(tree: SyntaxTree) -> dict[tuple[ast.expr, bool], bool]:
    """The answers so far."""
    return {}


def is_unguarded(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``node`` may be reached where there is no CUDA."""
    return not is_guarded(tree, node)


def may_fail(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a call that fails without CUDA may do harm."""
    return tree.fact(_has_options_that_are_on) or tree.fact(_asks_entries) or not does_without(tree, node)


def _has_options_that_are_on(tree: SyntaxTree) -> bool:
    """Whether a file defines options whose default is True or numbers: a test for one asks nobody for CUDA."""
    given = [one for call in tree.of_type(ast.Call) if last_name(call.func) in OPTION_CALLS for one in call.keywords]
    if any(isinstance(one.value, ast.List) for one in given):
        return True
    values = [one.value.value for one in given if isinstance(one.value, ast.Constant)]
    return any(one is True or one == "store_false" or str(one)[:1].isdecimal() for one in values)


def _asks_entries(tree: SyntaxTree) -> bool:
    """Whether a test of a file may be an entry, which another file may set to True: ``if params["use_cuda"]:``."""
    named = {name for name, value in tree.given if isinstance(value, ast.Subscript) and text_of(value.slice)}
    parts = (part for one in tree.of_type(ast.If) for part in nodes_below(one.test))
    return any(last_name(one) in named or (isinstance(one, ast.Subscript) and text_of(one.slice)) for one in parts)


def is_option(tree: SyntaxTree, choice: ast.AST) -> bool:
    """Whether the test of a choice may be an option of the program, and nothing that torch says."""
    test = choice.test if isinstance(choice, (ast.If, ast.IfExp)) else choice
    return all(last_name(one) != "is_available" for one in nodes_below(test))


def stops_without(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether an assertion, or a test before an exit, asks for an option and for CUDA at once."""
    for parent in tree.around(call):
        if isinstance(parent, (ast.Assert, ast.If)):
            return isinstance(parent.test, ast.BoolOp) and any(one is call for one in nodes_below(parent.test))
    return False


def is_guarded(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a test for CUDA stands before ``node``: around it, or above it in the same block."""
    child = node
    for parent in tree.around(node):
        if isinstance(parent, (ast.If, ast.IfExp)):
            if child is not parent.test and implies_cuda(tree, parent.test, is_in(child, parent.body)):
                return True
        elif isinstance(parent, ast.BoolOp):
            before = parent.values[: parent.values.index(child)] if isinstance(child, ast.expr) else []
            test = before[0] if len(before) == 1 else ast.BoolOp(parent.op, before)
            if before and implies_cuda(tree, test, isinstance(parent.op, ast.And)):
                return True
        if isinstance(child, ast.stmt) and _follows_exit(tree, child, parent):
            return True
        child = parent
    return False


def does_without(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a call that fails without CUDA does no harm: it is guarded, caught, or in what is called after CUDA."""
    child = node
    for parent in tree.around(node):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if is_in(child, parent.body) and is_for_cuda(parent.name) and parent.name not in tree.fact(_names):
                return True
        elif isinstance(parent, (ast.If, ast.IfExp)):
            if child is not parent.test and is_in(child, parent.body) and _says_cuda(tree, parent):
                return True
        child = parent
    return is_guarded(tree, node) or _is_caught(tree, node)


def _names(tree: SyntaxTree) -> set[str]:
    """All names and attributes that are read or written."""
    return {one.id for one in tree.of_type(ast.Name)}.union(tree.attributes)


def _calls(block: ast.Try) -> Iterator[ast.expr]:
    """What is called in the body of a ``try``."""
    nodes = (one for statement in block.body for one in nodes_below(statement))
    return (one.func for one in nodes if isinstance(one, ast.Call))


def _is_caught(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a ``try`` of the same function catches what torch raises where there is no CUDA."""
    child = node
    for parent in tree.around(node):
        if isinstance(parent, _FUNCTIONS):
            return False
        if isinstance(parent, ast.Try) and is_in(child, parent.body):
            handlers = [one for one in parent.handlers if not _raises_again(one)]
            if any(one.type is None or _names_caught(tree, one.type) for one in handlers):
                return not any(isinstance(one, ast.Attribute) and one.attr == "cuda" for one in _calls(parent))
        child = parent
    return False


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler may end by raising what it has caught."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and (last.exc is None or last_name(last.exc) == handler.name)


def _names_caught(tree: SyntaxTree, kind: ast.expr) -> bool:
    return all(one.rpartition(".")[2] in CAUGHT for one in tree.called(kind))


def is_in(child: ast.AST, body: ast.expr | Sequence[ast.stmt]) -> bool:
    """Whether a node is the body of a choice, or one of its statements."""
    if not isinstance(body, list):
        return child is body
    return isinstance(child, ast.stmt) and _place(body[0]) <= _place(child) <= _place(body[-1])


def _place(statement: ast.stmt) -> Place:
    return statement.lineno, statement.col_offset


def _follows_exit(tree: SyntaxTree, child: ast.stmt, parent: ast.AST) -> bool:
    """Whether ``if not torch.cuda.is_available(): return`` stands above a statement, in the same block."""
    blocks = (getattr(parent, name, None) for name in _BLOCKS)
    block = next((one for one in blocks if isinstance(one, list) and one and is_in(child, one)), None)
    if block is None:
        return False
    known = tree.fact(_first_exits)
    if id(block) not in known:
        known[id(block)] = next(_exits(tree, block), None)
    first = known[id(block)]
    return first is not None and first < _place(child)


def _first_exits(tree: SyntaxTree) -> dict[int, Place | None]:
    """By block, where the first such test is; filled when it is asked."""
    return {}


def _exits(tree: SyntaxTree, block: Sequence[ast.stmt]) -> Iterator[Place]:
    for one in block:
        if isinstance(one, ast.If) and not one.orelse and isinstance(one.body[-1], _LEAVES):
            if implies_cuda(tree, one.test, False):
                yield _place(one)


def _says_cuda(tree: SyntaxTree, choice: ast.If | ast.IfExp) -> bool:
    """Whether a test asks for CUDA by its words, or by those of all values of its name, and negates nothing."""
    values = [value for name, value in tree.given if name == last_name(choice.test)]
    tests = [choice.test, *values] if isinstance(choice.test, ast.Name) else [choice.test]
    around = [(choice.lineno, choice.end_lineno if isinstance(choice, ast.IfExp) else choice.body[0].lineno)]
    around += [(one.lineno, one.end_lineno) for one in values]
    text = "\n".join(tree.lines(first, last or first) for first, last in around)
    return NEGATES.search(text) is None and all(any(_says(tree, part) for part in nodes_below(one)) for one in tests)


def _says(tree: SyntaxTree, part: ast.AST) -> bool:
    """Whether a name or a string has such a word, and a string without escapes, with which no rule reads it."""
    if SAYS_CUDA.search(last_name(part) or text_of(part) or "") is None:
        return False
    if not isinstance(part, ast.Constant):
        return True
    return SAYS_CUDA.search(tree.lines(part.lineno, part.end_lineno or part.lineno)) is not None
