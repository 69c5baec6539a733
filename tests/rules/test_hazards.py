"""Every rule's examples in every disguise: nothing crashes, no fix makes a file worse, comments and suppressions hold.

Each example wears a quarter of the disguises against its own rule, and a few against all rules; of the code that the
tests of rules list, a random quarter wears some. `make hazards` tries all.
"""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from devlint.core.diagnostic import Applicability, Diagnostic
from devlint.core.target import Target
from devlint.engine import python_programs
from devlint.engine.request import Result
from devlint.rules.base import Rule
from devlint.sources.source import Source, SourceError
from devlint.syntax.file_context import FileContext
from devlint.syntax.parse_cache import ParseCache
from tests.support import engine
from tests.support.disguises import Disguise, disguises, is_python
from tests.support.registered import EXAMPLES, RULES, registered
from tests.support.sampling import EVERYTHING, some
from tests.support.targets import target_for

OFTEN = 4
"""One disguise in so many is tried with an example of a rule's manual, against that rule."""
SELDOM = 80
"""One in so many is tried against all rules at once, and twice as many of listed code against their own rule."""
TEXTS = 4
"""Of the pieces of code that the tests of a rule list, one in so many is tried."""


@pytest.mark.parametrize(("rule", "text"), EXAMPLES)
def test_examples(rule: type[Rule], text: str) -> None:
    _check_some(list(disguises(text)), rule, OFTEN, SELDOM)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_listed_code(rule: type[Rule]) -> None:
    texts = registered(rule)
    worn = [disguise for text in (some(texts, TEXTS) if texts else []) for disguise in disguises(text)]
    if worn:
        _check_some(worn, rule, SELDOM // 2, SELDOM)


def _check_some(worn: list[Disguise], rule: type[Rule], often: int, seldom: int) -> None:
    """Check some disguises against their own rule, and a few against all."""
    worn = list({disguise.data: disguise for disguise in worn}.values())
    own, every = (set(some(worn, share)) for share in (often, seldom))
    for disguise in (one for one in worn if (one in own or one in every) and one.is_python):
        with _remembering():
            if disguise in own:
                _check(disguise, [rule])
            if disguise in every:
                _check(disguise, RULES)


@contextmanager
def _remembering() -> Iterator[None]:
    """Let all runs over one disguise parse each text once for each target, and ask the same rules about it once."""
    contexts: dict[tuple[Target, str], FileContext] = {}
    reports: dict[tuple[int, tuple[type[Rule], ...]], list[Diagnostic]] = {}
    parsed, reported = ParseCache.context, python_programs._reported

    def context(cache: ParseCache, source: Source, parsed_text: str = "") -> FileContext:
        """What one text is parsed to."""
        key = (cache._target, source.text)
        if key not in contexts:
            contexts[key] = parsed(cache, source, parsed_text)
        return contexts[key]

    def report(ctx: FileContext, rules: list[type[Rule]], *rest: Any) -> list[Diagnostic]:
        """What rules find in it."""
        key = (id(ctx), tuple(rules))
        if key not in reports:
            reports[key] = reported(ctx, rules, *rest)
        return reports[key]

    with (
        mock.patch.object(ParseCache, "context", context),
        mock.patch.object(ParseCache, "keep_only", return_value=None),
        mock.patch.object(python_programs, "_reported", report),
    ):
        yield
    for ctx in contexts.values():
        ctx.forget()


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
