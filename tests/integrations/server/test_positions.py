"""Places in texts as editors count them, and the edits that make one text of another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, PositionEncodingKind, Range, TextDocumentContentChangePartial, TextDocumentItem

from devlint.core.diagnostic import Location
from devlint.integrations.server.buffers import Buffer
from devlint.integrations.server.positions import EditorText, units
from devlint.integrations.server.text_edits import text_edits

ENCODINGS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}
TEXTS = st.text(st.sampled_from(list("ab \t\n\ré😀\x0c\u2028"))) | st.lists(
    st.sampled_from(["x = 1\n", "y = 2\r\n", "\n", "z.cuda()", "z.to(device)", "é😀\n", "\r"])
).map("".join)


@pytest.mark.slow
@given(text=st.text())
@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_units_are_those_of_the_encoding(encoding: PositionEncodingKind, text: str) -> None:
    name, size = ENCODINGS[encoding]
    assert units(text, encoding) == len(text.encode(name, "surrogatepass")) // size


@given(text=TEXTS, data=st.data())
@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_every_offset_has_a_position_of_its_own(encoding: PositionEncodingKind, text: str, data: st.DataObject) -> None:
    seen = EditorText(text, encoding)
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] != "\r\n" or offset == 0:  # there is no place inside a line ending
        assert seen.offset(seen.position(offset)) == offset


def test_positions_by_hand() -> None:
    text = "\tx = '😀é'; y\r\nz"
    for encoding, column in ((PositionEncodingKind.Utf16, 12), (PositionEncodingKind.Utf8, 15), ("utf-32", 11)):
        seen = EditorText(text, encoding)
        assert seen.position(text.index("y")) == Position(0, column)
        assert seen.offset(Position(0, column)) == text.index("y")
    assert seen.offset(Position(0, 99)) == text.index("\r") and seen.offset(Position(9, 0)) == len(text)
    assert seen.range(Location(2, 1), Location(2, 2)) == Range(Position(1, 0), Position(1, 1))
    assert seen.range(Location(9, 1), Location(9, 1)).start == Position(1, 1)


def test_a_byte_order_mark_is_a_character_of_the_editor_alone() -> None:
    seen = EditorText("\ufeffx.cuda()\ny", PositionEncodingKind.Utf16)
    assert seen.range(Location(1, 3), Location(2, 1)) == Range(Position(0, 3), Position(1, 0))


def applied(text: str, encoding: PositionEncodingKind, after: str) -> str:
    seen = EditorText(text, encoding)
    edits = [
        (seen.offset(one.range.start), seen.offset(one.range.end), one.new_text) for one in text_edits(seen, after)
    ]
    assert all(end <= start for (_, end, _), (start, _, _) in zip(edits, edits[1:]))
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


@given(before=TEXTS, after=TEXTS, encoding=st.sampled_from(list(ENCODINGS)))
def test_edits_make_the_other_text(before: str, after: str, encoding: PositionEncodingKind) -> None:
    assert applied(before, encoding, after) == after


def test_edits_are_small() -> None:
    before = "import torch\r\nx = torch.zeros(2).cuda()\r\ny = 1\r\n"
    after = "import torch\r\n\r\ndevice = 'cpu'\r\nx = torch.zeros(2).to(device)\r\ny = 1\r\n"
    edits = text_edits(EditorText(before, PositionEncodingKind.Utf16), after)
    assert [(one.range.start.line, one.range.start.character, one.new_text) for one in edits] == [
        (1, 0, "\r\ndevice = 'cpu'\r\n"),
        (1, 19, "to(device"),
    ]


@given(before=TEXTS, inserted=TEXTS, encoding=st.sampled_from(list(ENCODINGS)), data=st.data())
def test_a_buffer_follows_the_editor(
    before: str, inserted: str, encoding: PositionEncodingKind, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, len(before)))
    if any(at and before[at - 1 : at + 1] == "\r\n" for at in (start, end)):
        return
    buffer = Buffer(TextDocumentItem("file:///a.py", "python", 1, before), encoding)
    place = Range(buffer.seen.position(start), buffer.seen.position(end))
    buffer.change(2, [TextDocumentContentChangePartial(place, inserted)])
    assert (buffer.text, buffer.version) == (before[:start] + inserted + before[end:], 2)
