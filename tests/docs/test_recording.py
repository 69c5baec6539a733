"""The pictures of terminals show what the commands print now."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from website import recording

NAMESPACE = "{http://www.w3.org/2000/svg}"


def shown(folder: Path, number: int) -> str:
    return recording.session(folder, recording.RECORDINGS[number])


def lines(svg: str) -> list[str]:
    """The text of a picture, row by row and without spaces, whatever version of Rich drew it."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for element in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text"):
        if "textLength" in element.attrib:
            place = float(element.attrib["y"]), float(element.attrib["x"])
            rows.setdefault(place[0], []).append((place[1], element.text or ""))
    found = ("".join("".join(text for _, text in sorted(rows[row])).split()) for row in sorted(rows))
    return [line for line in found if line]


def plain(shown: str) -> list[str]:
    """What is printed, without colours, spaces and empty lines."""
    return ["".join(line.split()) for line in re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines() if line.strip()]


@pytest.mark.parametrize("number", [0, 1])
def test_a_picture_shows_what_the_commands_print(number: int, tmp_path: Path) -> None:
    printed, kept = shown(tmp_path, number), recording.RECORDINGS[number].path.read_text(encoding="utf-8")
    assert lines(kept) == plain(printed), "make site"
    assert lines(recording.picture(printed)) == lines(kept)
    assert set(re.findall(r"fill: (#\w+)", recording.picture(printed))) == set(re.findall(r"fill: (#\w+)", kept))


def test_the_commands_find_fix_and_find_no_more(tmp_path: Path) -> None:
    text = "\n".join(plain(shown(tmp_path, 0)))
    assert "DEV101" in text and "+model=nn.Linear(4,2).to(device)" in text and text.endswith("Allcheckspassed!")


def test_the_pictures_load_nothing() -> None:
    for one in recording.RECORDINGS:
        assert not re.search(r"url\((?!#)|@import|<script|href=", one.path.read_text(encoding="utf-8"))
