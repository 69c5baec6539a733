"""Strings that name kinds of devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.torch_api.device_naming import DEVICE_TYPES

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
