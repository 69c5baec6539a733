"""CONTRIBUTING.md tells the limits that the tests check."""

from __future__ import annotations

import re

from tests.support.paths import ROOT
from tests.test_architecture import MAX_FUNCTION_LINES, MAX_MODULE_LINES, MAX_RULE_LINES

TEXT = ROOT.joinpath("CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_limits_are_those_of_the_tests() -> None:
    told = re.search(r"function has at most (\d+) lines, a rule (\d+), any other module (\d+)", TEXT)
    assert told is not None
    assert tuple(map(int, told.groups())) == (MAX_FUNCTION_LINES, MAX_RULE_LINES, MAX_MODULE_LINES)


def test_every_path_exists() -> None:
    for path in re.findall(r"`((?:devlint|tests|docs)/[\w/.]+)`", TEXT):
        assert ROOT.joinpath(path).exists(), path


def test_every_make_target_exists() -> None:
    makefile = ROOT.joinpath("Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake ([a-z-]+)", TEXT):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
