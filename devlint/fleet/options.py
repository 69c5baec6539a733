"""What an audit is to do, as one frozen value that engines can send to their workers."""

from __future__ import annotations

from typing import Any

from devlint.core.record import Record

LARGEST = 1_000_000
"""A worker then stays below 150 MB; of 101,939 files of packages, 82 are larger."""
_NO_SETTINGS = ("whole_repositories", "max_bytes")


class FleetOptions(Record):
    """How to check many repositories: for all of them alike, since their own configurations are not read."""

    select: tuple[str, ...] | None = None
    """Codes or prefixes of codes; None for the default rules."""
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    target: str | None = None
    device: str | None = None
    device_import: str | None = None
    torch_min_version: str | None = None
    unsafe_fixes: bool = False
    """Whether ``fixed_content`` also has fixes that may change what the program does."""
    document_code: bool = False
    docstring_code: bool = False
    whole_repositories: bool = False
    """Whether a batch holds all files of each of its repositories: then they know of one another."""
    max_bytes: int = LARGEST
    """A larger file is left alone."""

    def overrides(self) -> dict[str, object]:
        """The options under the keys of a configuration file."""
        given = {name: getattr(self, name) for name in self._fields if name not in _NO_SETTINGS}
        found = {
            name.replace("_", "-"): list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value not in (None, ())
        }
        return {**found, "respect-gitignore": False}

    def as_json(self) -> dict[str, Any]:
        """The options as plain values, for the record of a run."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._as_dict().items()}

    def __dask_tokenize__(self) -> object:
        """What Dask names its tasks by."""
        return self.as_json()

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> FleetOptions:
        """The inverse of ``as_json``."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**given)
