"""No fix loses a comment, wherever one stands in the statements that it edits."""

from __future__ import annotations

import pytest

from devlint.rules.base import Rule
from devlint.sources.source import Source
from tests.support import engine
from tests.support.comment_gaps import comment_gaps, comments_in, with_comments
from tests.support.registered import EXAMPLES, RULES, registered
from tests.support.sampling import EVERYTHING, some
from tests.support.targets import target_for

OFTEN, SELDOM = 4, 40
"""One variant in so many is tried of the examples of a rule's manual, and of the code that its tests list."""
MOST = 10
"""No more of one piece of code: some of it is long."""
TEXTS = 4
"""Of the pieces of code that the tests of a rule list, one in so many is tried."""


@pytest.mark.parametrize(("rule", "text"), EXAMPLES)
def test_all_comments_of_examples_stay(rule: type[Rule], text: str) -> None:
    _check_some(rule, text, OFTEN)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_all_comments_of_listed_code_stay(rule: type[Rule]) -> None:
    texts = registered(rule)
    for text in some(texts, TEXTS) if texts else ():
        _check_some(rule, text, SELDOM)


def _check_some(rule: type[Rule], text: str, share: int) -> None:
    chosen = some(comment_gaps(text), share)
    for variant in (with_comments(*one) for one in (chosen if EVERYTHING else chosen[:MOST])):
        if variant is None:
            continue
        result = engine.fix(Source.from_text("commented.py", variant), [rule], target_for(rule), unsafe=True)
        # Not the net is to keep comments, but the fix; what does not parse is another matter.
        assert result.failure is None or "comment" not in result.failure.message, f"{variant}\n{result.failure.message}"
        assert not comments_in(variant) - comments_in(result.text), f"{variant}\n----\n{result.text}"
