"""In the child: digests of the files that a program wrote."""

from __future__ import annotations

import codecs
import hashlib
import os
import pickletools
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress

from devlint.verify.comparing.printed_output import neutral

_MOST = 1 << 22
_ZIP = b"PK\3\4"
_UNCOMPARED = (b"\x1f\x8b", b"%PDF", b"\x80")
"""How gzip and PDF begin, which hold the time, and pickles, which may name a device in several ways."""
_LOCATION = re.compile(r"cpu|\w+:\d+")


def written_files(scratch: str) -> dict[str, str]:
    """The files in a folder, with a digest of what is compared of them; input files are symbolic links."""
    paths = (os.path.join(folder, name) for folder, _, names in os.walk(scratch) for name in names)
    return {os.path.relpath(path, scratch): _digest(path) for path in paths if not os.path.islink(path)}


def _digest(path: str) -> str:
    """A digest of a file; empty if it is not compared."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST)
        if data.startswith(_ZIP):
            data = "\n".join(_in_archive(path)).encode()
    except (OSError, ValueError, zipfile.BadZipFile):
        return ""
    if data.startswith(_UNCOMPARED):
        return ""
    with suppress(ValueError):
        text = codecs.getincrementaldecoder("utf-8")().decode(data)  # which may end within a character
        data = data if "\0" in text else neutral(text, False).encode()
    return hashlib.sha1(data).hexdigest()[:16]


def _in_archive(path: str) -> Iterator[str]:
    """The parts of a zip, such as what ``torch.save`` and ``numpy.savez`` write; of pickles the devices of tensors."""
    with zipfile.ZipFile(path) as archive:
        for part in sorted(archive.infolist(), key=lambda part: part.filename):
            if part.filename.endswith(".pkl"):
                words = {word for _, word, _ in pickletools.genops(archive.read(part)) if isinstance(word, str)}
                yield " ".join(sorted(filter(_LOCATION.fullmatch, words)))
            elif "/.data/" not in part.filename:  # a digest of all of it
                yield f"{part.filename} {part.CRC}"
