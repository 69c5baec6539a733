"""Flags of the program that already mean "use the GPU", and where a device can be built from them."""

from __future__ import annotations

import re
from collections import Counter

import libcst as cst

from devlint.analysis.guards.condition_text import condition_text, is_repeatable, is_strict_flag
from devlint.analysis.guards.configured_flags import asks_elsewhere
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.implications import flag_polarity
from devlint.analysis.guards.kept_flags import kept_flag
from devlint.analysis.guards.option_flags import set_without_asking
from devlint.analysis.guards.questions import Guard
from devlint.analysis.guards.switched_flags import is_switched_by_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import attributes_named, bindings, import_origin, origin
from devlint.analysis.names.scopes import bound_values
from devlint.analysis.owners.uncalled_methods import is_in_uncalled_method
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.stripped_calls import takes_to_cpu, text_without_calls, without_space
from devlint.syntax.tree import children

_BUILTIN = frozenset({"len", "bool", "None", "True", "False"})
_ANSWER = regex(r"[\w.]*(?:cuda|accelerator)\.is_available\(\)\Z")


class Condition(Record):
    """A test that means "use the GPU", as source text, and the dotted names it is made of."""

    text: str
    names: frozenset[str]

    @property
    def is_card(self) -> bool:
        """Whether it asks for a card or None, which mostly means all cards: what asks nothing uses CUDA then, too."""
        return self.text.endswith(" is not None")


@fact
def conditions(ctx: FileContext) -> list[Condition]:
    """The conditions under which the file uses CUDA, the most frequent first."""
    counted: Counter[Condition] = Counter()
    for node in cuda_mentions(ctx):
        for guard in guards_of(ctx, node):
            condition = as_condition(ctx, guard.test, guard.holds)
            if condition is not None and not is_in_uncalled_method(ctx, node):
                counted[condition] += 1
    for assign in ctx.tree.of_type(cst.Assign):
        target = assign.targets[0].target
        if flag_polarity(target) is True and _asks_availability(ctx, assign.value) and dotted_name(target):
            counted[Condition(dotted_name(target) or "", frozenset({dotted_name(target) or ""}))] += 1
    return [condition for condition, _ in counted.most_common() if not _is_refuted(ctx, condition.text)]


def _is_refuted(ctx: FileContext, text: str) -> bool:
    """Whether a test cannot mean "use the GPU": the program uses CUDA where it does not hold, too."""
    return text in _refuted(ctx) or _last_name(text) in _flags_of_storing(ctx)


def _last_name(text: str) -> str | None:
    """``use_cuda`` of ``args.use_cuda``; None for what is more than a name."""
    return text.rpartition(".")[2] if text.replace(".", "").isidentifier() else None


@fact
def _flags_of_storing(ctx: FileContext) -> frozenset[str | None]:
    """Flags that say whether results stay on the GPU: ``y[i] = z if use_cuda else z.cpu()``.

    The last name only, since functions hand such a flag on: ``extract(model, args.use_cuda)``.
    """
    others: dict[int, tuple[cst.If | cst.IfExp, cst.CSTNode]] = {}
    for node in attributes_named(ctx, "cpu"):
        for child, parent in ctx.tree.path_up(node):
            if isinstance(parent, (cst.If, cst.IfExp)) and child is parent.orelse:
                others[id(parent)] = (parent, child.body if isinstance(child, cst.Else) else child)
    found: set[str | None] = set()
    for parent, kept in others.values():
        if text_without_calls(ctx, kept, takes_to_cpu) == without_space(ctx.text_of(parent.body)):
            found.add(_last_name(condition_text(ctx, parent.test, holds=True)))
    return frozenset(found - {None})


@fact
def _refuted(ctx: FileContext) -> frozenset[str]:
    """The tests in whose other branch the program uses CUDA."""
    found = set()
    for node in cuda_mentions(ctx):
        for child, parent in ctx.tree.path_up(node):
            if isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test:
                found.add(condition_text(ctx, parent.test, holds=child is not parent.body))
    return frozenset(found)


def _asks_availability(ctx: FileContext, value: cst.CSTNode) -> bool:
    if isinstance(value, cst.BooleanOperation):
        return _asks_availability(ctx, value.left) or _asks_availability(ctx, value.right)
    return is_cuda_answer(ctx, value)


def is_cuda_answer(ctx: FileContext, value: cst.CSTNode | None) -> bool:
    """Whether a value is ``torch.cuda.is_available()``, also as ``True if … else False``."""
    if isinstance(value, cst.IfExp):
        branches = [one.value if isinstance(one, cst.Name) else "" for one in (value.body, value.orelse)]
        return branches == ["True", "False"] and is_cuda_answer(ctx, value.test)
    return isinstance(value, cst.Call) and origin(ctx, value.func) == "torch.cuda.is_available"


def as_condition(ctx: FileContext, test: cst.BaseExpression, holds: bool) -> Condition | None:
    """The condition a guard's test stands for; None where it means more, or cannot be asked again."""
    if isinstance(ctx.tree.parent(test), cst.Decorator):
        return None
    if not is_strict_flag(ctx, test) or not is_repeatable(ctx, test):
        return None
    names = frozenset(
        name
        for name in _roots(ctx, test)
        if not (_root_origin(ctx, name, test) or "").startswith("torch") and name not in _BUILTIN
    )
    if "#" in ctx.source.text[ctx.span(test).start : ctx.span(test).end]:  # the test stays, for its comment
        return None
    text = condition_text(ctx, test, holds)
    kept = kept_flag(ctx, text, test) if len(names) == 1 else None
    text, names = (kept, frozenset({kept})) if kept is not None else (text, names)
    return Condition(text, names) if not names or not _is_refuted(ctx, text) else None


def _root_origin(ctx: FileContext, dotted: str, at: cst.CSTNode) -> str | None:
    return import_origin(ctx, dotted.partition(".")[0], at)


def is_availability(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether a condition is nothing but torch's own answer: the call itself, or a name for it alone in any file."""
    if not condition.names:
        return "is_available()" in condition.text and " " not in condition.text
    if condition.text not in condition.names:
        return False
    if asks_elsewhere(ctx, condition.text, at):
        return True
    if "." in condition.text:
        return False
    _, found = bindings(ctx, condition.text, at)
    return bool(found) and all(is_cuda_answer(ctx, one.value) for one in found)


def only_asks_for_cuda(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether a flag, or an attribute that classes set to nothing else, says only whether there is CUDA."""
    values = bound_values(ctx, condition.text, at) if condition.text in condition.names else []
    same = len(values) == 1 or "." in condition.text
    if is_availability(ctx, condition, at) or (same and bool(values) and all(is_cuda_answer(ctx, v) for v in values)):
        return True
    return condition.text in condition.names and is_switched_by_cuda(ctx, condition.text, at)


def is_only_question(ctx: FileContext, text: str, at: cst.CSTNode) -> bool:
    """The same of a condition in words: ``torch.cuda.is_available()``, ``use_cuda``, ``args.cuda``."""
    return only_asks_for_cuda(ctx, Condition(text, frozenset() if "(" in text else frozenset({text})), at)


def asks_more_than_torch(ctx: FileContext, text: str, at: cst.CSTNode) -> bool:
    """Whether a condition in words asks more than torch: ``torch.cuda.is_available() and not args.no_cuda``."""
    return " " in text if "(" in text else not is_only_question(ctx, text, at)


def asks_for_cuda(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a guard of ``at`` is more than a flag that the program sets without asking whether there is CUDA."""
    for guard in guards_of(ctx, at):
        condition = as_condition(ctx, guard.test, guard.holds)
        if condition is None or not condition.names:
            return True
        if not all(set_without_asking(ctx, dotted, at) for dotted in condition.names):
            return True
    return False


def runs_without_cuda(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a place is reached only where torch has said that there is no CUDA."""
    for child, parent in ctx.tree.path_up(at):
        if isinstance(parent, (cst.If, cst.IfExp)) and child in (parent.body, parent.orelse):
            condition = as_condition(ctx, parent.test, holds=child is parent.orelse)
            if condition is not None and is_availability(ctx, condition, parent.test):
                return True
    return False


def _without_question(condition: str) -> str:
    """A condition without the test for availability that it begins or ends with, beside a flag."""
    if " or " not in condition:
        condition = re.sub(r"\A[\w.]+\.is_available\(\) and ", "", condition)
    return re.sub(r" and [\w.]+\.is_available\(\)\Z", "", condition)


def is_condition_of(ctx: FileContext, condition: str, guard: Guard) -> bool:
    """Whether a device's condition is the guard's: the same words, or both nothing but torch's own answer."""
    if condition == condition_text(ctx, guard.test, guard.holds):
        return True
    own = as_condition(ctx, guard.test, guard.holds)
    if own is None:
        return False
    if own.text in (condition, _without_question(condition)):
        return True
    asks = _ANSWER.match(condition) or names_answer(ctx, condition, guard.test)
    switched = own.text in own.names and is_switched_by_cuda(ctx, own.text, guard.test)
    return bool(asks) and (switched or is_availability(ctx, own, guard.test))


def is_gpu_under(ctx: FileContext, condition: str | None, guard: Condition, at: cst.CSTNode) -> bool:
    """Whether a device with this condition is a GPU wherever ``guard`` holds on a machine that has one."""
    return condition is not None and (
        guard.text in (condition, _without_question(condition))
        or bool(_ANSWER.match(condition))
        or names_answer(ctx, condition, at)
    )


def names_answer(ctx: FileContext, condition: str, at: cst.CSTNode) -> bool:
    """Whether a name is bound to ``torch.cuda.is_available()`` alone."""
    return condition.isidentifier() and is_availability(ctx, Condition(condition, frozenset({condition})), at)


def _roots(ctx: FileContext, test: cst.CSTNode) -> set[str]:
    """The dotted names a condition is made of, without torch's."""
    found: set[str] = set()
    stack: list[cst.CSTNode] = [test]
    while stack:
        node = stack.pop()
        dotted = dotted_name(node)
        if dotted is not None:
            found.add(dotted)
        else:
            stack += children(node)
    return found
