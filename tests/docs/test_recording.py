"""The picture of a terminal shows what the commands print now."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from website import recording

NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recording.session(tmp_path_factory.mktemp("recording"))


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


def test_the_picture_shows_what_the_commands_print(shown: str) -> None:
    kept = recording.PICTURE.read_text(encoding="utf-8")
    assert lines(kept) == plain(shown), "make site"
    assert lines(recording.picture(shown)) == lines(kept)
    assert set(re.findall(r"fill: (#\w+)", recording.picture(shown))) == set(re.findall(r"fill: (#\w+)", kept))


def test_the_commands_find_fix_and_find_no_more(shown: str) -> None:
    text = "\n".join(plain(shown))
    assert "DEV101" in text and "+model=nn.Linear(4,2).to(device)" in text and text.endswith("Allcheckspassed!")


def test_the_picture_loads_nothing() -> None:
    kept = recording.PICTURE.read_text(encoding="utf-8")
    assert not re.search(r"url\((?!#)|@import|<script|href=", kept)
