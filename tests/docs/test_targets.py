"""What docs/targets.md shows is what devlint does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.config.options import parse_options
from devlint.core.target import Target
from devlint.core.toml import load_toml
from tests.support.paths import ROOT

TEXT = ROOT.joinpath("docs", "targets.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
CASES = [
    (toml, before, after)
    for (first, toml), (second, before), (third, after) in zip(BLOCKS, BLOCKS[1:], BLOCKS[2:])
    if (first, second, third) == ("toml", "python", "python")
]


def test_there_is_a_case_for_each_target_but_the_default() -> None:
    kinds = [parse_options(load_toml(toml)["tool"]["devlint"], "docs")["target"] for toml, _, _ in CASES]
    assert kinds == ["accelerator", "project"] and len(BLOCKS) == 6


@pytest.mark.parametrize(("toml", "before", "after"), CASES)
def test_the_examples(toml: str, before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(toml)
    Path("program.py").write_text(before)
    with pytest.raises(SystemExit) as left:
        main(["fix", "program.py"])
    assert (Path("program.py").read_text(), left.value.code or 0) == (after, 0)


def test_the_expressions_of_the_table() -> None:
    for kind in ("cuda", "accelerator"):
        assert f"| `{Target(kind).device_expression('torch')}` |" in TEXT
