"""What conditions say: whether there is CUDA wherever one is true, or wherever it is false.

Conditions are terms, read from LibCST's tree (``implications``) or from Python's own (the prefilter's guards).
"""

from __future__ import annotations

import re

from devlint.core.lazy_regex import regex
from devlint.syntax.terms import (
    And,
    Assigned,
    Attribute,
    Call,
    Choice,
    Compare,
    Constant,
    Name,
    Not,
    Number,
    Or,
    String,
    Subscript,
    Term,
)
from devlint.torch_api.cuda_naming import IS_CUDA, polarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

AVAILABILITY = frozenset({"torch.cuda.is_available", "torch.accelerator.is_available", "torch.cuda.is_initialized"})
COUNTS = frozenset({"torch.cuda.device_count", "torch.accelerator.device_count"})

_DEPTH = 3
"""How many names are followed: ``ok = has_card and large``, ``has_card = torch.cuda.is_available()``."""
NEGATIVE = ("!=", "is not", "not in")
"""The operators of comparisons that hold where two values differ."""
_CARDS = regex(
    r"_*(?:(?:n|num|number_of|use|which|the|my|cuda|gpu|device)_?)?(?:gpus?|cuda|device)(?:_?(?:ids?|index|idx|num|count|list))?s?_*\Z",
    re.IGNORECASE,
)
_COUNTING = regex(r"_*(?:get_|count_)?(?:n|num|number_of)?_?(?:gpus?|cuda_devices?|cuda_cards?)(?:_count)?\Z")
"""The functions that count cards."""
_AVAILABLE = regex(r"(?:\A|_)(?:is|has)_(?:\w+_)?(?:available|built|loaded)\Z")
"""The functions that say whether there is what their argument names."""
_CUDA_TYPE = regex(r"torch\.cuda\.\w*Tensor\Z")
_NAMED_CUDA = regex(r"(?:\A|_)cuda(?:_|\Z)", re.IGNORECASE)


class Names:
    """What is known of the names in terms; a tree that knows no scopes knows how they are written."""

    def may_be(self, term: Term) -> Collection[str]:
        """The dotted names that a term may stand for; what is asked of the term must be so for each of them."""
        return (term.dotted,)

    def value(self, term: Name | Assigned | Attribute) -> Term | None:
        """The only value of a name, or of ``self.flag``; None where it may have several, or nobody follows it."""
        return None

    def answers_for_cuda(self, function: Term) -> bool:
        """Whether a function answers yes only where there is CUDA; nobody reads its definition here."""
        return False

    def says_cards(self, flag: Term) -> bool:
        """Whether an attribute is True only where a model is spread over cards; nobody reads its class here."""
        return False


class Implication:
    """Something that may be so wherever a test is true, or wherever it is false."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._depth = 0

    def follows(self, test: Term, holds: bool = True) -> bool:
        """Whether it is so wherever ``test`` is true (or, with ``holds=False``, false)."""
        match test:
            case Not(operand):
                return self.follows(operand, not holds)
            case And(parts) | Or(parts):
                sides = (self.follows(one, holds) for one in parts)
                return any(sides) if isinstance(test, And) is holds else all(sides)
            case Name() | Assigned() | Attribute():
                return self.is_said(test, holds) or self.value_says(test, lambda value: self.follows(value, holds))
            case Choice(asked, body, orelse):
                branches = ((asked, True, body), (asked, False, orelse))
                return all(self._branch_says(*one, holds) for one in branches)
        return self.is_said(test, holds)

    def is_said(self, test: Term, holds: bool) -> bool:
        """Whether a test without ``not``, ``and`` and ``or`` says so in its own words."""
        raise NotImplementedError

    def _branch_says(self, asked: Term, chosen: bool, branch: Term, holds: bool) -> bool:
        """Whether it is so wherever a choice takes this branch and the branch is true (or false)."""
        never = isinstance(branch, (Constant, Number)) and bool(branch.value) is not holds
        return never or self.follows(branch, holds) or self.follows(asked, chosen)

    def value_says(self, name: Name | Assigned | Attribute, ask: Callable[[Term], bool]) -> bool:
        """Whether the only value of a name says what is asked, as deep as names are followed."""
        value = self.names.value(name) if self._depth < _DEPTH else None
        if value is None:
            return False
        self._depth += 1
        found = ask(value)
        self._depth -= 1
        return found

    def is_one_of(self, term: Term, members: Collection[str]) -> bool:
        """Whether a name certainly stands for one of these."""
        return all(one in members for one in self.names.may_be(term))


class TorchSaysCuda(Implication):
    """Torch itself has said that there is CUDA."""

    def is_said(self, test: Term, holds: bool) -> bool:
        """Whether a test is ``torch.cuda.is_available()``, ``torch.cuda.device_count() > 0`` or the like."""
        match test:
            case Call(function, _):
                return holds and self.is_one_of(function, AVAILABILITY | COUNTS)
            case Compare(count, operator, Number(number)):
                is_count = self._is_count(count) or (isinstance(count, Name) and self.value_says(count, self._is_count))
                return is_count and _number_says(operator, number, holds)
        return False

    def _is_count(self, term: Term) -> bool:
        return isinstance(term, Call) and self.is_one_of(term.function, COUNTS)


class ProgramSaysCuda(TorchSaysCuda):
    """Torch itself, or a function of the project that asks torch, has said that there is CUDA."""

    def is_said(self, test: Term, holds: bool) -> bool:
        """Whether a test is ``torch.cuda.is_available()``, or the call of a function that asks it."""
        is_own = holds and isinstance(test, Call) and self.names.answers_for_cuda(test.function)
        return is_own or super().is_said(test, holds)


class HasCuda(Implication):
    """There is CUDA: torch says so, a flag by its name, a comparison of devices or of numbers of cards."""

    def is_said(self, test: Term, holds: bool) -> bool:
        """Whether a test is ``torch.cuda.is_available()``, ``args.cuda``, ``device.type == "cuda"`` …"""
        match test:
            case Compare():
                return self._comparison_says(test, holds)
            case Call():
                return self._call_says(test, holds)
            case Name(name) | Attribute(_, name) if name == IS_CUDA:
                return holds
        meaning = polarity(test.last_name)
        if meaning is not None:
            return meaning is holds
        return holds and _CARDS.match(test.last_name) is not None and "device" not in test.last_name.lower()

    def _call_says(self, call: Call, holds: bool) -> bool:
        function = call.function
        if isinstance(function, Attribute) and function.name == "startswith" and len(call.arguments) == 1:
            word = device_word(call.arguments[0])
            return word is not None and _names_device(function) and (word != "cpu") is holds
        if not holds:
            return False
        called = self.names.may_be(function)
        if all(one in AVAILABILITY or one in COUNTS or one.endswith("cuda.is_available") for one in called):
            return True
        if len(call.arguments) == 1 and self.is_one_of(function, ("len", "bool", "int", "str2bool")):
            return self.follows(call.arguments[0])
        if polarity(function.last_name) is True or function.last_name == IS_CUDA:
            return True
        is_kind = function.dotted == "isinstance" and len(call.arguments) == 2
        return _is_answer_for_cuda(call) or (is_kind and _is_cuda_type(call.arguments[1], self.names))

    def _comparison_says(self, test: Compare, holds: bool) -> bool:
        left, operator, right = test.left, test.operator, test.right
        negative = operator in NEGATIVE
        if isinstance(left, Call) and left.function.dotted == "type":
            return holds is not negative and _is_cuda_type(right, self.names)
        word = device_word(left) or device_word(right)
        if word is not None:
            if operator not in ("==", "!=", "in", "not in") or not (_names_device(left) or _names_device(right)):
                return False
            return (word != "cpu") is (holds is not negative)
        if isinstance(right, Constant) and right.value is not None:
            return self.follows(left, right.value is (holds is not negative))
        if not self._counts_cards(left):
            return False
        if isinstance(right, Constant):
            return negative is holds and not left.last_name.lower().endswith("device")
        if isinstance(left, Call) and self.is_one_of(left.function, COUNTS) and not isinstance(right, Number):
            return holds is operator.startswith(">") and operator[0] in "<>"  # as many as a test wants, which is one
        return isinstance(right, Number) and _number_says(operator, right.value, holds)

    def _counts_cards(self, term: Term) -> bool:
        """Whether an expression is a flag, a card's number or a count of cards."""
        if isinstance(term, Call):
            counts = _COUNTING.match(term.function.last_name) is not None
            return counts or self.is_one_of(term.function, COUNTS) or self._call_says(term, True)
        if isinstance(term, Choice):
            counted = [one for one in (term.body, term.orelse) if not (isinstance(one, Number) and one.value <= 0)]
            return bool(counted) and all(map(self._counts_cards, counted))
        if polarity(term.last_name) is True or _CARDS.match(_peel(term).last_name) is not None:
            return True
        return isinstance(term, (Name, Assigned)) and self.value_says(term, self._counts_cards)


class NeedsCuda(HasCuda):
    """There is CUDA, the program talks over NCCL, which takes tensors of CUDA only, or a model is on several cards."""

    def is_said(self, test: Term, holds: bool) -> bool:
        """Whether a test says that there is CUDA, is ``backend == "nccl"``, or calls what asks for CUDA."""
        if super().is_said(test, holds) or says_nccl(test, holds):
            return True
        if holds and isinstance(test, Attribute):
            return self.names.says_cards(test)
        return holds and isinstance(test, Call) and self.names.answers_for_cuda(test.function)


def _is_cuda_type(kind: Term, names: Names) -> bool:
    """Whether a kind of tensor that a test asks for, as ``isinstance`` does and ``type(x) ==``, is on CUDA only."""
    return all(_CUDA_TYPE.match(one) for one in names.may_be(kind))


def _is_answer_for_cuda(call: Call) -> bool:
    """Whether a call asks for something of CUDA's by its name: ``is_extension_available("quanto_cuda")``."""
    asked = call.arguments[0] if len(call.arguments) == 1 else None
    named = isinstance(asked, String) and _NAMED_CUDA.search(asked.text) is not None
    return named and _AVAILABLE.search(call.function.last_name) is not None


def says_nccl(test: Term, holds: bool = True) -> bool:
    """Whether processes talk over NCCL wherever a comparison is true (or false)."""
    if not isinstance(test, Compare) or test.operator not in ("==", "is", "!=", "is not"):
        return False
    named = (
        one.text == "nccl" if isinstance(one, String) else one.dotted.endswith("Backend.NCCL")
        for one in (test.left, test.right)
    )
    return (test.operator in ("==", "is")) is holds and any(named)


def device_word(term: Term) -> str | None:
    """``cuda`` or ``cpu`` for a string (or ``torch.device`` of one) that names such a device."""
    match term:
        case Call(function, (argument,)) if function.dotted.endswith("device"):
            term = argument
    word = term.text.partition(":")[0].lower() if isinstance(term, String) else ""
    return word if word in ("cuda", "cpu", "gpu") else None


def _number_says(operator: str, number: int, holds: bool) -> bool:
    """Whether a comparison of cards with a number says that there are some."""
    if operator in (">", ">="):
        return holds and (number > -1 or operator == ">")
    if operator in ("<", "<="):
        return not holds
    return (operator in NEGATIVE) is (holds if number <= 0 else not holds)


def _names_device(term: Term) -> bool:
    """Whether an expression is a name like ``device``, its type or its text."""
    return "dev" in _peel(term).dotted.lower()


def _peel(term: Term) -> Term:
    """``device.type``, ``str(device)``, ``device.type.startswith`` and ``ids[0]`` without what is around the name."""
    while True:
        match term:
            case Attribute(value, "type" | "startswith" | "lower"):
                term = value
            case Call(function, arguments):
                term = arguments[0] if len(arguments) == 1 and function.dotted == "str" else function
            case Subscript(value, _):
                term = value
            case _:
                return term
