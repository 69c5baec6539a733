"""Devices that configuration files and commands name: ``device: cuda``, ``accelerator = "gpu"``, ``--device cuda``."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.text_kinds import Syntax, TextKind

WORDS = (b"cuda", b"gpu")
"""A text without any of them names no device."""
_CUDA = r"(?P<device>cuda(?::\d+)?)"
_END = r"(?![\w:.-])"
_KEY = r"(?:\w+_)?(?:device(?:_type|_map)?|map_location)"
_ENTRY = regex(
    rf"^[ \t]*(?:-[ \t]+)?[\"']?(?:{_KEY}[\"']?[ \t]*(?:=|:[ \t])[ \t]*[\"']?{_CUDA}"
    rf"|accelerator[\"']?[ \t]*(?:=|:[ \t])[ \t]*[\"']?(?P<kind>gpu|cuda)){_END}[\"']?[ \t]*(?:[#;,].*)?$",
)
_FIELD = regex(
    rf"\"(?:{_KEY}\"[ \t]*:[ \t]*\"{_CUDA}|accelerator\"[ \t]*:[ \t]*\"(?P<kind>gpu|cuda))\"",
)
"""An entry of JSON, of which a line may hold several."""
_OPTION = regex(
    rf"(?:(?<=\s)|(?<=[\"'\[])|^)(?:--(?:\w+[-_])?device(?:[-_](?:type|map))?(?:=|[ \t]+|[\"'],[ \t]*)[\"']?{_CUDA}"
    rf"|--accelerator(?:=|[ \t]+|[\"'],[ \t]*)[\"']?(?P<kind>gpu|cuda)){_END}"
)
_ENTRIES = {Syntax.BLOCKS: _ENTRY, Syntax.DATA: _FIELD}


class DeviceMention(Record):
    """One place of a text that names a device."""

    start: int
    end: int


def may_name_device(data: bytes) -> bool:
    """Whether a text may name CUDA."""
    return any(word in data for word in WORDS)


def device_mentions(text: str, kind: TextKind) -> Iterator[DeviceMention]:
    """The devices that the entries of a file, and the commands in it, name; none in comments and in prose."""
    if kind.syntax is Syntax.PROSE:
        return
    start = 0
    for line in text.splitlines(keepends=True):
        if not line.lstrip().startswith(kind.node_ids) and ("cuda" in line or "gpu" in line):
            bare = line.rstrip("\r\n")
            entries = _ENTRIES.get(kind.syntax)
            fields = [*entries.finditer(bare)] if entries is not None else []
            for one in fields or _OPTION.finditer(bare):
                group = "device" if one["device"] is not None else "kind"
                yield DeviceMention(start + one.start(group), start + one.end(group))
        start += len(line)
