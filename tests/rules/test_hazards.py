"""Every rule's examples in every disguise: nothing crashes, no fix makes a file worse, comments and suppressions hold.

Each example wears a quarter of the disguises against its own rule, and a few against all rules; `make hazards` tries all.
"""

from __future__ import annotations

import io
import tokenize
from collections import Counter

import pytest

from devlint.core.diagnostic import Applicability, Diagnostic
from devlint.engine.request import Result
from devlint.rules.base import Rule
from devlint.sources.source import Source, SourceError
from tests.support import engine
from tests.support.disguises import Disguise, disguises, is_python
from tests.support.manual import examples
from tests.support.registered import RULES, registered
from tests.support.sampling import EVERYTHING, some
from tests.support.targets import target_for

OFTEN = 4
"""One disguise in so many is tried with an example of a rule's manual, against that rule."""
SELDOM = 80
"""One in so many is tried with the code that the tests of rules list, and against all rules at once."""
_LOSE_COMMENTS = frozenset({"DEV205"})
"""Rules that may drop a comment between needless parentheses; to become empty."""


def cases() -> list[object]:
    found: list[object] = []
    for rule in RULES:
        for number, example in enumerate(examples(rule)):
            found.append(pytest.param(rule, example.before, OFTEN, id=f"{rule.code}-example{number}"))
        for number, text in enumerate(registered(rule)):
            found.append(pytest.param(rule, text, SELDOM, id=f"{rule.code}-{number}"))
    return found


@pytest.mark.parametrize(("rule", "text", "share"), cases())
def test_disguises(rule: type[Rule], text: str, share: int) -> None:
    worn = list(disguises(text))
    for disguise in some(worn, share):
        _check(disguise, [rule])
    for disguise in some(worn, SELDOM):
        _check(disguise, RULES)


def _check(disguise: Disguise, rules: list[type[Rule]]) -> None:
    source = Source.from_bytes("disguise.py", disguise.data)
    where = f"{disguise.name}, {'all' if rules is RULES else rules[0].code}:\n{source.text}\n----\n"
    found = engine.lint(source, rules, target_for(rules[0]))
    assert found.failure is None, where + found.failure.message
    kinds = {one.fix.applicability for one in found.diagnostics if one.fix is not None}
    for unsafe in {kind is Applicability.UNSAFE for kind in kinds}:
        result = engine.fix(source, rules, target_for(rules[0]), unsafe)
        assert result.failure is None, where + result.failure.message
        _check_result(source, result, rules, unsafe, where)
    if found.diagnostics:
        _check_suppressed(source, found.diagnostics, rules, where)


def _check_result(source: Source, result: Result, rules: list[type[Rule]], unsafe: bool, where: str) -> None:
    where += result.text
    if EVERYTHING:
        again = engine.fix(Source(source.path, result.text, source.encoding), rules, target_for(rules[0]), unsafe)
        assert again.text == result.text, where + "\n---- a second time gives\n" + again.text
    assert is_python(result.text) or not is_python(source.text), where
    if not _LOSE_COMMENTS.intersection(one.code for one in result.applied):
        assert not _comments(source.text) - _comments(result.text), where
    if not result.applied:
        assert result.text == source.text, where
    if "\r\n" in source.text:
        assert "\n" not in result.text.replace("\r\n", ""), where
    if source.text.endswith("\n") and source.text:
        assert result.text.endswith("\n"), where
    assert source.to_bytes(result.text), where


def _comments(text: str) -> Counter[str]:
    return Counter(token.string for token in _comment_tokens(text))


def _comment_tokens(text: str) -> list[tokenize.TokenInfo]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token for token in tokens if token.type == tokenize.COMMENT]


def _check_suppressed(source: Source, found: tuple[Diagnostic, ...], rules: list[type[Rule]], where: str) -> None:
    """``# noqa`` on every line of a finding silences it, and keeps the line as it is."""
    lines = list(io.StringIO(source.text, newline=""))  # a form feed ends no line
    for row in {one.location.row for one in found} | {one.end_location.row for one in found}:
        body = lines[row - 1].rstrip("\r\n")
        if "#" not in body and not body.endswith("\\"):
            lines[row - 1] = f"{body}  # noqa{lines[row - 1][len(body) :]}"
    text = "".join(lines)
    if not is_python(text) or _comments(text) == _comments(source.text):
        return
    try:
        silenced = Source.from_bytes(source.path, source.to_bytes(text))
    except SourceError:
        return
    result = engine.fix(silenced, rules, target_for(rules[0]), True)
    assert result.failure is None, where + result.failure.message
    kept = Counter(line.rstrip("\r\n") for line in io.StringIO(result.text))
    rows = [line.rstrip("\r\n") for line in io.StringIO(text)]
    # In a string of several lines it is no comment.
    silenced_rows = {rows[token.start[0] - 1] for token in _comment_tokens(text) if "# noqa" in token.string}
    assert all(kept[row] > 0 for row in silenced_rows), where + result.text
