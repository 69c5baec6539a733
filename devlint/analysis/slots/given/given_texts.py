"""Whether a call of the project gives a string, or an option that is a number, to a parameter for a device."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.option_kinds import is_int
from devlint.analysis.names.classes import class_of, method_of
from devlint.analysis.names.program_options import program_options
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.calls import CALLS, CallSite, calls_in, handed_on
from devlint.analysis.project.options import OPTIONS, options_set_nowhere
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.python_tree.nodes import dotted_text
from devlint.torch_api.device_naming import CARD_NAME, holds_options

_DEPTH = 3
"""How many functions a parameter that is handed on is followed through."""


@fact_of
def may_be_given_text(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a call in the project gives a parameter a string, as far as the calls show."""
    return is_given_by_calls(ctx, param, _Texts(ctx))


@fact_of
def may_be_given_number(ctx: FileContext, param: cst.Param) -> bool:
    """Whether a call in the project gives a parameter an option that is the number of a card: ``args.gpu``."""
    return is_given_by_calls(ctx, param, _Numbers(ctx))


def is_given_by_calls(ctx: FileContext, param: cst.Param, question: QuestionToCallers) -> bool:
    """Whether a call in the project gives a parameter what is asked for."""
    function = next((up for up in ctx.tree.ancestors(param) if isinstance(up, cst.FunctionDef)), None)
    if function is None:
        return False
    is_method = method_of(ctx, param) is function
    owner = class_of(ctx, function) if is_method and function.name.value == "__init__" else None
    positional = [*function.params.posonly_params, *function.params.params]
    position = next((at - is_method for at, one in enumerate(positional) if one is param), None)
    called = (owner if owner is not None else function).name.value
    return question.is_met(called, param.name.value, position, _DEPTH)


class QuestionToCallers(ABC):
    """What the calls of a project give; parameters that are handed on are followed."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx
        self.project: Project = project_around(ctx)
        self.module = own_module(ctx)

    @abstractmethod
    def _is_option(self, name: str) -> bool:
        """Whether an option of the program is asked for."""

    @abstractmethod
    def _is_value(self, value: ast.expr) -> bool:
        """Whether another expression is."""

    def is_met(self, called: str, name: str, position: int | None, depth: int) -> bool:
        """Whether a call of what is called so gives what is asked for to a parameter."""
        own = calls_in(self.module, called) if self.module is not None else ()
        sites = [*own, *(search(self.project, CALLS, called) or ())]
        return any(self._is_given(site, site.argument(name, position), depth) for site in sites)

    def _is_given(self, site: CallSite, written: str | None, depth: int) -> bool:
        return written is not None and any(self._is_one(site, one, depth) for one in _branches(written))

    def _is_one(self, site: CallSite, value: ast.expr, depth: int) -> bool:
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and holds_options(value.value.id):
            return self._is_option(value.attr)
        if isinstance(value, ast.Name) and depth:
            values = dict(site.values).get(value.id, ())
            return any(self._is_assigned(site, value.id, one, depth - 1) for one in values)
        return self._is_value(value)

    def _is_assigned(self, site: CallSite, name: str, value: str, depth: int) -> bool:
        """Whether what a function assigns to a name, or is given by it, is asked for."""
        given = handed_on(value)
        if given is None:
            return value != "?" and self._is_given(site, value, depth)
        if given.default and self._is_given(site, given.default, depth):
            return True
        is_special = given.function.startswith("__") or given.function in ("forward", "call")
        return not is_special and self.is_met(given.function, name, given.position, depth)


class _Texts(QuestionToCallers):
    """Whether strings are given."""

    def _is_option(self, name: str) -> bool:
        return bool(options_set_nowhere(self.project, name))

    def _is_value(self, value: ast.expr) -> bool:
        return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


class _Numbers(QuestionToCallers):
    """Whether options that are numbers of cards are given."""

    def _is_option(self, name: str) -> bool:
        own = [one.keywords for one in program_options(self.ctx) if one.of_parser and one.destination == name]
        defined = own or [one.keywords for one in search(self.project, OPTIONS, name) or ()]
        return CARD_NAME.match(name) is not None and any(map(is_int, defined))

    def _is_value(self, value: ast.expr) -> bool:
        """``int(args.device)``; not ``int(os.environ["LOCAL_RANK"])``, which the program makes its current card."""
        if not isinstance(value, ast.Call) or dotted_text(value.func) != "int":
            return False
        return len(value.args) == 1 and isinstance(value.args[0], (ast.Name, ast.Attribute))


def _branches(written: str) -> Iterator[ast.expr]:
    """The values that an expression may have."""
    waiting = [ast.parse(written, mode="eval").body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.IfExp):
            waiting += [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            waiting += node.values
        else:
            yield node
