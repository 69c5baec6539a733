"""Bytes to text and back: every byte survives, positions count as Python counts, and writes are all or nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.core.diagnostic import Location
from devlint.sources.source import FileChangedError, Source, SourceError, read_source, write_source


@pytest.mark.parametrize(
    ("data", "encoding", "bom"),
    [
        (b"", "utf-8", False),
        (b"x = 1\n", "utf-8", False),
        ("é = 1".encode(), "utf-8", False),
        (b"\xef\xbb\xbfx = 1\r\n", "utf-8", True),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso8859-1", False),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "cp1252", False),
        (b"\n# coding: euc-jp\nx = '\xa4\xa2'\n", "euc_jp", False),
        (b"# coding: UTF-8-unix\nx = 1\n", "utf-8", False),
        (b"# coding: utf-8-sig\nx = 1\n", "utf-8", False),
        (b"\xef\xbb\xbf# coding: utf8\nx = 1\n", "utf-8", True),
        (b"x = 1\n# coding: latin-1\n", "utf-8", False),
        (b"# a\n# b\n# coding: latin-1\n", "utf-8", False),
        (b"\r# coding: latin-1\rx = '\xe9'\r", "iso8859-1", False),
        (b"x = 1\x0cy\n\x0c\n", "utf-8", False),
    ],
)
def test_bytes_survive_exactly(data: bytes, encoding: str, bom: bool) -> None:
    source = Source.from_bytes("a.py", data)
    assert (source.encoding, source.bom) == (encoding, bom)
    assert not source.text.startswith("\ufeff")
    assert source.to_bytes(source.text) == data


@pytest.mark.parametrize(
    ("data", "row", "column", "words"),
    [
        (b"x = 1\ny = '\xe9'\n", 2, 6, "utf-8: byte 0xe9"),
        (b"'\xc3\xa9\xc3\xa9' + '\xff'", 1, 9, "byte 0xff"),
        (b"\r\n\rx = '\xff'", 3, 6, "byte 0xff"),
        (b"# coding: klingon\n", 1, 1, "unknown encoding 'klingon'"),
        (b"# coding: rot13\n", 1, 1, "unknown encoding 'rot13'"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, 1, "byte-order mark"),
        (b"x = 1\n\0", 2, 1, "null byte"),
        ("x = 1\n".encode("utf-16"), 1, 4, "UTF-16"),
        (b"# coding: utf-7\nx = '+AGE-'\n", 1, 1, "does not survive"),
        (b"# coding: ascii\nx = '\xe9'\n", 2, 6, "ascii"),
        (b"# coding: idna\nx = 'a..b'\n", 1, 1, "idna"),
    ],
)
def test_undecodable_bytes_say_where_and_why(data: bytes, row: int, column: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes("a.py", data)
    assert words in caught.value.message
    assert "\n" not in caught.value.message
    assert (caught.value.row, caught.value.column) == (row, column)


def test_text_that_the_encoding_lacks_is_refused() -> None:
    source = Source.from_bytes("a.py", b"# coding: latin-1\n")
    with pytest.raises(SourceError, match="cannot be encoded"):
        source.to_bytes("# coding: latin-1\n'☃'\n")


@given(st.text(alphabet="ab\n\r\x0c\x0b\x85\u2028é漢", max_size=40))
def test_locations_agree_with_pythons_lines(text: str) -> None:
    source = Source.from_text("a.py", text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [source.line(row) for row in range(1, source.row_count + 1)] == lines
    for offset in range(len(text) + 1):
        location = source.location(offset)
        assert source.offset(location) == offset
        if location.column <= len(source.line(location.row)):
            assert source.line(location.row)[location.column - 1] == text[offset]


def test_rows_outside_the_file_are_empty() -> None:
    source = Source.from_text("a.py", "x\n")
    assert source.line(0) == source.line(3) == ""
    assert source.location(2) == Location(2, 1)


@pytest.mark.parametrize(
    ("text", "newline"), [("", "\n"), ("x", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb\n", "\r"), ("a\n", "\n")]
)
def test_newline_is_the_first_one(text: str, newline: str) -> None:
    assert Source.from_text("a.py", text).newline == newline


def test_write_keeps_encoding_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    path.chmod(0o751)
    write_source(read_source(str(path)), "x = '☃'\r\n")
    assert path.read_bytes() == b"\xef\xbb\xbfx = '\xe2\x98\x83'\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["a.py"]


def test_write_follows_a_symbolic_link(tmp_path: Path) -> None:
    real = tmp_path / "real" / "a.py"
    real.parent.mkdir()
    real.write_text("x = 1\n")
    link = tmp_path / "b.py"
    link.symlink_to(real)
    write_source(read_source(str(link)), "x = 2\n")
    assert link.is_symlink()
    assert real.read_text() == "x = 2\n"


def test_write_refuses_a_file_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    source = read_source(str(path))
    path.write_text("x = 3\n")
    with pytest.raises(FileChangedError, match="changed"):
        write_source(source, "x = 2\n")
    assert path.read_text() == "x = 3\n"


def test_write_refuses_a_file_without_write_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError):
        write_source(read_source(str(path)), "x = 2\n")
    assert path.read_text() == "x = 1\n"
