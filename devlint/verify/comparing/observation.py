"""What was observed of one run of a program."""

from __future__ import annotations

import array
import json
import os
import re
import signal
from dataclasses import dataclass, field, replace
from typing import Any

from devlint.verify.comparing.hints import how_to_run, where_a_module_is, where_data_is
from devlint.verify.executed_lines import FAILURES, Spot, spot_from
from devlint.verify.original_rows import told_row
from devlint.verify.program import Limits, Program, Setting
from devlint.verify.pytest_results import read_tests
from devlint.verify.secret_variables import is_secret

_WANT_OF_CUDA = re.compile(r"cuda|accelerator|nvtx|nccl|nvidia|dummy base class", re.IGNORECASE)
_MOST_OUTPUT = 1 << 20
_ERROR = re.compile(r"^\S*(?:Error|Exception): .*", re.MULTILINE)
_TRACED = re.compile(r'^ +File "([^"\n]+\.py)", line \d', re.MULTILINE)
_MOST_ERRORS = 1 << 14
UNSEEN = ("", 0)
_NOT_OPENED = re.compile("open file failed with strerror: (?:Permission denied|Read-only file system)")
_MISSING = "needs data that is missing: "


@dataclass(frozen=True)
class Observation:
    """One run; after a crash, what was not written is empty."""

    program: Program
    setting: Setting
    limits: Limits
    code: int | None
    """The exit code, negative for a signal, None where the run was ended."""
    ended: str | None
    """The limit that it exceeded: time, memory or processes; watcher if it killed the server process."""
    seconds: float
    stdout: str
    stderr: str
    refused: tuple[str, ...]
    """What it tried to write or to reach."""
    data: dict[str, Any] = field(repr=False, hash=False)
    values: bytes = field(repr=False, hash=False)
    executed: frozenset[tuple[str, Spot]] = frozenset()
    """The watched lines that were executed, as file and number; UNSEEN if the program traces lines itself."""
    failures: tuple[str, ...] = ()
    """The errors of which Pythons that it started have died."""

    @classmethod
    def read(
        cls, program: Program, setting: Setting, limits: Limits, folder: str, answer: dict[str, Any]
    ) -> Observation:
        """Read it from the folder of a run."""
        text = {name: _read(folder, name) for name in ("stdout", "stderr", "refused", "observed")}
        data = json.loads(text["observed"].replace(os.fsencode(folder), b"<scratch>")) if text["observed"] else {}
        if program.command is not None and answer["ended"] is None and answer["code"] >= 0:
            kind = "exit" if answer["code"] else "ok"
            data = {"ending": {"kind": kind, "code": answer["code"]}, "tests": read_tests(folder)}
        return cls(
            program,
            setting,
            limits,
            answer["code"],
            answer["ended"],
            answer["seconds"],
            text["stdout"].decode("utf-8", "replace").replace(folder, "<scratch>"),
            text["stderr"].decode("utf-8", "replace").replace(folder, "<scratch>"),
            tuple(dict.fromkeys(text["refused"].decode("utf-8", "replace").splitlines())),
            data,
            _read(folder, "values"),
            _executed(folder),
            tuple(os.fsdecode(_read(folder, FAILURES)).splitlines()),
        )

    def without_paths(self, text: str) -> str:
        """A text in which the places of the program and its project have names, also where the program is a copy."""
        script, project, original = self.program.path, self.program.project, self.program.original_project
        if project and original and original != project:  # the copy may say itself where the original is
            script, text = (one.replace(project, original) for one in (script, text))
            project = original
        folder = script.rpartition("/")[0]
        for path, name in ((script, "<program>"), (folder, "<folder>"), (project, "<project>")):
            text = text.replace(path, name) if path else text
        return text

    @property
    def works(self) -> bool:
        """Whether it ended with exit code 0."""
        return self.ended is None and self.code == 0 and self.ending.get("kind") == "ok"

    @property
    def ending(self) -> dict[str, Any]:
        """How it ended: exit code, or exception, also one of which a thread has died for want of CUDA."""
        found: dict[str, Any] = self.data.get("ending", {})
        if found.get("kind") == "ok":
            for kind, message in self.data.get("thread_errors", []):
                if _WANT_OF_CUDA.search(f"{kind} {message}"):
                    return {"kind": "error", "code": self.code, "type": kind, "message": f"{message} (in a thread)"}
        return found

    @property
    def events(self) -> list[Any]:
        """Each forward, backward and optimizer step."""
        found: list[Any] = self.data.get("events", [])
        return found

    @property
    def state(self) -> dict[str, Any]:
        """Its variables at the end."""
        found: dict[str, Any] = self.data.get("state", {})
        return found

    @property
    def copies(self) -> int:
        """Number of copies between the CPU and a device."""
        counts = self.data.get("copies", {})
        return int(counts.get("h2d", 0)) + int(counts.get("d2h", 0))

    @property
    def asked_output(self) -> list[str]:
        """The lines that it printed because it had asked for CUDA."""
        return [self.without_paths(line) for line in self.data.get("asked", {}).get("lines", ())]

    def with_asked_of(self, other: Observation) -> Observation:
        """The same run, with the lines that another program, which printed the same, printed because it had asked."""
        asked = other.data.get("asked", {})
        return replace(self, data={**self.data, "asked": asked}) if asked.get("lines") else self

    @property
    def project_files(self) -> set[str]:
        """The files of the original project that it has imported, or that are in a traceback, of children as well."""
        project, original = self.program.project, self.program.original_project
        if not project or not original:
            return set()
        files = map(os.path.normpath, (*self.data.get("imported", ()), *_TRACED.findall(self.stderr)))
        return {original + file[len(project) :] for file in files if file.startswith(project + os.sep)}

    def numbers(self, record: dict[str, Any]) -> array.array[Any] | None:
        """The values of a tensor, if they were kept."""
        if "at" not in record:
            return None
        numbers = array.array(record["kind"])
        numbers.frombytes(self.values[record["at"] : record["at"] + 8 * record["length"]])
        return numbers

    @property
    def wants_cuda(self) -> bool:
        """Whether it failed because there is no CUDA."""
        last = self.stderr.strip().rpartition("\n")[2]
        said = " ".join(map(str, (self.ending.get("type", ""), self.ending.get("message", ""), last)))
        missed = self.errors_for_want_of_cuda or _WANT_OF_CUDA.search(said)
        return not self.works and self.obstacle is None and bool(missed)

    @property
    def has_lost_a_process(self) -> bool:
        """Whether a process that it started has died for want of CUDA, which it may not mind."""
        return any(_WANT_OF_CUDA.search(one) for one in self.failures)

    @property
    def errors_for_want_of_cuda(self) -> list[str]:
        """What says that there is no CUDA, of the errors that a process that it started, or itself, has printed."""
        said = (*_ERROR.findall(self.stderr[-_MOST_ERRORS:]), *self.failures)
        return [one for one in said if _WANT_OF_CUDA.search(one)]

    @property
    def obstacle(self) -> str | None:
        """Why the run says nothing about the program, in one line; None if it does."""
        if self.ended is not None:
            if self.ended == "time" and self.errors_for_want_of_cuda:
                return None  # it waits for a process that has died
            return {
                "time": f"did not end within {self.limits.seconds:g} s",
                "memory": f"needs more memory than {_size(self.limits.memory)}",
                "watcher": "ended the process that watches it",
                "processes": f"started more than {self.limits.processes} processes",
            }[self.ended]
        if not self.data:
            return self._crash()
        if self.works:
            return None
        if self.refused:
            return self.refused[0]
        return self._need()

    def _crash(self) -> str:
        assert self.code is not None
        if self.code < 0:
            return f"crashed the interpreter ({signal.Signals(-self.code).name})"
        last = self.stderr.strip().rpartition("\n")[2]
        if self.code == 70:
            return f"could not be observed: {last[:200]}"
        return f"left without ending Python, with exit code {self.code}"

    def _need(self) -> str | None:
        """What the program lacked: memory, data, a module, arguments."""
        kind, message = self.ending.get("type"), " ".join(str(self.ending.get("message", "")).split())
        if kind == "MemoryError":
            return f"needs more memory than {_size(self.limits.memory)}"
        if kind == "SimulationError":
            return f"cannot be simulated: {message[:200]}"
        if _NOT_OPENED.search(message):
            return "writes outside its scratch folder, from C++"
        if kind == "ModuleNotFoundError":
            project = self.program.original_project or self.program.project
            return f"needs a module that is missing: {message[:200]}{where_a_module_is(message, project)}"
        if kind == "ImportError" and "no known parent package" in message:
            return f"is a module of a package: {how_to_run(self.program.path)}"
        if kind in ("FileNotFoundError", "NotADirectoryError"):
            missing = message.partition("] ")[2][:200]
            return _MISSING + missing + where_data_is(missing, self.program.path)
        if (
            kind == "KeyError"
            and is_secret(name := message.strip("'"), os.environ.get(name, ""))
            and name in os.environ
        ):
            return f"needs a variable that is withheld because it looks like a secret: --pass-env {name}"
        if kind == "EOFError" and "reading a line" in message:
            return "reads from standard input"
        if self.ending.get("kind") == "exit" and self.code == 2 and "usage:" in self.stderr:
            return f"needs arguments: {self.stderr.strip().rpartition(chr(10))[2][:200]}"
        return None

    @property
    def failure(self) -> str:
        """Why it does not work; one line."""
        if self.obstacle is not None:
            return self.obstacle
        if self.ended is not None:
            return f"did not end, for a process that it starts prints: {self.errors_for_want_of_cuda[0]}"
        if self.ending.get("kind") == "exit":
            said = self.stderr.strip().rpartition("\n")[2]
            return f"exits with {self.code}" + (f": {said[:200]}" if said else "")
        message = " ".join(str(self.ending.get("message", "")).split())[:200]
        line = self.ending.get("line")
        return f"{self.ending.get('type')}: {message}" + (
            f" (line {told_row(self.program, self.program.path, line)})" if line else ""
        )


def _executed(folder: str) -> frozenset[tuple[str, Spot]]:
    lines = (line.partition(" ") for line in os.fsdecode(_read(folder, "executed")).splitlines())
    return frozenset((path, spot_from(spot)) for spot, _, path in lines)


def _read(folder: str, name: str) -> bytes:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read(-1 if name in ("observed", "values") else _MOST_OUTPUT)
    except OSError:
        return b""


def _size(number: int) -> str:
    return f"{number / (1 << 30):.1f} GiB" if number >= 1 << 30 else f"{number >> 20} MiB"
