"""The messages between the processes of a run: frames of bytes that hold files to analyze, or reports on them."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import IO

from devlint.config.settings import Settings
from devlint.engine.report import FileReport
from devlint.sources.discovery import Found
from devlint.sources.source import Source

_LENGTH = struct.Struct("<I")


def framed(payload: bytes) -> bytes:
    """The bytes as one frame."""
    return _LENGTH.pack(len(payload)) + payload


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next frame of a stream; None where it ends."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    payload = stream.read(length)
    return payload if len(payload) == length else None


class FrameBuffer:
    """Collects the frames of a stream that arrives in chunks."""

    def __init__(self) -> None:
        self._left = bytearray()

    def frames(self, chunk: bytes) -> Iterator[bytes]:
        """The frames that are complete with this chunk."""
        left = self._left
        left += chunk
        at = 0
        while len(left) - at >= _LENGTH.size:
            start = at + _LENGTH.size
            end = start + _LENGTH.unpack_from(left, at)[0]
            if end > len(left):
                break
            yield bytes(left[start:end])
            at = end
        del left[:at]


class TaskWriter:
    """Packs files for one worker; settings that files share are sent once and stay one object."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._kept: list[Settings] = []

    def packed(self, files: Sequence[Found]) -> bytes:
        """The bytes of a task."""
        new = list({id(one.settings): one.settings for one in files if id(one.settings) not in self._numbers}.values())
        for settings in new:
            self._numbers[id(settings)] = len(self._kept)
            self._kept.append(settings)
        buffer = BytesIO()
        pickle.dump(new, buffer, pickle.HIGHEST_PROTOCOL)
        pickler = _Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        pickler.numbers = self._numbers
        pickler.dump(list(files))
        return buffer.getvalue()


class TaskReader:
    """Unpacks what a TaskWriter packed."""

    def __init__(self) -> None:
        self._settings: list[Settings] = []

    def files(self, data: bytes) -> list[Found]:
        """The files of a task."""
        buffer = BytesIO(data)
        self._settings += pickle.load(buffer)
        unpickler = _Unpickler(buffer)
        unpickler.settings = self._settings
        found: list[Found] = unpickler.load()
        return found


class _Pickler(pickle.Pickler):
    numbers: dict[int, int]

    def persistent_id(self, value: object) -> int | None:
        return self.numbers[id(value)] if type(value) is Settings else None


class _Unpickler(pickle.Unpickler):
    settings: list[Settings]

    def persistent_load(self, number: int) -> Settings:
        return self.settings[number]


def packed_report(report: FileReport) -> bytes:
    """A report as bytes: empty for one without findings, and with the source text only if it is needed for output."""
    source = report.source
    if source is not None:
        is_spoken_of = report.diagnostics or report.failures or report.changed
        # A copy is without what a source has worked out, such as where its lines begin.
        report = report.replace(source=source.replace() if is_spoken_of else Source(source.path, ""))
    return b"" if report == FileReport(report.path) else pickle.dumps(report, pickle.HIGHEST_PROTOCOL)


def unpacked_report(path: str, data: bytes) -> FileReport:
    """The report on the file of that path."""
    if not data:
        return FileReport(path)
    report: FileReport = pickle.loads(data)
    return report
