"""docs/architecture.md names every package, and only what exists."""

from __future__ import annotations

import re

from tests.support.paths import ROOT
from tests.test_architecture import PACKAGES

TEXT = ROOT.joinpath("docs/architecture.md").read_text(encoding="utf-8")


def rows(header: str) -> list[list[str]]:
    """The rows of the table whose first line begins with ``header``."""
    (table,) = re.findall(rf"^\| {header} \|.*\n\| --- .*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]


def test_the_picture_shows_every_package_above_those_it_may_use() -> None:
    (picture,) = re.findall(r"^```text\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    shown = re.findall(r"^│  (\w+) {2,}", picture, re.MULTILINE)
    assert tuple(reversed(shown)) == PACKAGES
    assert len({len(line) for line in picture.splitlines()}) == 1, "the frame is crooked"


def test_the_table_describes_every_package_and_a_module_of_it() -> None:
    table = rows("package")
    assert tuple(row[0].strip("`") for row in table) == PACKAGES
    for name, _, first in table:
        assert first.startswith(f"`devlint/{name.strip('`')}/"), first


def test_every_path_exists() -> None:
    paths = set(re.findall(r"`((?:devlint|tests|docs)/[\w/.]+)`", TEXT))
    assert len(paths) > len(PACKAGES)
    assert {path for path in paths if not ROOT.joinpath(path).exists()} == set()


def test_the_glossary_is_short_and_explains_each_word_once() -> None:
    words = [row[0] for row in rows("word")]
    assert len(words) == len(set(words)) <= 15
