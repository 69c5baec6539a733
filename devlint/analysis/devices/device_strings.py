"""Strings that name kinds of devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import (
    CALL,
    CLOSE,
    CLOSED,
    DOT,
    GAP,
    NEAR,
    OPEN,
    OPENED,
    QUOTE,
    any_of,
    brackets,
    imported,
)
from devlint.torch_api.device_naming import DEVICE_TYPES, STRING_METHODS

_TYPE = rf"(?:(?:{'|'.join(sorted(DEVICE_TYPES))})|[a-z]++:\d++){CLOSE}"
_CALLED = r"device(?!_type|_map|s)\w*+"
_DEVICE = rf"{_CALLED}(?:{CLOSED}{brackets()})*+"
_OWNER = rf"{OPENED}(?:\w++(?:{GAP}{brackets()})*+{DOT})*+\w*?"
_IS_DEVICE = rf"\.{GAP}device\b|get_default_device|{imported('torch', ['device'])}"
_METHOD = any_of(STRING_METHODS)
_TO_DEVICE = rf"{_OWNER}{_DEVICE}(?!{DOT}type\b)"
_AS_STRING = (
    rf"(?:{CLOSED}(?:[!=]=|(?:not{GAP})?in\b)(?:{GAP}[(\[{{])*+{GAP}{OPEN}"
    rf"|{GAP}(?:\.|\)(?<!str\(device\)){DOT}){GAP}{_METHOD})"
)
_KEY = rf"\}}{CLOSED}(?:\[|\.{GAP}get{CALL})"
_STRING_BEFORE = rf"{QUOTE}(?:{_TYPE}{CLOSED}[!=]=|{CLOSED}[!=]={_TO_DEVICE})"
_LEFT_OF_IN = rf"in\b(?:(?<={QUOTE}in)|(?<=[\"')t\s\\]\sin))"


def _compared(sign: str) -> Iterator[tuple[str, ...]]:
    """Something compared with a string, which stands next to a sign or, in parentheses, before it."""
    right = rf"(?<!type {sign})(?<!type{sign}){OPENED}{OPEN}{_TYPE}"
    next_to = rf"(?<={QUOTE}{sign})|(?<={QUOTE}\s{sign})|{right}"
    ends = "|".join(rf"(?<={end}{sign})" for end in (r"\n", r"[\s\\]\s", r"[\"'\s\\)]\)", r"[\"'\s\\)]\)\s"))
    yield sign, rf"{sign}(?:{next_to}|{ends})", rf"{sign}(?:{next_to})"
    yield sign, rf"{sign}(?:{next_to}|{ends})", _STRING_BEFORE


_USES: tuple[tuple[str, ...], ...] = (
    *_compared("=="),
    *_compared("!="),
    (
        rf"{_LEFT_OF_IN}{NEAR}device",
        rf"{_LEFT_OF_IN}{_TO_DEVICE}",
        rf"{QUOTE}{CLOSED}(?:not{GAP})?in\b{_TO_DEVICE}",
    ),
    (rf"{_CALLED}(?:{CLOSED}[(\[{{]{NEAR}[)\]}}])??{_AS_STRING}", rf"{_DEVICE}{_AS_STRING}"),
    (rf"{_KEY}{NEAR}device", rf"{_KEY}{_OWNER}device"),
    ("match", rf"match\b{_OWNER}device"),
)
STRING_USES = tuple((*use, _IS_DEVICE) for use in _USES)
"""Patterns of what takes a device for a string: anything compared with a type, else what is called a device."""
_CALLED_DEVICE = regex(r"device(?!_type|_map|s)")
_INDEXED = regex(r"[a-z]+:\d+\Z")


def is_called_device(written: str, word: str) -> bool:
    """Whether an expression names a device by its own words, or by the word that it is compared with."""
    if word in DEVICE_TYPES or is_indexed(word):
        return not written.endswith("type")
    return _CALLED_DEVICE.search(written) is not None


def strings_in(node: cst.CSTNode) -> list[str]:
    """The strings of a tuple, list or set of nothing but plain strings, or of one string alone; else nothing."""
    if not isinstance(node, (cst.Tuple, cst.List, cst.Set)):
        alone = string_value(node)
        return [alone] if alone is not None else []
    words = [string_value(one.value) for one in node.elements if isinstance(one, cst.Element)]
    found = [word for word in words if word is not None]
    return found if len(found) == len(node.elements) else []


def is_indexed(word: str) -> bool:
    """Whether a string names a card by its number: ``cuda:0``."""
    return _INDEXED.match(word) is not None


def string_keys(table: cst.Dict) -> list[str]:
    """The keys of a dict display that are all plain strings, else nothing."""
    words = [string_value(one.key) for one in table.elements if isinstance(one, cst.DictElement)]
    found = [word for word in words if word is not None]
    return found if len(found) == len(table.elements) else []


def strings_of_cases(statement: cst.Match) -> list[str]:
    """The cases of a ``match`` that are all plain strings but for ``_``, else nothing."""
    found: list[str] = []
    for pattern in _patterns([case.pattern for case in statement.cases]):
        word = string_value(pattern.value) if isinstance(pattern, cst.MatchValue) else None
        if word is not None:
            found.append(word)
        elif not isinstance(pattern, cst.MatchAs) or pattern.pattern is not None or pattern.name is not None:
            return []
    return found


def _patterns(cases: Sequence[cst.MatchPattern]) -> Iterator[cst.MatchPattern]:
    """Patterns, with ``a | b`` as two."""
    for case in cases:
        if isinstance(case, cst.MatchOr):
            yield from _patterns([one.pattern for one in case.patterns])
        else:
            yield case
