"""What an option takes, and what it is where the user does not give it: decided once, for both trees.

An option is told by the keywords of the call that defines it: ``add_argument("--gpu", type=int, default=0)``.
"""

from __future__ import annotations

from devlint.syntax.python_tree.constant_values import UNKNOWN
from devlint.syntax.terms import Collection, Constant, Name, Number, String, Term

Keywords = dict[str, Term]
"""What the call is given by keyword; ``**options`` under two stars."""
STARS = "**"
_SWITCHES = {"store_true": False, "store_false": True, "store_const": None}
"""Actions that take no value, and what an option is without one."""


def default_of(given: Keywords) -> object:
    """What an option is where the user does not give it, as its type makes it; UNKNOWN where no constant says so."""
    action = given.get("action")
    switch = _SWITCHES.get(action.text, UNKNOWN) if isinstance(action, String) else UNKNOWN
    if "default" not in given:
        return switch
    if action is not None and switch is UNKNOWN:
        return UNKNOWN
    value, kind = _constant(given["default"]), given.get("type")
    if isinstance(value, str):
        return value if kind is None or kind.dotted == "str" else UNKNOWN
    return value if isinstance(value, (int, list)) or (value is None and action is not None) else UNKNOWN


def _constant(term: Term) -> object:
    if isinstance(term, String):
        return term.text
    if isinstance(term, (Number, Constant)):
        return term.value
    parts = [_constant(one) for one in term.parts] if isinstance(term, Collection) else [UNKNOWN]
    return UNKNOWN if UNKNOWN in parts else parts


def is_off(given: Keywords) -> bool:
    """Whether an option is a switch that is off unless somebody asks for it: ``action="store_true"``."""
    return "action" in given and not default_of(given)


def is_none_unless_given(given: Keywords) -> bool:
    """Whether an option is None where the user does not give it."""
    is_other = not given.keys().isdisjoint({"action", "required", STARS})
    return not is_other and _is_none(given.get("default"))


def reads_int(given: Keywords) -> bool:
    """Whether what the user gives is read as a whole number, or as several."""
    kind = given.get("type")
    return isinstance(kind, Name) and kind.name == "int"


def is_int(given: Keywords) -> bool:
    """Whether an option is one whole number, or None by default."""
    is_one = reads_int(given) and "nargs" not in given and "action" not in given
    return is_one and _is_number_or_none(given.get("default"))


def are_ints(given: Keywords) -> bool:
    """Whether an option is a list of whole numbers; by default it may be one number, or None."""
    if not reads_int(given) or "nargs" not in given or "action" in given:
        return False
    default = given.get("default")
    return all(map(_is_number_or_none, default.parts if isinstance(default, Collection) else (default,)))


def _is_number_or_none(default: Term | None) -> bool:
    return _is_none(default) or isinstance(default, Number)


def _is_none(default: Term | None) -> bool:
    return default is None or (isinstance(default, Constant) and default.value is None)
