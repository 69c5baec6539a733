"""Where the tensors of a loaded checkpoint go: whether ``load_state_dict`` copies them all, by whatever way they come.

Followed are names, entries, copies, loops over items and the dictionaries that they fill,
``model_dict.update(state)``, functions of the file, and what leaves the values of a tensor as they are. All uses of a
name count, but for those that have another value by then.
"""

from __future__ import annotations

import libcst as cst

from devlint.analysis.checkpoints.entered_functions import entered_function
from devlint.analysis.checkpoints.moved_loads import move_below
from devlint.analysis.checkpoints.number_entries import (
    OF_NUMBERS,
    is_asked_as_plain,
    is_measure,
    is_number_entry,
    writes_number,
    writes_number_by_percent,
)
from devlint.analysis.checkpoints.own_loads import may_keep_given
from devlint.analysis.checkpoints.random_states import sets_random_state
from devlint.analysis.checkpoints.returned_states import calls_of, received
from devlint.analysis.checkpoints.saved_entries import is_saved_without_tensors, may_be_saved_with_tensors
from devlint.analysis.checkpoints.state_keys import COMPREHENSIONS, asks_for_key, gives_keys, key_asked
from devlint.analysis.checkpoints.state_reads import COPIES, may_have, method_looped_over, owner_of_tensor, reads_of
from devlint.analysis.checkpoints.used_modules import copies_by
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext
from devlint.syntax.literals import literal_value

_LOAD = "load_state_dict"
_OF_NO_DEVICE = frozenset("shape size dim ndim dtype numel item keys update".split())
"""What is asked of a tensor or a state that is the same on every device, or only adds to it."""
_SAME_VALUES = frozenset(
    "state_dict items values copy clone detach data contiguous float half double view reshape permute transpose t "
    "squeeze unsqueeze expand repeat get pop cpu".split()
)
"""Attributes and methods whose result holds the same values on every device."""
_LOOKS = frozenset(("len", "isinstance", "type"))
_OPTIONS = frozenset("args opt opts cfg config options hparams flags".split())
"""What keeps what the user says, which is no tensor."""
_ONLY_ASKED = (cst.Expr, cst.If, cst.Del, cst.UnaryOperation)
_MOST_NAMES = 12
"""How many names are followed."""


def takers_of_all(ctx: FileContext, call: cst.Call) -> list[cst.BaseExpression]:
    """The objects whose ``load_state_dict`` takes what a call loads; none if any tensor of it may go elsewhere."""
    flow = _Flow(ctx)
    is_copied = flow.is_only_copied(call)
    if is_copied and not flow.takers:  # only numbers are read, until the name gets another checkpoint
        flow = _Flow(ctx, by_value=False)
        is_copied = flow.is_only_copied(call)
    return flow.takers if is_copied and not flow.moves else []


def moves_of_all(ctx: FileContext, call: cst.Call) -> list[cst.Call]:
    """The calls that move what a call loads before it is used; none if any tensor of it may go elsewhere."""
    flow = _Flow(ctx)
    return flow.moves if flow.is_only_copied(call) and not flow.takers else []


def holds_measure(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the program reads from what a call loads how good it is, which may be a tensor."""
    flow = _Flow(ctx)
    return flow.is_only_copied(call) and not all(
        is_saved_without_tensors(ctx, one) for one in dict.fromkeys(flow.measures)
    )


def also_sets_random_state(ctx: FileContext, call: cst.Call) -> bool:
    """Whether the program also sets the state of random numbers by what a call loads, whose tensors are on the CPU."""
    flow = _Flow(ctx)
    return flow.is_only_copied(call) and flow.sets_random_state


def takers_of_parameter(ctx: FileContext, function: cst.FunctionDef, name: str) -> list[cst.BaseExpression]:
    """The objects whose ``load_state_dict`` takes what a function is given; none if any tensor may go elsewhere."""
    flow = _Flow(ctx)
    scope = scopes(ctx).opened_by(function)
    is_given_alone = len(scope.bindings.get(name, ())) == 1
    return flow.takers if is_given_alone and all(map(flow.is_only_copied, uses_of(ctx, scope, name))) else []


class _Flow:
    """The way of what is loaded through one file."""

    def __init__(self, ctx: FileContext, by_value: bool = True) -> None:
        self.ctx = ctx
        self.by_value = by_value
        self.takers: list[cst.BaseExpression] = []
        self.moves: list[cst.Call] = []
        """What moves an entry, or the whole, by a statement of its own."""
        self.sets_random_state = False
        self.measures: list[str] = []
        """The keys of entries that say how good it is."""
        self._seen: set[tuple[int, str, int]] = set()
        self._calls: dict[int, cst.Call] = {}
        """By function, the call by which the way goes through it."""

    def is_only_copied(self, node: cst.CSTNode) -> bool:
        """Whether the tensors of an expression go into ``load_state_dict`` or nowhere."""
        parent = self.ctx.tree.parent(node)
        if isinstance(parent, cst.Subscript):
            return self._entry(parent)
        if isinstance(parent, cst.Attribute):
            return self._attribute(parent)
        if isinstance(parent, cst.Arg):
            return self._argument(parent)
        if isinstance(parent, (cst.For, cst.CompFor)):
            return parent.iter is node and self._loop(parent)
        if isinstance(parent, cst.Assign):
            return all(self._target(one.target, node) for one in parent.targets)
        if isinstance(parent, cst.AnnAssign):
            return self._target(parent.target, node)
        if isinstance(parent, cst.Return):
            return self._returned(parent)
        if isinstance(parent, cst.IfExp):
            return parent.test is node or self.is_only_copied(parent)
        if isinstance(parent, (cst.BooleanOperation, cst.Dict)):
            return self.is_only_copied(parent)
        if isinstance(parent, cst.FormattedStringExpression):
            return parent.format_spec is not None and self.ctx.text_of(parent.format_spec[-1])[-1:] in OF_NUMBERS
        return self._in_container(parent, node) or isinstance(parent, _ONLY_ASKED) or asks_for_key(parent)

    def _in_container(self, parent: cst.CSTNode | None, node: cst.CSTNode) -> bool:
        """Whether an expression is a value of a dictionary that goes the same way."""
        if isinstance(parent, (cst.DictElement, cst.StarredDictElement)):
            holder = self.ctx.tree.parent(parent)
            return parent.value is node and holder is not None and self.is_only_copied(holder)
        if isinstance(parent, cst.DictComp):
            return parent.value is node and self.is_only_copied(parent)
        if isinstance(parent, cst.Element):
            pair = self.ctx.tree.parent(parent)
            made = self.ctx.tree.parent(pair) if isinstance(pair, (cst.Tuple, cst.List)) else None
            if isinstance(made, cst.Return) and isinstance(pair, cst.Tuple):
                return self._returned(made, pair.elements.index(parent))
            if isinstance(made, cst.BinaryOperation) and isinstance(pair, cst.Tuple):
                return writes_number_by_percent(made, pair.elements.index(parent))
            return isinstance(made, COMPREHENSIONS) and made.elt is pair and self.is_only_copied(made)
        return False

    def _returned(self, statement: cst.Return, position: int | None = None) -> bool:
        """Whether all calls of a function, or the one that led here, only copy what it returns, or one of its values.

        What they move is somewhere else by then, by a name that may mean another device.
        """
        function = scopes(self.ctx).function_of(statement)
        key = id(function), "return", position or 0
        if function is None or key in self._seen:
            return function is not None
        self._seen.add(key)
        entered, moves = self._calls.get(id(function)), len(self.moves)
        calls = calls_of(self.ctx, function) if entered is None else [entered]
        is_copied = bool(calls) and all(self._is_received(one, position) for one in calls)
        return is_copied and len(self.moves) == moves

    def _is_received(self, call: cst.Call, position: int | None) -> bool:
        holder = self.ctx.tree.parent(call)
        if position is None or isinstance(holder, cst.Expr):
            return self.is_only_copied(call)
        target = received(call, holder, position)
        return target is not None and self._target(target, call)

    def _entry(self, entry: cst.Subscript) -> bool:
        """``state["model"]``, ``tensor[:n]``, or such a place that is given a value."""
        if isinstance(self.ctx.tree.parent(entry), cst.AssignTarget):
            return True
        slices = [one.slice for one in entry.slice]
        key = slices[0].value if len(slices) == 1 and isinstance(slices[0], cst.Index) else None
        return self._is_number(entry, key) or self._is_entry_copied(entry, key)

    def _is_entry_copied(self, entry: cst.BaseExpression, key: cst.BaseExpression | None) -> bool:
        """Whether an entry is only copied, or on no device, as the project shows that saves it."""
        before = self.takers[:], self.moves[:], self.measures[:], set(self._seen), dict(self._calls)
        if self.is_only_copied(entry):
            return True
        self.takers, self.moves, self.measures, self._seen, self._calls = before
        return isinstance(key, cst.SimpleString) and is_saved_without_tensors(self.ctx, str(literal_value(key)))

    def _attribute(self, attribute: cst.Attribute) -> bool:
        name, call = attribute.attr.value, self.ctx.tree.parent(attribute)
        if name in _OF_NO_DEVICE:
            return True
        if name not in _SAME_VALUES:
            return False
        if not isinstance(call, cst.Call) or call.func is not attribute:
            return self.is_only_copied(attribute)
        if name not in ("get", "pop") or not call.args:
            return self.is_only_copied(call)
        key = call.args[0].value
        return is_asked_as_plain(self.ctx, call) or self._is_number(call, key) or self._is_entry_copied(call, key)

    def _is_number(self, entry: cst.BaseExpression, key: cst.BaseExpression | None) -> bool:
        is_number = is_number_entry(self.ctx, entry, key)
        if is_number and isinstance(key, cst.SimpleString) and is_measure(key):
            self.measures.append(str(literal_value(key)))
        return is_number

    def _argument(self, arg: cst.Arg) -> bool:
        call = self.ctx.tree.parent(arg)
        if not isinstance(call, cst.Call) or arg.star:
            return False
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else None
        if isinstance(call.func, cst.Attribute) and method == _LOAD:
            assigns = any(one.star or (one.keyword is not None and one.keyword.value == "assign") for one in call.args)
            self.takers.append(call.func.value)
            return call.args[0] is arg and not assigns
        if isinstance(call.func, cst.Attribute) and method == "copy_" and call.args[0] is arg:
            self.takers.append(owner_of_tensor(self.ctx, call.func.value))
            return not may_keep_given(self.ctx, "copy_")
        if sets_random_state(self.ctx, call):
            self.sets_random_state = True
            return True
        if isinstance(call.func, cst.Attribute) and method == "update":
            return isinstance(call.func.value, cst.Name) and self._uses(call.func.value)
        if method in ("get", "pop"):
            return call.args[0] is not arg and self.is_only_copied(call)
        if isinstance(call.func, cst.Attribute) and method == "format":
            return writes_number(call.func.value, call.args.index(arg))
        called = origin(self.ctx, call.func) or dotted_name(call.func)
        if called in _LOOKS or (called in COPIES and self.is_only_copied(call)) or self._function(call, arg):
            return True
        return isinstance(call.func, cst.Attribute) and len(call.args) == 1 and self._own_method(call.func)

    def _own_method(self, method: cst.Attribute) -> bool:
        self.takers.append(method.value)
        return copies_by(self.ctx, method.value, method.attr.value)

    def _function(self, call: cst.Call, arg: cst.Arg) -> bool:
        """Whether a function of the file gives tensors to nothing else, nor the call what it returns of them."""
        entered = entered_function(self.ctx, call, arg)
        if entered is None or self._calls.get(id(entered[0]), call) is not call:
            return False
        self._calls[id(entered[0])] = call
        scope = scopes(self.ctx).opened_by(entered[0])
        return all(map(self.is_only_copied, uses_of(self.ctx, scope, entered[1].value)))

    def _target(self, target: cst.BaseExpression, given: cst.CSTNode) -> bool:
        """Whether what is given to a name, or put into what a name stands for, goes nowhere else.

        Options are numbers and texts, but where the program itself saves something else under the key.
        """
        move = move_below(self.ctx, target) if isinstance(target, (cst.Name, cst.Attribute)) else None
        if move is not None:
            self.moves.append(move)
            return True
        if isinstance(target, cst.Attribute):
            is_option = isinstance(target.value, cst.Name) and target.value.value.lower() in _OPTIONS
            return is_option and not may_be_saved_with_tensors(self.ctx, key_asked(given))
        holder = target.value if isinstance(target, cst.Subscript) else target
        return isinstance(holder, cst.Name) and self._uses(holder, is_given=holder is target)

    def _loop(self, loop: cst.For | cst.CompFor) -> bool:
        """``for key, tensor in state.items()``; a loop over the state itself gives keys, if they are used so."""
        method = method_looped_over(loop)
        target: cst.BaseExpression | cst.BaseAssignTargetExpression = loop.target
        if method == "items" and isinstance(target, cst.Tuple) and len(target.elements) == 2:
            target = target.elements[1].value
        elif method != "values":
            return isinstance(target, cst.Name) and gives_keys(self.ctx, reads_of(self.ctx, target))
        return isinstance(target, cst.Name) and self._uses(target)

    def _uses(self, name: cst.Name, is_given: bool = False) -> bool:
        """Whether all reads of a name, or of the value that it is given here, give tensors to nothing else."""
        scope = scopes(self.ctx).binder(name.value, name)
        key = id(scope), name.value, id(name) if is_given else 0
        if key in self._seen:
            return True
        self._seen.add(key)
        if scope is None or scope.is_class or len(self._seen) > _MOST_NAMES:
            return False
        reads = reads_of(self.ctx, name)  # what a module never reads it may have for others
        if is_given and self.by_value:
            reads = [one for one in reads if may_have(self.ctx, one, name)]
        return (bool(reads) or scope.is_function) and all(self.is_only_copied(one) for one in reads)
