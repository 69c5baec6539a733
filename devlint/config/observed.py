"""Reads and writes .devlint/observed.json: what `devlint observe` has seen, by the contents of files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from devlint.core.errors import ConfigError
from devlint.core.file_reading import read_file
from devlint.core.observed_tensors import ObservedFile, ObservedTensor

FOLDER = ".devlint"
OBSERVED_NAME = os.path.join(FOLDER, "observed.json")
_FORMAT = "devlint-observed"
_VERSION = 2


class ObservedFiles:
    """What was seen of files, found by their contents, so that it is never out of date."""

    def __init__(self, by_digest: Mapping[str, tuple[ObservedTensor, ...]], is_tried: bool = False) -> None:
        self.by_digest = by_digest
        self._is_tried = is_tried

    @classmethod
    def read(cls, folder: str) -> ObservedFiles:
        """Read the file that is kept in a folder; raises ConfigError if there is none."""
        path = os.path.join(folder, OBSERVED_NAME)
        try:
            document = json.loads(read_file(path))
            if (document["format"], document["version"]) != (_FORMAT, _VERSION):
                raise ConfigError(path, "is of another version of devlint; `devlint observe` writes a new one")
            return cls({digest: tuple(map(_tensor, one["tensors"])) for digest, one in document["files"].items()})
        except FileNotFoundError:
            raise ConfigError(path, "no such file; `devlint observe -- COMMAND` writes it") from None
        except OSError as error:
            raise ConfigError(path, f"cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ConfigError(path, "is not what `devlint observe` writes") from None

    def of(self, data: bytes) -> ObservedFile | None:
        """What was seen of a file with these contents; None for nothing."""
        tensors = self.by_digest.get(content_digest(data))
        return ObservedFile(tensors, self._is_tried) if tensors else None


def content_digest(data: bytes) -> str:
    """What stands for the contents of a file."""
    return hashlib.sha256(data).hexdigest()


def write_observed(folder: str, found: Mapping[str, tuple[str, tuple[ObservedTensor, ...]]]) -> None:
    """Write what was seen: for the contents of each file its path, for people, and the tensors."""
    target = os.path.join(folder, FOLDER)
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, ".gitignore"), "w", encoding="utf-8") as file:
        file.write("*\n")
    files = {
        digest: {"path": path, "tensors": [tensor._as_dict() for tensor in tensors]}
        for digest, (path, tensors) in sorted(found.items())
    }
    with open(os.path.join(folder, OBSERVED_NAME), "w", encoding="utf-8") as file:
        json.dump({"format": _FORMAT, "version": _VERSION, "files": files}, file, indent=1)


def _tensor(values: dict[str, Any]) -> ObservedTensor:
    known = {name: values[name] for name in ObservedTensor._fields}
    partners = tuple((name, row) for name, row in known["partners"])
    return ObservedTensor(**{**known, "names": tuple(known["names"]), "partners": partners})
