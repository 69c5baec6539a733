"""What conditions say about accelerators of any kind: all that says there is CUDA, and what says so of the others."""

from __future__ import annotations

from devlint.analysis.guards.conditions import NEGATIVE, HasCuda
from devlint.syntax.terms import Assigned, Attribute, Call, Collection, Compare, Constant, Name, Number, String, Term
from devlint.torch_api.accelerator_naming import ACCELERATOR_FLAG, ASKS_FOR_ACCELERATOR, BACKEND_ANSWERS, member_of
from devlint.torch_api.device_naming import ACCELERATORS, ON_EVERY_MACHINE

_ANSWERS = frozenset({"is_available", "current_accelerator", "device_count"})


class HasAccelerator(HasCuda):
    """There is an accelerator, CUDA or another."""

    def is_said(self, test: Term, holds: bool) -> bool:
        """Whether a test says that there is CUDA, or is like ``torch.accelerator.is_available()``."""
        if super().is_said(test, holds):
            return True
        return self._other_comparison(test, holds) if isinstance(test, Compare) else holds and self._is_given(test)

    def _is_given(self, term: Term) -> bool:
        """Whether an expression is an accelerator, or true (or more than 0), only where there is one."""
        match term:
            case Call(function, arguments):
                if all(member_of(one) in _ANSWERS or BACKEND_ANSWERS.match(one) for one in self.names.may_be(function)):
                    return True
                if len(arguments) == 1 and function.dotted in ("bool", "int", "len"):
                    return self.follows(arguments[0])
                return ASKS_FOR_ACCELERATOR.search(function.dotted.rpartition(".")[2]) is not None
            case Attribute(_, name):
                return ACCELERATOR_FLAG.search(name) is not None
            case Name() | Assigned():
                return ACCELERATOR_FLAG.search(term.last_name) is not None or self.value_says(term, self._is_given)
        return False

    def _other_comparison(self, test: Compare, holds: bool) -> bool:
        left, operator, right = test.left, test.operator, test.right
        positive = holds is not (operator in NEGATIVE)
        if isinstance(right, Constant):
            if right.value is None:
                return not positive and self._is_given(left)
            return self.follows(left, right.value is positive)
        words = _device_words(right) or _device_words(left)
        if words is not None:
            return words <= ACCELERATORS if positive else "cpu" in words and words <= ON_EVERY_MACHINE
        if operator in ("==", "!=") and (self._is_type_of_current(left) or self._is_type_of_current(right)):
            return positive
        if not self._is_given(left):
            return False
        if operator in (">", ">=", "<", "<="):
            return holds is operator.startswith(">")
        return isinstance(right, Number) and not positive and right.value == 0

    def _is_type_of_current(self, term: Term) -> bool:
        """Whether a term is the kind of the current accelerator: ``acc.type``."""
        term = term.value if isinstance(term, Attribute) and term.name == "type" else term
        term = (self.names.value(term) or term) if isinstance(term, Name) else term
        return isinstance(term, Call) and all(
            member_of(one) == "current_accelerator" for one in self.names.may_be(term.function)
        )


def _device_words(term: Term) -> set[str] | None:
    """The kinds of device that a string, or a collection of them, names; None where it names something else."""
    match term:
        case Collection(parts):
            found = [_device_words(one) for one in parts]
            return {word for one in found for word in one or ()} if found and all(found) else None
        case Call(function, (argument,)) if function.dotted.endswith("device"):
            term = argument
    text = term.text if isinstance(term, String) else term.dotted
    word = text.replace(".value", "").partition(":")[0].rpartition(".")[2].lower()
    return {word} if word in ACCELERATORS | ON_EVERY_MACHINE else None
