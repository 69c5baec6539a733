"""A look at a file that ends early, because nobody waits for its result any more."""

from __future__ import annotations

import pytest

from devlint.config.finder import ConfigFinder
from devlint.core.errors import Stopped
from devlint.engine.report import Mode
from devlint.engine.runner import Runner

PROGRAM = "import torch\n\nx = torch.zeros(2).cuda()\ny = torch.zeros(3).cuda()\n"


def test_a_run_that_is_not_stopped_finds_everything() -> None:
    runner = Runner(ConfigFinder(isolated=True), is_stopped=lambda: False)
    assert [one.code for one in runner.text("a.py", PROGRAM).diagnostics] == ["DEV101", "DEV101"]


@pytest.mark.parametrize("mode", [Mode.CHECK, Mode.DIFF])
@pytest.mark.parametrize("asked", [0, 1])
def test_a_stopped_run_gives_no_report_and_the_next_one_is_whole(mode: Mode, asked: int) -> None:
    answers = [*[False] * asked, True]
    runner = Runner(ConfigFinder(isolated=True), mode, is_stopped=lambda: answers.pop(0) if answers else False)
    with pytest.raises(Stopped):
        runner.text("a.py", PROGRAM)
    assert not answers
    report = runner.text("a.py", PROGRAM)
    assert len(report.diagnostics if mode is Mode.CHECK else report.applied) == 2
