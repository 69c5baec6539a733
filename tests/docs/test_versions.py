"""The pages name no version but the newest release."""

from __future__ import annotations

import re

import pytest

from devlint import __version__
from devlint.config.selection import catalogue
from tests.support.paths import ROOT
from website import versions

CHANGELOG = ROOT.joinpath("CHANGELOG.md").read_text(encoding="utf-8")
RELEASE = versions.newest_release(CHANGELOG)
ANY_VERSION = re.compile(r"devlint(?:==|[@:]v?)(\d[\w.]*)|devlint-(\d[\w.]*\d)(?=\.tar|-py3)|rev: v?(\d[\w.]*)")


def test_every_page_names_the_newest_release() -> None:
    assert versions.outdated(RELEASE) == {}, "python -m website.versions"


def test_no_page_names_a_version_in_another_way() -> None:
    for path in versions.pages():
        found = {version for groups in ANY_VERSION.findall(path.read_text(encoding="utf-8")) for version in groups}
        assert found <= {"", *([RELEASE] if RELEASE else [])}, path


def test_a_released_version_is_this_one_or_older() -> None:
    if RELEASE is not None:
        assert tuple(map(int, RELEASE.split("."))) <= tuple(map(int, re.findall(r"\d+", __version__)[:3]))
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_the_newest_release_is_the_first_heading_with_a_number() -> None:
    assert versions.newest_release("# Changelog\n\n## Unreleased\n\n- 1.2.3\n") is None
    assert versions.newest_release("## Unreleased\n\n## 1.10.0 (2027-01-02)\n\n## 1.9.0\n") == "1.10.0"


@pytest.mark.parametrize(
    ("unreleased", "released"),
    [
        ("  DEVLINT: git+https://example.org/devlint.git@REVISION\n", "  DEVLINT: devlint==1.2.3\n"),
        ("    rev: REVISION  # a\n", "    rev: v1.2.3  # a\n"),
        ("- uses: OWNER/devlint@REVISION\n", "- uses: OWNER/devlint@v1.2.3\n"),
        ("devlint and REVISION\n", "devlint and REVISION\n"),
    ],
)
def test_what_a_release_changes(unreleased: str, released: str) -> None:
    assert versions.with_version(unreleased, "1.2.3") == released
    assert versions.with_version(released, "1.2.3") == released
    assert versions.with_version(released, None) == unreleased
    assert versions.with_version(released.replace("1.2.3", "0.9.10"), "1.2.3") == released


def test_the_changelog_has_a_line_for_every_rule() -> None:
    told = re.findall(r"^- (DEV\d+) \(`([\w-]+)`\): ", CHANGELOG, re.MULTILINE)
    assert sorted(told) == [(info.code, info.name) for info in catalogue()]
