"""The command line options that a program defines, with argparse, optparse, click, typer or absl."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.option_kinds import Keywords
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import is_below_test
from devlint.analysis.names.resolution import making_call, sole_value
from devlint.analysis.names.string_literals import string_value
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.libcst_terms import libcst_term
from devlint.torch_api.device_naming import OPTION_CALLS

PARSE_CALLS = frozenset({"parse_args", "parse_known_args", "parse"})
"""Methods that read the options of the command line."""
_PARSER_METHODS = frozenset({"add_argument", "add_option", "add_arg"})
_DEFAULT_POSITIONS = {"Option": 0, "Argument": 0, "DEFINE_string": 1, "DEFINE_enum": 1}
"""The positional argument that is the default, for the functions that take one."""


class ProgramOption(Record, eq=False):
    """One call that defines an option: ``parser.add_argument("--device", default="cuda")``."""

    call: cst.Call
    names: tuple[str, ...]
    """``-d`` and ``--device``, as they are written."""
    default: cst.Arg | None
    destination: str | None
    """The attribute or parameter that holds the value: ``device``."""
    of_parser: bool
    """Whether the value is an attribute of what the parser returns, as with argparse, and no parameter."""

    @property
    def keywords(self) -> Keywords:
        """What the call is given by keyword."""
        named = ((arg.keyword.value if arg.keyword is not None else arg.star, arg.value) for arg in self.call.args)
        return {name: libcst_term(value) for name, value in named if name}


@fact
def program_options(ctx: FileContext) -> list[ProgramOption]:
    """The options that a file defines."""
    found = map(program_option, ctx.tree.of_type(cst.Call))
    return [option for option in found if option is not None]


def program_option(call: cst.Call) -> ProgramOption | None:
    """The option that a call defines."""
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else (dotted_name(call.func) or "")
    if name not in OPTION_CALLS:
        return None
    keywords = {arg.keyword.value: arg for arg in call.args if arg.keyword is not None}
    default = keywords.get("default") or keywords.get("default_value") or _positional_default(name, call)
    given = [string_value(arg.value) for arg in call.args if arg.keyword is None and arg is not default]
    names = tuple(one.strip() for one in given if one is not None)
    destination = string_value(keywords["dest"].value) if "dest" in keywords else _destination(names)
    return ProgramOption(call, names, default, destination, name in _PARSER_METHODS)


def _positional_default(name: str, call: cst.Call) -> cst.Arg | None:
    position = _DEFAULT_POSITIONS.get(name)
    arg = call.args[position] if position is not None and position < len(call.args) else None
    if arg is None or arg.keyword is not None or (string_value(arg.value) or "").startswith("-"):
        return None
    return arg


def _destination(names: tuple[str, ...]) -> str | None:
    """The name that an option gets from what it is called: a plain word, else its first long name, else its first.

    Of click's ``--cuda/--no-cuda`` the first half.
    """
    names = tuple(one.partition("/")[0].strip() for one in names)
    plain = [one for one in names if not one.startswith("-")]
    long = [one for one in names if one.startswith("--")]
    chosen = next(iter((*plain, *long, *names)), None)
    return chosen.lstrip("-").replace("-", "_") if chosen is not None else None


def may_lack_option(ctx: FileContext, destination: str) -> bool:
    """Whether the file defines an option only under a condition, or for one of several commands: ``add_parser``."""
    calls = [one.call for one in program_options(ctx) if one.destination == destination and one.of_parser]
    return bool(calls) and all(_is_under_condition(ctx, one) for one in calls)


def _is_under_condition(ctx: FileContext, call: cst.Call) -> bool:
    if is_below_test(ctx, call):
        return True
    made = making_call(ctx, call.func.value) if isinstance(call.func, cst.Attribute) else None
    return made is not None and isinstance(made.func, cst.Attribute) and made.func.attr.value == "add_parser"


def holds_parsed_options(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is bound to parsed options: ``args = parser.parse_args()``."""
    value = sole_value(ctx, name)
    called = value.func if isinstance(value, cst.Call) else None
    return isinstance(called, cst.Attribute) and called.attr.value == "parse_args"


def defines_option(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a place is in the definition of an option of the command line."""
    around = (one for one in ctx.tree.ancestors(at) if isinstance(one, cst.Call))
    return any(isinstance(one.func, cst.Attribute) and one.func.attr.value == "add_argument" for one in around)
