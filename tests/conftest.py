from __future__ import annotations

from collections.abc import Sequence

import pytest

from devlint import engine
from devlint.context import FileContext
from devlint.diagnostic import Diagnostic
from devlint.directives import Heeded
from devlint.prefilter import Prefilter
from devlint.rule import Rule
from devlint.selection import catalogue

_INFOS = {info.code: info for info in catalogue()}


@pytest.fixture(autouse=True)
def _no_finding_is_lost_to_the_prefilter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a rule finds in any test, the cheap look at the bytes must have let the rule look at the file."""
    findings = engine._findings

    def watched(
        ctx: FileContext, rules: Sequence[type[Rule]], enabled: frozenset[str], heeded: Heeded
    ) -> tuple[Diagnostic, ...]:
        found = findings(ctx, rules, enabled, heeded)
        data = ctx.source.text.encode("utf-8", "surrogatepass")
        codes = {one.code for one in found} & {rule.code for rule in rules} & _INFOS.keys()
        prefilter = Prefilter([_INFOS[code] for code in codes])
        codes = {info.code for info in prefilter.by_words(data)}
        passed = {info.code for info in prefilter.by_code(data)}
        assert codes == passed, (
            f"the prefilter would have kept {codes - passed} from finding something in\n{ctx.source.text}"
        )
        return found

    monkeypatch.setattr(engine, "_findings", watched)
