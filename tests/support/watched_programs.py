"""Programs that work on a GPU, run with and without watch in forked processes that have imported torch."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from devlint.config.finder import ConfigFinder
from devlint.engine.report import FileReport
from devlint.verify.observing.rounds import Rounds
from devlint.verify.observing.seen import Seen, read_notes
from devlint.verify.rewrites.cases import find_cases
from devlint.verify.simulation import OBSERVE
from tests.support.paths import ROOT
from tests.support.program_server import ProgramServer, Request, Result

_LEFT_OUT = ("distributed", "data_parallel")


@dataclass(frozen=True)
class WorkingProgram:
    """A program and how it is run."""

    name: str
    path: Path
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, hash=False)
    driver: str | None = None

    def request(self, path: Path, **changes: object) -> Request:
        """A request to run this text of it."""
        given = {"env": self.env, "simulated": True, "timeout": 120.0, **changes}
        return Request(str(path), list(self.args), driver=self.driver, **given)  # type: ignore[arg-type]


def working_programs() -> Iterator[WorkingProgram]:
    """The rewritten programs under fixtures/, and those that the simulator is tested with."""
    for case in find_cases(ROOT / "fixtures"):
        run = next((one for one in case.runs if "--no-cuda" not in one.args), case.runs[0])
        if case.device_count == 1:
            driver = str(case.folder / case.entry) if case.entry else None
            yield WorkingProgram(case.name, case.fixed, run.args, run.env, driver)
    for path in sorted((ROOT / "tests/verify/programs").glob("*.py")):
        if path.stem not in _LEFT_OUT:
            yield WorkingProgram(path.stem, path)


def watched(server: ProgramServer, program: WorkingProgram, path: Path, mends: bool = True) -> tuple[Result, Seen]:
    """Run a text of a program under watch; what it did, and what was seen."""
    with tempfile.TemporaryDirectory() as folder:
        wish = {"folder": folder, "paths": [str(path)], "mends": mends, "functions": False}
        result = server.run(program.request(path, env={**program.env, OBSERVE: json.dumps(wish)}))
        return result, read_notes(folder)


def repaired(server: ProgramServer, program: WorkingProgram, path: Path) -> tuple[FileReport, Rounds]:
    """What `fix --observe` makes of a file, which is as before afterwards."""

    def run() -> tuple[int, Seen]:
        result, seen = watched(server, program, path)
        if result.code:
            seen.errors.append(result.stderr.strip().rpartition("\n")[2])
        return result.code, seen

    said: list[str] = []
    rounds = Rounds(lambda observed: ConfigFinder(isolated=True, observed=observed), [str(path)], run, said.append)
    (report,) = rounds.reports()
    return report, rounds
