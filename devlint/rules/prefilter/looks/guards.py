"""What certainly runs only where there is CUDA; a rule's own facts know of more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, dotted_name, last_name, plain_text, text_of
from devlint.torch_api.cuda_naming import CAUGHT, IS_CUDA, NEGATES, SAYS_CUDA, is_for_cuda, polarity

_DEVICES = ("cuda", "cpu", "gpu")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_BLOCKS = ("body", "orelse", "finalbody")
_Place = tuple[int, int]
_Choice = ast.If | ast.IfExp
Implies = Callable[[ast.expr, bool], bool]
"""Whether something is so wherever a test is true (or, with False, false)."""


def implies_cuda(test: ast.expr, holds: bool) -> bool:
    """Whether there is CUDA wherever ``test`` is true (or, with ``holds=False``, false)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return implies_cuda(test.operand, not holds)
    if isinstance(test, ast.BoolOp):
        sides = (implies_cuda(one, holds) for one in test.values)
        return any(sides) if isinstance(test.op, ast.And) is holds else all(sides)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _comparison_implies(test.left, test.ops[0], test.comparators[0], holds)
    if isinstance(test, ast.Call):
        called = dotted_name(test.func)
        return holds and (called.endswith(".cuda.is_available") or (polarity(last_name(test.func)) is True))
    if isinstance(test, ast.Attribute) and test.attr == IS_CUDA:
        return holds
    return polarity(last_name(test)) is holds


def is_answer(test: ast.expr, holds: bool) -> bool:
    """Whether torch itself says so, in one line that other code may repeat: ``torch.cuda.is_available()``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.lineno == test.end_lineno and is_answer(test.operand, not holds)
    asks = isinstance(test, ast.Call) and dotted_name(test.func) == "torch.cuda.is_available"
    return holds and asks and test.lineno == test.end_lineno


def is_guarded(tree: SyntaxTree, node: ast.AST, implies: Implies = implies_cuda) -> bool:
    """Whether a test for CUDA stands before ``node``: around it, or above it in the same block."""
    child = node
    for parent in tree.around(node):
        if isinstance(parent, (ast.If, ast.IfExp)):
            if child is not parent.test and implies(parent.test, is_in(child, parent.body)):
                return True
        elif isinstance(parent, ast.BoolOp):
            before = parent.values[: parent.values.index(child)] if isinstance(child, ast.expr) else []
            test = before[0] if len(before) == 1 else ast.BoolOp(parent.op, before)
            if before and implies(test, isinstance(parent.op, ast.And)):
                return True
        if isinstance(child, ast.stmt) and _follows_exit(tree, child, parent, implies):
            return True
        child = parent
    return False


def does_without(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a call that fails without CUDA does no harm: it is guarded, caught, or in what is called after CUDA."""
    child = node
    for parent in tree.around(node):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if is_in(child, parent.body) and is_for_cuda(parent.name):
                return True
        elif isinstance(parent, (ast.If, ast.IfExp)):
            if child is not parent.test and is_in(child, parent.body) and _says_cuda(tree, parent):
                return True
        elif isinstance(parent, ast.Try) and is_in(child, parent.body):
            if any(one.type is None or tree.called(one.type) <= CAUGHT for one in parent.handlers):
                return True
        child = parent
    return is_guarded(tree, node)


def is_in(child: ast.AST, body: ast.expr | Sequence[ast.stmt]) -> bool:
    """Whether a node is the body of a choice, or one of its statements."""
    if not isinstance(body, list):
        return child is body
    return isinstance(child, ast.stmt) and _place(body[0]) <= _place(child) <= _place(body[-1])


def _place(statement: ast.stmt) -> _Place:
    return statement.lineno, statement.col_offset


def _comparison_implies(left: ast.expr, operator: ast.cmpop, right: ast.expr, holds: bool) -> bool:
    """Whether ``device.type == "cuda"`` and the like imply CUDA."""
    word = _device_word(left) or _device_word(right)
    if word is None or not isinstance(operator, (ast.Eq, ast.NotEq)):
        return False
    about_device = any("dev" in dotted_name(_peeled(one)).lower() for one in (left, right))
    return about_device and (word != "cpu") is (holds is isinstance(operator, ast.Eq))


def _device_word(node: ast.expr) -> str | None:
    """The kind of device that a plain string names."""
    word = (plain_text(node) or "").partition(":")[0].lower()
    return word if word in _DEVICES else None


def _peeled(node: ast.expr) -> ast.expr:
    """``device`` of ``device.type`` and ``str(device)``."""
    if isinstance(node, ast.Attribute) and node.attr == "type":
        return node.value
    if isinstance(node, ast.Call) and dotted_name(node.func) == "str" and len(node.args) == 1 and not node.keywords:
        return node.args[0]
    return node


def _follows_exit(tree: SyntaxTree, child: ast.stmt, parent: ast.AST, implies: Implies) -> bool:
    """Whether ``if not torch.cuda.is_available(): return`` stands above a statement, in the same block."""
    blocks = (getattr(parent, name, None) for name in _BLOCKS)
    block = next((one for one in blocks if isinstance(one, list) and one and is_in(child, one)), None)
    if block is None:
        return False
    known, key = tree.fact(_first_exits), (implies, id(block))
    if key not in known:
        known[key] = next(_exits(block, implies), None)
    first = known[key]
    return first is not None and first < _place(child)


def _first_exits(tree: SyntaxTree) -> dict[tuple[Implies, int], _Place | None]:
    """By what is asked and by block, where the first such test is; filled when it is asked."""
    return {}


def _exits(block: Sequence[ast.stmt], implies: Implies) -> Iterator[_Place]:
    for one in block:
        if isinstance(one, ast.If) and not one.orelse and isinstance(one.body[-1], _LEAVES):
            if implies(one.test, False):
                yield _place(one)


def _says_cuda(tree: SyntaxTree, choice: _Choice) -> bool:
    """Whether a test asks for CUDA by its words, or by those of all values of its name, and negates nothing."""
    values = [value for name, value in tree.given if name == last_name(choice.test)]
    tests = [choice.test, *values] if isinstance(choice.test, ast.Name) else [choice.test]
    around = [(choice.lineno, choice.end_lineno if isinstance(choice, ast.IfExp) else choice.body[0].lineno)]
    around += [(one.lineno, one.end_lineno) for one in values]
    text = "\n".join(tree.lines(first, last or first) for first, last in around)
    return NEGATES.search(text) is None and all(any(_says(part) for part in ast.walk(one)) for one in tests)


def _says(part: ast.AST) -> bool:
    return SAYS_CUDA.search(last_name(part) or text_of(part) or "") is not None
