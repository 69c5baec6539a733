"""How a test comes out where the user says nothing: by the defaults of options, which nothing else sets."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import libcst as cst

from devlint.analysis.apis.option_kinds import default_of
from devlint.analysis.devices.parsed_options import are_parsed_options
from devlint.analysis.guards.changing_flags import is_set_by_name, is_target
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.guards.implications import implies_cuda
from devlint.analysis.guards.option_flags import imported_paths
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.resolution import attributes_named, bindings, is_none
from devlint.analysis.names.string_literals import entry_key, string_value
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.options import may_be_set_elsewhere, options_set_nowhere
from devlint.analysis.slots.argument_devices import is_always_given
from devlint.analysis.slots.given.given_entries import flag_in_entries
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.constant_values import UNKNOWN
from devlint.torch_api.device_naming import holds_options

_DEPTH = 6
"""How many names a value is followed through."""
_COMPARE: dict[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
}


def holds_by_default(ctx: FileContext, test: cst.BaseExpression, *, for_callers: bool = False) -> bool | None:
    """Whether a test holds where the user gives no option; None where options alone do not decide it.

    With ``for_callers`` parameters decide, too, by what all calls of the file give, or a default of True or False.
    """
    return _Defaults(ctx, for_callers).outcome(test, _DEPTH)


def is_by_default(ctx: FileContext, node: cst.BaseExpression, text: str) -> bool:
    """Whether an expression is a text where the user gives no option."""
    return bool(_Defaults(ctx, for_callers=False).value(node, _DEPTH) == text)


def if_option_is_on(ctx: FileContext, statement: cst.CSTNode) -> cst.If | None:
    """The ``if args.gpu >= 0:`` around a statement that fails without CUDA, if the option is on by default.

    None where something further out asks for CUDA, and for targets that are not CUDA alone.
    """
    block = ctx.tree.parent(ctx.tree.parent(statement) or statement)
    owner = ctx.tree.parent(block) if isinstance(block, cst.IndentedBlock) else None
    if not isinstance(owner, cst.If) or owner.body is not block or ctx.target.kind != "cuda":
        return None
    if not implies_cuda(ctx, owner.test) or not holds_by_default(ctx, owner.test):
        return None
    return None if does_without(ctx, owner) else owner


class _Defaults:
    """Values by the defaults of options; UNKNOWN for all others."""

    def __init__(self, ctx: FileContext, for_callers: bool) -> None:
        self.ctx = ctx
        self.for_callers = for_callers

    def outcome(self, test: cst.CSTNode, depth: int) -> bool | None:
        """Whether a test holds."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            held = self.outcome(test.expression, depth)
            return None if held is None else not held
        if isinstance(test, cst.BooleanOperation):
            sides = [self.outcome(one, depth) for one in (test.left, test.right)]
            decides = isinstance(test.operator, cst.Or)
            return decides if decides in sides else None if None in sides else not decides
        if isinstance(test, cst.Comparison):
            return self._compared(test, depth)
        value = self.value(test, depth)
        return None if value is UNKNOWN else bool(value)

    def _compared(self, test: cst.Comparison, depth: int) -> bool | None:
        """The outcome where a number, or how many there are, is compared with one, or a value with a text or None."""
        if len(test.comparisons) != 1 or not isinstance(test.left, (cst.Name, cst.Attribute, cst.Call)):
            return None
        operation, other = test.comparisons[0].operator, test.comparisons[0].comparator
        number, text, compare = _number(other), string_value(other), _COMPARE.get(type(operation))
        value = self.value(test.left, depth)
        if is_none(other) and isinstance(operation, (cst.Is, cst.IsNot)):
            return None if value is UNKNOWN else (value is None) is isinstance(operation, cst.Is)
        if text is not None and compare is not None and isinstance(operation, (cst.Equal, cst.NotEqual)):
            return compare(value, text) if isinstance(value, (int, str)) and not isinstance(value, bool) else None
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return compare(value, number) if compare is not None and number is not None and is_number else None

    def value(self, node: cst.CSTNode, depth: int) -> Any:
        """What an expression is."""
        if depth == 0:
            return UNKNOWN
        if isinstance(node, cst.Call):
            counted = node.args[0].value if len(node.args) == 1 and dotted_name(node.func) == "len" else None
            value = self.value(counted, depth) if counted is not None else UNKNOWN
            return len(value) if isinstance(value, (list, tuple)) else UNKNOWN
        if isinstance(node, cst.Attribute):
            return self._option(node, depth)
        if isinstance(node, cst.Subscript):
            return self._entry(node)
        return self._name(node, depth) if isinstance(node, cst.Name) else UNKNOWN

    def _name(self, name: cst.Name, depth: int) -> Any:
        """What a name is only ever given; for a list that is filled by and by, what it is filled with."""
        if name.value in ("True", "False"):
            return name.value == "True"
        _, found = bindings(self.ctx, name.value, name)
        if len(found) == 1 and found[0].how is How.PARAMETER and self.for_callers:
            return self._parameter(found[0].node, depth)
        if len(found) != 1 or found[0].how is not How.ASSIGN or found[0].value is None:
            return UNKNOWN
        value = found[0].value
        if isinstance(value, cst.List) and not value.elements:
            return self._filled(name, depth)
        if isinstance(value, (cst.Name, cst.Attribute, cst.Subscript)):
            return self.value(value, depth - 1)
        return self._cards_in(value, depth) if isinstance(value, (cst.ListComp, cst.Call)) else UNKNOWN

    def _entry(self, node: cst.Subscript) -> Any:
        """What the project gives all entries of this name: ``params["use_cuda"]``."""
        key = entry_key(node)
        held = flag_in_entries(project_around(self.ctx), own_module(self.ctx), key) if key is not None else None
        return held if held is not None else UNKNOWN

    def _parameter(self, param: cst.CSTNode, depth: int) -> Any:
        """What all calls of the file give alike; a default that is True or False where some give nothing."""
        if not isinstance(param, cst.Param):
            return UNKNOWN
        given: list[Any] = []

        def note(value: cst.BaseExpression) -> bool:
            given.append(self.value(value, depth - 1))
            return True

        if is_always_given(self.ctx, param, note, constructors=True):
            return given[0] if all(one == given[0] for one in given) else UNKNOWN
        is_flag = isinstance(param.default, cst.Name) and param.default.value in ("True", "False")
        return self.value(param.default, depth) if is_flag and param.default is not None else UNKNOWN

    def _option(self, node: cst.Attribute, depth: int) -> Any:
        """The default of ``args.gpu``; of ``args.cuda``, which the program sets to ``not args.no_cuda``, that one's."""
        name = node.attr.value
        is_own = dotted_name(node.value) == "self"
        targets = [one for one in attributes_named(self.ctx, name) if is_target(self.ctx, one)]
        targets = [one for one in targets if is_own or dotted_name(one.value) != "self"]
        targets = [one for one in targets if not self._takes_itself(one)]
        if is_set_by_name(self.ctx, name):
            return UNKNOWN
        if targets:
            return self._assigned(targets, node, depth)
        own = [one for one in program_options(self.ctx) if one.of_parser and one.destination == name]
        if own:
            if not are_parsed_options(self.ctx, node.value) or self._may_be_set_elsewhere(name, name):
                return UNKNOWN
            found = [one.keywords for one in own]
        else:
            dotted = dotted_name(node.value)
            if dotted is None or not holds_options(dotted.rpartition(".")[2]):
                return UNKNOWN
            paths = list(imported_paths(self.ctx, dotted.partition(".")[0], node))
            found = options_set_nowhere(project_around(self.ctx), name, paths)
        values = [*map(default_of, found)]
        return values[0] if values and all(one == values[0] for one in values) else UNKNOWN

    def _takes_itself(self, target: cst.Attribute) -> bool:
        """Whether an option is given what it is: ``args.gpu = gpu``, of a parameter that is always ``args.gpu``."""
        line = self.ctx.tree.parent(self.ctx.tree.parent(target) or target)
        value = line.value if isinstance(line, cst.Assign) else None
        found = bindings(self.ctx, value.value, value)[1] if isinstance(value, cst.Name) else []
        param = found[0].node if len(found) == 1 and found[0].how is How.PARAMETER else None
        same = f"{dotted_name(target.value)}.{target.attr.value}"
        return isinstance(param, cst.Param) and is_always_given(
            self.ctx, param, lambda given: dotted_name(given) == same
        )

    def _assigned(self, targets: list[cst.Attribute], node: cst.Attribute, depth: int) -> Any:
        """What a flag becomes, where one statement sets it for the same options, by what it says of another one."""
        line = self.ctx.tree.parent(self.ctx.tree.parent(targets[0]) or targets[0])
        same = len(targets) == 1 and dotted_name(targets[0].value) == dotted_name(node.value)
        value = line.value if isinstance(line, cst.Assign) else None
        is_negated = isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Not)
        option = value.expression if isinstance(value, cst.UnaryOperation) and is_negated else value
        option = option.left if isinstance(option, cst.Comparison) else option
        if not same or not isinstance(option, cst.Attribute) or option.attr.value == node.attr.value or depth == 1:
            return UNKNOWN
        if value is None or self._may_be_set_elsewhere(node.attr.value, option.attr.value):
            return UNKNOWN
        held = self.outcome(value, depth - 1) if value is not option else None
        return self.value(option, depth - 1) if value is option else UNKNOWN if held is None else held

    def _may_be_set_elsewhere(self, name: str, option: str) -> bool:
        return may_be_set_elsewhere(project_around(self.ctx), name, option)

    def _filled(self, name: cst.Name, depth: int) -> Any:
        """The cards that a list holds in the end, where all that is appended to it comes from one option."""
        given = [one for one in self.ctx.tree.of_type(cst.Call) if dotted_name(one.func) == f"{name.value}.append"]
        found = [self._cards_in(one.args[0].value, depth) if len(one.args) == 1 else UNKNOWN for one in given]
        return found[0] if found and all(one == found[0] for one in found) else UNKNOWN

    def _cards_in(self, node: cst.CSTNode, depth: int) -> Any:
        """The numbers of cards that an expression is made from: ``int(one) for one in args.gpu_ids.split(",")``."""
        if depth == 0:
            return UNKNOWN
        for one in self.ctx.tree.below(node):
            value = self._option(one, depth) if isinstance(one, cst.Attribute) else UNKNOWN
            if isinstance(one, cst.Name):
                _, found = bindings(self.ctx, one.value, one)
                made = found[0] if len(found) == 1 and found[0].how in (How.ASSIGN, How.LOOP) else None
                above = made.value if made is not None and made.value is not None else None
                if made is not None and made.how is How.LOOP:
                    above = getattr(made.node, "iter", None)
                value = self._cards_in(above, depth - 1) if above is not None and above is not node else UNKNOWN
            cards = _cards(value)
            if cards:
                return cards
        return UNKNOWN


def _cards(value: Any) -> list[int] | None:
    """The numbers of cards that a default names: ``"0,1"``, ``[0]``."""
    parts = value.split(",") if isinstance(value, str) else value
    is_list = isinstance(parts, (list, tuple)) and all(str(one).strip().isdecimal() for one in parts)
    return [int(one) for one in parts] if is_list else None


def _number(node: cst.BaseExpression) -> int | None:
    negative = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
    digits = node.expression if isinstance(node, cst.UnaryOperation) else node
    is_number = isinstance(digits, cst.Integer) and digits.value.isdecimal()
    return (-1 if negative else 1) * int(digits.value) if is_number and isinstance(digits, cst.Integer) else None
