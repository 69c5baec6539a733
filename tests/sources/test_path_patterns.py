"""Patterns of ignore files: the quick look at names never says no where git's rules say something."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from devlint.sources.path_patterns import IgnoreFile, is_pattern

PATTERNS = st.text("abc.*?[]!-^/\\# \t", min_size=1, max_size=9)
PATHS = st.lists(st.text("abc.]! ", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
@settings(max_examples=2000, deadline=None)
@given(lines=st.lists(PATTERNS.filter(lambda line: not line.startswith("#")), min_size=1, max_size=3), path=PATHS)
def test_where_no_name_fits_no_pattern_matches(lines: list[str], path: str) -> None:
    file = IgnoreFile(os.path.abspath("/r"), lines)
    if not any(map(file._may_match, path.split("/"))):
        spec = GitIgnoreSpec.from_lines(filter(is_pattern, lines))
        assert spec.check_file(path).include is None
        assert spec.check_file(path + "/").include is None


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("build/", "build", "builds"),
        ("/docs/_build/", "_build", "docs"),
        ("!keep.log", "keep.log", "keep"),
        ("*.py[cod]", "a.pyc", "a.py"),
        ("*.py[!cod]", "anything", ""),
        ("[ab].py", "a.py", "c.py"),
        ("?.py", "a.py", "ab.py"),
        ("*$py.class", "a$py.class", "py.class"),
        (".coverage.*", ".coverage.x", ".coverage"),
        ("a*b*c", "a-b-c", "a-c"),
        ("src/**", "anything", ""),
        ("file?.py", "file1.py", "fil1.py"),
        ("odd\\ ", "anything", ""),
    ],
)
def test_what_the_quick_look_tells_apart(pattern: str, fits: str, fits_not: str) -> None:
    file = IgnoreFile(os.path.abspath("/r"), [pattern])
    assert file._may_match(fits)
    assert not fits_not or not file._may_match(fits_not)


def test_a_set_that_python_warns_of_is_a_pattern_without_a_warning() -> None:
    re.purge()
    assert is_pattern("[[]/")


def test_a_range_that_ends_before_it_begins_is_no_pattern() -> None:
    assert not is_pattern("[?-.]/.")
    file = IgnoreFile(os.path.abspath("/r"), ["[?-.]", "[z-a]x", "*.log"])
    assert file.verdict(os.path.abspath("/r/a.log"), False) is True
    assert file.verdict(os.path.abspath("/r/."), False) is None


def test_a_file_of_comments_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("# nothing\n\n   \n")
    assert IgnoreFile.read(str(tmp_path / ".gitignore"), str(tmp_path)) is None
