from __future__ import annotations

from collections.abc import Iterable

import pytest

from devlint import engine
from devlint.diagnostic import Diagnostic
from devlint.encoding import SourceError
from devlint.notebook_source import NotebookSource
from devlint.prefilter import Prefilter
from devlint.programs import Program
from devlint.selection import catalogue
from devlint.source import Source
from devlint.suppress import Suppressions

_INFOS = {info.code: info for info in catalogue()}


@pytest.fixture(autouse=True)
def _no_finding_is_lost_to_the_prefilter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a rule finds in any test, the cheap look at the bytes must have let the rule look at the file."""
    visible = engine._visible

    def watched(source: Source, found: Iterable[Diagnostic], suppressions: Suppressions) -> tuple[Diagnostic, ...]:
        """All that rules find, before some of it is suppressed."""
        found = list(found)
        _assert_passed(source, found, is_code=not isinstance(source, (NotebookSource, Program)))
        return visible(source, found, suppressions)

    monkeypatch.setattr(engine, "_visible", watched)


def _assert_passed(source: Source, found: Iterable[Diagnostic], is_code: bool) -> None:
    codes = {one.code for one in found} & _INFOS.keys()
    prefilter = Prefilter([_INFOS[code] for code in codes])
    file = source.document if isinstance(source, Program) else source
    try:
        data = file.to_bytes(file.text)
    except SourceError:  # a text that no file holds
        data = file.text.encode("utf-8", "surrogatepass")
    passed = {info.code for info in (prefilter.by_code(data) if is_code else prefilter.by_words(data))}
    assert codes == passed, f"the prefilter would have kept {codes - passed} from finding something in\n{source.text}"
