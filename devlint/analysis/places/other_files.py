"""The functions and classes of other files of the project, read as far as one file uses them."""

from __future__ import annotations

from functools import lru_cache

from devlint.analysis.places.written.definitions import TornError
from devlint.analysis.places.written.file_definitions import Definition, FileDefinitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.project import Project

_MOST_HOPS = 4
"""How many re-exports are followed."""


class OtherFiles:
    """What one file imports of the other files of its project, and these of others."""

    def __init__(self, project: Project, program: FileDefinitions) -> None:
        """``program`` is the file itself."""
        self._project = project
        self._paths = {program: project.path}
        self._known: dict[tuple[FileDefinitions, str], Definition | None] = {}

    def definition(self, importer: FileDefinitions, origin: str, hops: int = _MOST_HOPS) -> Definition | None:
        """The function or class that a file imports under a full name; None where the project has none."""
        key = importer, origin
        if key not in self._known:
            self._known[key] = self._defined(importer, origin, hops)
        return self._known[key]

    def _defined(self, importer: FileDefinitions, origin: str, hops: int) -> Definition | None:
        head = origin[: len(origin) - len(origin.lstrip("."))]
        module, _, name = origin[len(head) :].rpartition(".")
        if not head + module or not hops:
            return None
        path = self._project.index.file(self._paths[importer], head + module)
        if path is None or path == self._paths[importer]:
            return None
        data = self._project.index.disk.read(path)
        program = _definitions(data) if data is not None else None
        if program is None:
            return None
        self._paths[program] = path
        try:
            found = program.definition(name)
        except TornError:
            return None
        if found is None and name in program.imports:
            return self.definition(program, program.imports[name], hops - 1)
        return found


@lru_cache(maxsize=24)
def _definitions(data: bytes) -> FileDefinitions | None:
    """What the names of another file stand for; read once by all files that ask."""
    try:
        return FileDefinitions(data.decode("utf-8", "replace"))
    except (TornError, RecursionError):
        return None
