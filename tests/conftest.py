from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import HealthCheck, settings

from devlint.analysis.project.ask import project_around
from devlint.config.selection import catalogue
from devlint.core.diagnostic import Diagnostic
from devlint.engine import python_programs
from devlint.rules.base import Rule
from devlint.rules.prefilter.rule_filter import Prefilter
from devlint.sources.encoding import SourceError
from devlint.syntax.documents.embedded_programs import EmbeddedProgram
from devlint.syntax.file_context import FileContext
from devlint.syntax.notebooks.notebook_source import NotebookSource

pytest.register_assert_rewrite("tests.support")  # a failure in its functions shows the values, too
# No clock decides: an example is as slow as the machine is busy.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")
_SLOW_SHARE = "--slow-share"
_INFOS = {info.code: info for info in catalogue()}


def pytest_addoption(parser: pytest.Parser) -> None:
    say = "of the tests marked slow, run one in N, which the seed chooses (`make check`: one in four)"
    parser.addoption(_SLOW_SHARE, type=int, default=1, metavar="N", help=say)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests at random; every worker leaves out the same ones."""
    from tests.support.sampling import EVERYTHING

    share, seed = config.getoption(_SLOW_SHARE), config.getoption("randomly_seed", None)
    if share == 1 or seed is None or EVERYTHING:
        return
    slow = [one for one in items if one.get_closest_marker("slow")]
    left_out = {one for one in slow if random.Random(f"{seed} {one.nodeid}").randrange(share)}
    config.hook.pytest_deselected(items=[one for one in slow if one in left_out])
    items[:] = [one for one in items if one not in left_out]


@pytest.fixture(autouse=True)
def _no_finding_is_lost_to_the_prefilter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a rule finds in any test, the cheap look at the bytes must have let the rule look at the file."""
    reported = python_programs._reported

    def watched(
        ctx: FileContext, rules: Sequence[type[Rule]], is_stopped: Callable[[], bool] | None = None
    ) -> list[Diagnostic]:
        """All that rules find, before some of it is suppressed."""
        found = reported(ctx, rules, is_stopped)
        _assert_passed(ctx, found, is_code=not isinstance(ctx.source, (NotebookSource, EmbeddedProgram)))
        return found

    monkeypatch.setattr(python_programs, "_reported", watched)


def _assert_passed(ctx: FileContext, found: Iterable[Diagnostic], is_code: bool) -> None:
    source = ctx.source
    codes = {one.code for one in found} & _INFOS.keys()
    prefilter = Prefilter([_INFOS[code] for code in codes], ctx.target.device_name)
    file = source.document if isinstance(source, EmbeddedProgram) else source
    try:
        data = file.to_bytes(file.text)
    except SourceError:  # a text that no file holds
        data = file.text.encode("utf-8", "surrogatepass")
    if is_code:
        chosen = prefilter.candidates(data, gives_project=lambda: project_around(ctx)).rules
    else:
        chosen = prefilter.by_words(data)
    passed = {info.code for info in chosen}
    assert codes == passed, f"the prefilter would have kept {codes - passed} from finding something in\n{source.text}"
