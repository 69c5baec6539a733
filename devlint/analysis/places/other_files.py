"""The functions and classes of other files of the project, read as far as files use them, for all files that ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache

from devlint.analysis.places.answers import Answers, Known
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.written.definitions import TornError
from devlint.analysis.places.written.file_definitions import Definition, FileDefinitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.project import Index

_MOST_HOPS = 4
"""How many re-exports are followed."""
_MOST_FILES = 48
"""How many files are known at most when the next one asks."""


class OtherFiles:
    """What the files of a run import of the other files of their projects, and these of others."""

    def __init__(self, index: Index, may_guess: bool = False) -> None:
        self._index = index
        self._may_guess = may_guess
        self.answers = Answers(index.disk)
        self._programs: dict[str, FileDefinitions | None] = {}
        self._paths: dict[FileDefinitions, str] = {}
        self._known: dict[tuple[str, str], Known[Definition | None]] = {}
        self._summaries: dict[FileDefinitions, FileSummaries] = {}

    @contextmanager
    def asked_by(self, program: FileDefinitions, path: str) -> Iterator[None]:
        """Let a file ask; what the next one may have to be told otherwise is forgotten with it."""
        if len(self._programs) > _MOST_FILES:
            self._forget_all()
        self._paths[program] = path
        try:
            yield
        finally:
            self.answers.forget_unsure()
            del self._paths[program]

    @contextmanager
    def lending(self, summaries: FileSummaries, path: str, caller: str) -> Iterator[FileSummaries | None]:
        """What is known of a file that uses another, which is asked as it is now and keeps what it makes on the CPU."""
        program, before = summaries.program, self._programs.get(path)
        self._forget_definitions(before)
        self._programs[path], self._summaries[program] = program, summaries
        using = self._program(caller) if caller != path else None
        known = FileSummaries(using, others=self, may_guess=True, lent=program) if using is not None else None
        try:
            yield known
        finally:
            if known is not None:
                known.forget()
            self.answers.forget_unsure()
            self._forget_definitions(program)
            del self._programs[path], self._summaries[program]
            if before is not None:
                self._programs[path] = before

    def _forget_definitions(self, program: FileDefinitions | None) -> None:
        """Forget what other files import of a file."""
        held = [key for key, known in self._known.items() if known.answer is not None and known.answer.home is program]
        for key in held if program is not None else ():
            del self._known[key]

    def _forget_all(self) -> None:
        for summaries in self._summaries.values():
            summaries.forget()
        for program in self._paths:
            program.forget()
        self._programs, self._paths, self._known, self._summaries = {}, {}, {}, {}

    def summaries(self, home: FileDefinitions) -> FileSummaries:
        """What is known of the functions and classes of one of the other files."""
        if home not in self._summaries:
            self._summaries[home] = FileSummaries(home, others=self, may_guess=self._may_guess)
        return self._summaries[home]

    def definition(self, importer: FileDefinitions, origin: str, hops: int = _MOST_HOPS) -> Definition | None:
        """The function or class that a file imports under a full name; None where the project has none."""
        path = self._paths[importer]
        if not hops:
            self.answers.doubt()
            return None
        return self.answers.get(self._known, (path, origin), lambda: self._defined(path, origin, hops))

    def _defined(self, importer: str, origin: str, hops: int) -> Definition | None:
        head = origin[: len(origin) - len(origin.lstrip("."))]
        module, _, name = origin[len(head) :].rpartition(".")
        if not head + module:
            return None
        path = self._index.file(importer, head + module)
        program = self._program(path) if path is not None and path != importer else None
        if program is None:
            return None
        try:
            found = program.definition(name)
        except TornError:
            return None
        if found is None and name in program.imports:
            return self.definition(program, program.imports[name], hops - 1)
        return found

    def _program(self, path: str) -> FileDefinitions | None:
        """What the names of the file at a path stand for; None where it does not parse."""
        if path in self._programs:
            self._index.disk.depend(path)
            return self._programs[path]
        data = self._index.disk.read(path)
        found = None
        with suppress(TornError, RecursionError):
            found = FileDefinitions(data.decode("utf-8", "replace")) if data is not None else None
        self._programs[path] = found
        if found is not None:
            self._paths[found] = path
        return found


@lru_cache(maxsize=4)
def other_files(index: Index, may_guess: bool = False) -> OtherFiles:
    """What the files of a run import of others, worked out once for all of them."""
    return OtherFiles(index, may_guess)
