"""Whether an expression is certainly a number, so that ``torch.device("cuda", i)`` can be built from it.

What is called ``rank`` or ``gpu`` is mostly a number, but may be a string or a device; only values count here.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.option_kinds import are_ints, is_int
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, index_literal
from devlint.analysis.devices.number_options import asks_for_list
from devlint.analysis.devices.option_files import definers_beside, option_files
from devlint.analysis.devices.parsed_options import are_parsed_options, is_called_here_only, values_given_to
from devlint.analysis.guards.changing_flags import is_set_by_name, is_set_elsewhere
from devlint.analysis.guards.option_flags import arguments_elsewhere, imported_paths
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.control_flow import statements_above
from devlint.analysis.names.given_arguments import Rank, given_arguments
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.resolution import attributes_named, bindings, is_none, origin, uses_of
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.options import options_set_nowhere, set_elsewhere_to_others
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options

_NAMED = (cst.Name, cst.Attribute, cst.Subscript)
_COUNTS = frozenset(
    "torch.distributed.get_rank torch.distributed.get_world_size torch.distributed.get_node_local_rank "
    "torch.cuda.current_device torch.cuda.device_count".split()
)
_KEEP = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide, cst.Modulo)
_KEEP_AUGMENTED = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign, cst.FloorDivideAssign, cst.ModuloAssign)


def is_number(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an expression is an int in every run, or None."""
    return _Numbers(ctx).is_number(node)


def card_literal(ctx: FileContext, node: cst.BaseExpression) -> CudaLiteral | None:
    """An expression that is a device index, or a name that is certainly a number, as the device that it names."""
    literal = index_literal(ctx, node)
    if literal is not None or not isinstance(node, _NAMED) or not is_number(ctx, node):
        return literal
    values = bound_values(ctx, ctx.text_of(node), node)
    is_current = is_none(node) or (bool(values) and all(map(is_none, values)))
    return None if is_current else CudaLiteral(node, LiteralKind.NUMBER, ctx.text_of(node))


class _Numbers:
    """One question; names that are asked for already are taken for numbers until something else shows."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self._asked: set[tuple[int, str]] = set()

    def is_number(self, node: cst.CSTNode | None) -> bool:
        """Whether a value is an int or None."""
        if isinstance(node, cst.Integer) or is_none(node):
            return True
        if isinstance(node, cst.BinaryOperation):
            return isinstance(node.operator, _KEEP) and self.is_number(node.left) and self.is_number(node.right)
        if isinstance(node, cst.BooleanOperation):
            return self.is_number(node.left) and self.is_number(node.right)
        if isinstance(node, cst.IfExp):
            either = self.is_number(node.body) and self.is_number(node.orelse)
            return either or (asks_for_list(self.ctx, node) and self.is_number(node.body))
        if isinstance(node, cst.Subscript):
            is_item = len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index)
            return is_item and self._lists_numbers(node.value)
        if isinstance(node, cst.Call):
            return self._counts(node)
        if isinstance(node, cst.Name):
            return self._name(node)
        return isinstance(node, cst.Attribute) and self._attribute(node)

    def _counts(self, call: cst.Call) -> bool:
        """``int(…)``, ``len(…)`` and what torch counts."""
        if origin(self.ctx, call.func) in _COUNTS:
            return True
        name = call.func.value if isinstance(call.func, cst.Name) else ""
        return name in ("int", "len") and scopes(self.ctx).binder(name, call) is None

    def _name(self, name: cst.Name) -> bool:
        scope, found = bindings(self.ctx, name.value, name)
        if scope is None or (id(scope), name.value) in self._asked:
            return scope is not None
        self._asked.add((id(scope), name.value))
        return all(self._binding(one) for one in found)

    def _binding(self, one: Binding) -> bool:
        if one.how is How.ASSIGN:
            return self.is_number(one.value)
        if one.how is How.LOOP:
            return _runs_over_numbers(one)
        if one.how is How.AUGMENTED and isinstance(one.node, cst.AugAssign):
            return isinstance(one.node.operator, _KEEP_AUGMENTED) and self.is_number(one.node.value)
        return one.how is How.PARAMETER and isinstance(one.node, cst.Param) and self._parameter(one.node)

    def _parameter(self, param: cst.Param) -> bool:
        """A parameter that is declared as a number, or is given nothing else in all of the project."""
        if param.default is not None and not self.is_number(param.default):
            return False
        if param.annotation is not None and self.ctx.text_of(param.annotation.annotation) == "int":
            return True
        given = [] if self._is_method_for_others(param) else given_arguments(self.ctx, param)
        if given is None or not all(self._is_given(one) for one in given):
            return False
        if given and is_called_here_only(self.ctx, param):
            return True
        elsewhere = arguments_elsewhere(self.ctx, param)
        return bool(elsewhere) and all(self._is_number_elsewhere(one) for one in elsewhere or ())

    def _is_method_for_others(self, param: cst.Param) -> bool:
        """Whether a parameter is one of a method that this file itself never names."""
        function = next(up for up in self.ctx.tree.ancestors(param) if isinstance(up, cst.FunctionDef))
        is_method = not function.decorators and method_of(self.ctx, param) is function
        return is_method and not attributes_named(self.ctx, function.name.value)

    def _is_number_elsewhere(self, text: str | None) -> bool:
        """Whether another file gives a number, or an option that is one; a default has been looked at."""
        if text is None or text.isdecimal():
            return True
        owner, _, name = text.rpartition(".")
        is_name = bool(owner) and owner.replace(".", "").isidentifier() and name.isidentifier()
        return is_name and self._is_option_elsewhere(owner, name)

    def _is_option_elsewhere(
        self, owner: str, name: str, imported: Sequence[str] = (), within: frozenset[str] | None = None
    ) -> bool:
        """Whether other files define the option ``args.name``, as an int, and nothing gives it another value."""
        options = options_set_nowhere(project_around(self.ctx), name, imported, True, within)
        return holds_options(owner.rpartition(".")[2]) and bool(options) and all(map(is_int, options))

    def _is_given(self, given: cst.BaseExpression | Rank) -> bool:
        return isinstance(given, Rank) or self.is_number(given)

    def _attribute(self, node: cst.Attribute) -> bool:
        """``args.gpu``, an option that is an int, or ``self.rank``; whatever assigns it assigns a number."""
        dotted, attribute = dotted_name(node), node.attr.value
        if dotted is None or dotted.count(".") != 1:
            return False
        owner = scopes(self.ctx).binder(dotted.partition(".")[0], node)
        if (id(owner), dotted) in self._asked:
            return True
        self._asked.add((id(owner), dotted))
        method, definition = method_of(self.ctx, node), class_of(self.ctx, node)
        values = values_given_to(self.ctx, attribute)
        if values is None or is_set_by_name(self.ctx, attribute) or not all(map(self.is_number, values)):
            return False
        if method is not None and definition is not None and self_name(method) == dotted.partition(".")[0]:
            return bool(values) and not is_set_elsewhere(self.ctx, definition, attribute)
        if self._is_assigned_above(node):
            project = project_around(self.ctx)
            known = set_from_outside(project, attribute) is not None
            return known and not set_elsewhere_to_others(project, attribute)
        own = [one for one in program_options(self.ctx) if one.of_parser and one.destination == attribute]
        if not own:
            holder = dotted.rpartition(".")[0]
            imported = list(imported_paths(self.ctx, holder, node))
            within = self._given_from(node.value)
            if within is None:  # the options of another program say nothing about those of this one
                within = definers_beside(project_around(self.ctx), attribute) | {*imported}
            return self._is_option_elsewhere(holder, attribute, imported, within)
        if not all(is_int(one.keywords) for one in own) or not are_parsed_options(self.ctx, node.value):
            return False
        return not set_elsewhere_to_others(project_around(self.ctx), attribute)

    def _given_from(self, holder: cst.BaseExpression) -> frozenset[str] | None:
        """The files that define the options which a function is given under a name; None where nobody knows."""
        table = scopes(self.ctx)
        _, found = bindings(self.ctx, holder.value, holder) if isinstance(holder, cst.Name) else (None, [])
        param = found[0].node if len(found) == 1 else None
        function = table.function_of(param) if isinstance(param, cst.Param) else None
        if function is None or not isinstance(param, cst.Param) or table.opened_by(function).parent is not table.module:
            return None
        if uses_of(self.ctx, table.module, function.name.value):
            return None
        position = next((at for at, one in enumerate(function.params.params) if one is param), None)
        return option_files(project_around(self.ctx), function.name.value, param.name.value, position)

    def _is_assigned_above(self, node: cst.Attribute) -> bool:
        """Whether the function has assigned an attribute of a variable before it reads it: ``args.gpu = gpu``."""
        function, owner = scopes(self.ctx).function_of(node), dotted_name(node.value)
        if function is None or owner is None or len(bindings(self.ctx, owner, node)[1]) != 1:
            return False
        above = [one for one in statements_above(self.ctx, node, function) if isinstance(one, cst.SimpleStatementLine)]
        assigned = [small for line in above for small in line.body if isinstance(small, cst.Assign)]
        return any(dotted_name(to.target) == dotted_name(node) for one in assigned for to in one.targets)

    def _lists_numbers(self, node: cst.BaseExpression) -> bool:
        """Whether all items of a list are numbers: ``[0, 1]``, ``range(n)``, ``[args.gpus[i] for i in range(n)]``."""
        if isinstance(node, (cst.List, cst.Tuple)):
            items = [one.value for one in node.elements if isinstance(one, cst.Element)]
            return len(items) == len(node.elements) and all(map(self.is_number, items))
        if isinstance(node, cst.ListComp):
            return self.is_number(node.elt)
        if isinstance(node, cst.Call):
            name = node.func.value if isinstance(node.func, cst.Name) else ""
            if scopes(self.ctx).binder(name, node) is not None or not node.args:
                return False
            return name == "range" or (name in ("list", "sorted") and self._lists_numbers(node.args[0].value))
        if isinstance(node, cst.Name):
            scope, found = bindings(self.ctx, node.value, node)
            values = [one.value for one in found if one.how is How.ASSIGN and one.value is not None]
            if scope is None or not values or len(values) != len(found) or not all(map(self._lists_numbers, values)):
                return False
            return not any(_may_change(self.ctx, one) for one in uses_of(self.ctx, scope, node.value))
        return isinstance(node, cst.Attribute) and self._option_lists_numbers(node)

    def _option_lists_numbers(self, node: cst.Attribute) -> bool:
        """Whether items of ``args.gpus`` are numbers: the options say ``type=int, nargs="+"``, and nobody sets it."""
        attribute = node.attr.value
        own = [one for one in program_options(self.ctx) if one.of_parser and one.destination == attribute]
        if not own or not all(are_ints(one.keywords) for one in own) or values_given_to(self.ctx, attribute) != []:
            return False
        if is_set_by_name(self.ctx, attribute) or not are_parsed_options(self.ctx, node.value):
            return False
        return not set_from_outside(project_around(self.ctx), attribute)


def _may_change(ctx: FileContext, use: cst.Name) -> bool:
    """Whether something may put other items into a list: ``cards.append(x)``, ``cards[0] = x``, ``cards += x``."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, cst.Subscript) and parent.value is use:
        return isinstance(ctx.tree.parent(parent), (cst.AssignTarget, cst.AugAssign, cst.AnnAssign))
    return isinstance(parent, (cst.Attribute, cst.AugAssign))


def _runs_over_numbers(binding: Binding) -> bool:
    """Whether a loop's variable counts: ``for i in range(n)``, ``for i, x in enumerate(xs)``."""
    loop = binding.node
    over = loop.iter if isinstance(loop, (cst.For, cst.CompFor)) else None
    target = loop.target if isinstance(loop, (cst.For, cst.CompFor)) else None
    called = over.func.value if isinstance(over, cst.Call) and isinstance(over.func, cst.Name) else ""
    if called == "range":
        return isinstance(target, cst.Name)
    first = target.elements[0].value if isinstance(target, cst.Tuple) and target.elements else None
    return called == "enumerate" and isinstance(first, cst.Name) and first.value == binding.name
