"""Which rules run: codes, prefixes of codes, names and ALL, in layers from the configuration to the command line."""

from __future__ import annotations

from devlint.core.errors import SelectorError, did_you_mean, readable
from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from devlint.core.rule_info import RuleInfo

ALL = "ALL"


class Selection(Record):
    """What one configuration file, or the command line, selects."""

    select: tuple[str, ...] | None = None
    """Replaces all that earlier layers selected or ignored; None leaves it."""
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def catalogue() -> tuple[RuleInfo, ...]:
    """All rules, in order of code."""
    from devlint.core.catalogue import RULES

    return RULES


def matches(selector: str, code: str) -> bool:
    """Whether ``code`` is the code, or begins with the prefix, that ``selector`` names."""
    return selector == ALL or code.startswith(selector)


def check_selectors(selectors: Iterable[str], rules: Sequence[RuleInfo]) -> None:
    """Raise SelectorError at the first selector that no rule answers to."""
    for selector in selectors:
        if selector and any(matches(selector, rule.code) for rule in rules):
            continue
        names = [rule.name for rule in rules]
        hint = did_you_mean(selector.lower(), names) or did_you_mean(selector.upper(), _selectors(rules))
        raise SelectorError(f"unknown rule selector {readable(selector)}{hint}")


def as_selector(text: str, rules: Sequence[RuleInfo]) -> str:
    """The selector that a user has written: the code of the rule with this name, else the text in capital letters."""
    return next((rule.code for rule in rules if rule.name == text.lower()), text.upper())


def _selectors(rules: Sequence[RuleInfo]) -> list[str]:
    """Everything that may be written for a selector."""
    codes = [rule.code for rule in rules]
    return [*codes, *sorted({code[:4] for code in codes}), "DEV", ALL]


def resolve(layers: Iterable[Selection], rules: Sequence[RuleInfo]) -> frozenset[str]:
    """The enabled codes: within a layer the longer selector wins, and ``ignore`` wins over an equally long one."""
    enabled = {rule.code for rule in rules if rule.default}
    for layer in layers:
        chosen = (*(layer.select or ()), *layer.extend_select)
        verdicts = {rule.code: _strength(chosen, rule.code) - _strength(layer.ignore, rule.code) for rule in rules}
        on = {rule.code for rule in rules if verdicts[rule.code] > 0}
        off = {code for code in verdicts if _strength(layer.ignore, code) and code not in on}
        enabled = on if layer.select is not None else (enabled | on) - off
    return frozenset(enabled)


def _strength(selectors: Iterable[str], code: str) -> int:
    """How exactly the best of ``selectors`` names ``code``; 0 if none does."""
    return max(
        (1 if selector == ALL else 1 + len(selector) for selector in selectors if matches(selector, code)), default=0
    )
