from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from devlint import documents, engine
from devlint.diagnostic import Diagnostic
from devlint.notebook_source import NotebookSource
from devlint.prefilter import Prefilter
from devlint.programs import Program
from devlint.selection import catalogue
from devlint.settle import FixResult
from devlint.source import Source
from devlint.suppress import Suppressions

_INFOS = {info.code: info for info in catalogue()}


@pytest.fixture(autouse=True)
def _no_finding_is_lost_to_the_prefilter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a rule finds in any test, the cheap look at the bytes must have let the rule look at the file."""
    visible, settle = engine._visible, engine.settle

    def watched(source: Source, found: Iterable[Diagnostic], suppressions: Suppressions) -> tuple[Diagnostic, ...]:
        """All that rules find, before some of it is suppressed."""
        found = list(found)
        _assert_passed(source, found, is_code=not isinstance(source, (NotebookSource, Program)))
        return visible(source, found, suppressions)

    def settled(source: Source, *rest: Any) -> FixResult:
        """What rules find in a text that fixes have made is found only if the file has a word of theirs."""
        result = settle(source, *rest)
        _assert_passed(source, [*result.applied, *result.remaining], is_code=False)
        return result

    monkeypatch.setattr(engine, "_visible", watched)
    monkeypatch.setattr(engine, "settle", settled)
    monkeypatch.setattr(documents, "settle", settled)


def _assert_passed(source: Source, found: Iterable[Diagnostic], is_code: bool) -> None:
    codes = {one.code for one in found} & _INFOS.keys()
    prefilter = Prefilter([_INFOS[code] for code in codes])
    file = source.document if isinstance(source, Program) else source
    data = file.to_bytes(file.text)
    passed = {info.code for info in (prefilter.by_code(data) if is_code else prefilter.by_words(data))}
    assert codes == passed, f"the prefilter would have kept {codes - passed} from finding something in\n{source.text}"
