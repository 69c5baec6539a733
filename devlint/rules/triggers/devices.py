"""Leaves that are devices: strings that name CUDA, what is made of them, and what ``torch.device`` makes."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import CALL, CLOSE, CLOSED, GAP, OPEN, OPENED, QUOTE, at_word
from devlint.rules.triggers.trigger import Leaf
from devlint.rules.triggers.values import may_be_number
from devlint.syntax.python_tree.nodes import arguments, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree

_NOT_GIVEN = (
    *(r"[\[{]", "[!=]=", r"(?:[!=]= |\bin |\bif )", r"in [(\[]", "else ", "(?:return |_types=)"),
    *("_type=", "(?:return f|_type = )", "_types = "),
)
"""What stands before a string that is plainly compared, returned, listed or looked up, by its length."""
_GIVEN = "".join(rf"(?<!{before}{QUOTE}cuda)" for before in _NOT_GIVEN)
_OF_SEVERAL = rf"(?:(?<=[,:]\({QUOTE}cuda)|(?<=[,:] \({QUOTE}cuda)){QUOTE}\s*,\s*(?:{QUOTE}|\))"
"""In a tuple, which is neither called nor assigned, there are others after it."""
_CUDA_GIVEN = rf"cuda(?<={QUOTE}cuda){_GIVEN}(?!{_OF_SEVERAL})"
"""The beginning of a string that names CUDA, but where one is plainly compared, returned, listed or looked up."""
_NO_KEY = rf"(?:(?!{GAP}:)|(?<==\Scuda{QUOTE})|(?<==\s\Scuda{QUOTE}))"
_SOLE_STRING = rf"{OPEN}(?!cuda{CLOSE}{CLOSED},|[^\"'\n]*+{CLOSE}{GAP}[rRuU]?+{QUOTE}|{GAP}[rRuU]?+{QUOTE})"
MAKES_DEVICE = rf"device(?:(?<!\wdevice){CALL}|{GAP}as\b)"
"""A call of ``torch.device``, or an import of it under another name."""


class DeviceString(Leaf):
    """``"cuda"``, ``f"cuda:{i}"`` and what ``torch.device`` makes of them; with ``card`` only those with a number.

    Those that a test chooses, compares or looks up count only with ``chosen``.
    """

    words = (b"cuda",)

    def __init__(self, card: bool = False, chosen: bool = False) -> None:
        self.card = card
        self.chosen = chosen

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        if self.card:
            yield "cuda:", rf"{_CUDA_GIVEN}:"
            return
        if self.chosen:
            yield f"cuda(?<={QUOTE}cuda)"
            return
        rest = rf"{CLOSE}(?![ \t]*+if\b)"
        yield "cuda", rf"cuda(?<={QUOTE}cuda)[^\"'\n]*+{rest}", rf"{_CUDA_GIVEN}(?::[^\"'\n]*+)?+{rest}{_NO_KEY}"
        yield "cuda", ":=", rf":=[^:]*?{QUOTE}cuda"
        yield "cuda", "lambda", rf"lambda\b[^:]*?{QUOTE}cuda"

    def find(self, tree: SyntaxTree) -> Iterator[ast.expr]:
        named = [one for one, text in tree.fact(_named) if not self.card or text.startswith("cuda:")]
        begun = {*named}
        yield from named
        yield from (one for one in tree.fact(_made) if not begun.isdisjoint(arguments(one)))


class DeviceOfTwo(Leaf):
    """``"cuda" if args.cuda else "cpu"``, the choice; torch's own answer is asked in plain sight in most of them.

    So is ``if args.cuda:``, where a device is assigned in both branches.
    """

    words = (b"cuda",)

    def patterns(self) -> Iterator[tuple[str, ...]]:
        yield "cuda", rf"{at_word('else')}[ \t]++(?:[\w.]++\()?+{OPEN}cuda"
        yield "cuda", rf"cuda(?<={QUOTE}cuda)(?::[^\"'\n]*+)?+{CLOSE}\)?+[ \t]++if[ \t]++(?!\w++\.cuda\.is_available)"
        yield "cuda", rf"cuda(?<={QUOTE}cuda)", rf"{at_word('else')}{GAP}:"

    def find(self, tree: SyntaxTree) -> Iterator[ast.IfExp | ast.If]:
        named = {one for one, _ in tree.fact(_named)}
        for choice in tree.of_type(ast.IfExp):
            if not named.isdisjoint(_with_inner([choice.body, choice.orelse])):
                yield choice
        for statement in tree.of_type(ast.If):
            given = [
                [one.value for one in part if isinstance(one, ast.Assign)]
                for part in (statement.body, statement.orelse)
            ]
            if all(given) and not named.isdisjoint(_with_inner([*given[0], *given[1]])):
                yield statement


def _with_inner(values: list[ast.expr]) -> list[ast.expr]:
    """Values, and what the calls among them are given."""
    return [*values, *(given for one in values if isinstance(one, ast.Call) for given in one.args)]


class TorchDevice(Leaf):
    """``torch.device(0)``, ``torch.device("cuda", rank)``: a card; with ``beside_cuda`` in a file that says CUDA.

    A string alone is no card by its number, and another one than ``cuda`` no card of CUDA, unless more strings follow.
    """

    def __init__(self, beside_cuda: bool = False) -> None:
        self.words = (b"cuda",) if beside_cuda else (b"device",)

    def patterns(self) -> Iterator[tuple[str, ...]]:
        yield MAKES_DEVICE, rf"device(?<!\wdevice)(?:{CALL}{OPENED}(?!{_SOLE_STRING})|{GAP}as\b)"

    def find(self, tree: SyntaxTree) -> Iterator[ast.Call]:
        cuda = {one for one, _ in tree.fact(_named)}
        for made in tree.fact(_made):
            given = arguments(made)
            if may_be_number(tree, given[0]) if len(given) == 1 else not cuda.isdisjoint(given):
                yield made


def _made(tree: SyntaxTree) -> list[ast.Call]:
    """What may be calls of ``torch.device``."""
    return [one for one in tree.of_type(ast.Call) if is_made(tree, one)]


def is_made(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be ``torch.device(...)``."""
    return isinstance(node, ast.Call) and any(one.rpartition(".")[2] == "device" for one in tree.called(node.func))


def _named(tree: SyntaxTree) -> list[tuple[ast.expr, str]]:
    """Strings that begin with ``cuda``, and what they are the beginning of, with that beginning."""
    found: list[tuple[ast.expr, str]] = [*tree.strings]
    found += [(one, text_of(one.values[0]) or "") for one in tree.of_type(ast.JoinedStr) if one.values]
    return [(whole, text) for one, text in found if text.startswith("cuda") for whole in _wholes(tree, one)]


def _wholes(tree: SyntaxTree, node: ast.expr) -> Iterator[ast.expr]:
    """A string, and what is made of it: ``"cuda:%d" % i``, ``"cuda:" + str(i)``, ``"cuda:{}".format(i)``."""
    yield node
    parent = tree.parent(node)
    whole = tree.parent(parent) if isinstance(parent, ast.Attribute) else parent
    if isinstance(whole, ast.BinOp) or (isinstance(whole, ast.Call) and whole.func is parent):
        yield whole
