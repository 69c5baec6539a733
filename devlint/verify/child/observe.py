"""In the child: runs the program and records what it did."""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import sys
import tempfile
import traceback
import types
from typing import Any

import torch

from devlint.verify import sandbox
from devlint.verify.child.computer import Computer, prepare
from devlint.verify.child.copied_project import import_from_copy
from devlint.verify.child.recorder import Recorder
from devlint.verify.child.relative_imports import import_relative_to
from devlint.verify.child.shell_command import become_command
from devlint.verify.child.tensor_values import Values
from devlint.verify.child.told_output import ToldOutput
from devlint.verify.child.variables import record_state
from devlint.verify.child.written_files import written_files
from devlint.verify.executed_lines import LineWatcher, watch_lines
from devlint.verify.namespaces import cuda_writes_to_proc
from devlint.verify.watch.installation import watch
from devlint.verify.watch.notes import Notes

_OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "")
"""The folder of this devlint, of which a copy runs the programs."""


def observe_program(request: dict[str, Any]) -> int:
    """Run a program, write what was observed, and return the exit code."""
    folder, program = request["folder"], request["program"]
    output = _redirect(folder)
    _confine(request)
    copied = import_from_copy(program)
    watcher = watch_lines(folder, program["watched"])
    if program["command"] is not None:
        os.environ["PYTHONPATH"] = os.pathsep.join([*copied, os.environ["PYTHONPATH"]])
        become_command(program, request["setting"], folder)
    computer = prepare(request["setting"])
    met = _tell_births(folder, program) if request["setting"]["tells_births"] else None
    values = Values(os.path.join(folder, "values"), computer.uncounted, request["setting"]["within_tolerance"])
    recorder = Recorder(values)
    recorder.install()
    scratch = _enter(program, folder)
    spaces: dict[str, types.ModuleType] = {}
    with computer.running():
        code, ending = _run_watched(program, spaces, watcher)
    _flush()
    recorder.stop()
    observed = {
        "ending": ending,
        "random": computer.random_states(),
        "state": record_state(spaces, values),
        "files": {} if program["folder"] else written_files(scratch),
        "asked": {"lines": output.lines, "places": list(output.places)},
        "imported": _imported_files(program["project"]),
        "memory": computer.memory_counters_were_read(),
        "met": met.as_json()["meetings"] if met is not None else [],
        **recorder.found(),
        **_copies(computer),
    }
    values.close()
    with open(os.path.join(folder, "observed"), "w", encoding="utf-8") as file:
        file.write(json.dumps(observed))  # several times as fast as json.dump
    return code


def _imported_files(project: str | None) -> list[str]:
    """The files of the program's project that it has imported, however it has named them; no installed packages."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    inside = [file for file in files if project and isinstance(file, str) and file.startswith(project + os.sep)]
    return [file for file in inside if "site-packages" not in file and not file.startswith(_OWN)]


def _enter(program: dict[str, Any], folder: str) -> str:
    """Go to the folder that the program runs in, and set its environment; return the folder."""
    scratch: str = program["folder"] or os.path.join(folder, "scratch")
    os.chdir(scratch)
    os.environ.update(program["env"])
    if program["folder"] is None:
        import_relative_to(scratch, [*filter(None, [program["started_in"]]), os.path.dirname(program["path"])])
    return scratch


def _tell_births(folder: str, program: dict[str, Any]) -> Notes:
    """Watch where tensors are made, until those of two devices meet."""
    notes = os.path.join(folder, "notes")
    os.mkdir(notes)
    paths = [program["project"] or os.path.dirname(program["path"])]
    if program["driver"]:
        paths.append(os.path.dirname(program["driver"]))
    return watch({"folder": notes, "paths": paths, "mends": False, "functions": False}).notes


def _redirect(folder: str) -> ToldOutput:
    """Close standard input, redirect standard output and error to files, and return the output."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT, 0o600), number)
    for name, number, mode in (("stdin", 0, "r"), ("stderr", 2, "w")):
        stream = open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
    sys.stdout = told = ToldOutput(1)
    return told


def _confine(request: dict[str, Any]) -> None:
    """Set resource limits and start the sandbox."""
    folder, limits = request["folder"], request["limits"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_size"],) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if request["setting"]["name"] not in ("cuda", "xpu", "mps"):  # their drivers reserve more than there is
        resource.setrlimit(resource.RLIMIT_AS, (_size() + limits["memory"],) * 2)
    site = os.path.join(os.path.dirname(os.path.abspath(sandbox.__file__)), "site")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [site, os.environ.get("PYTHONPATH")]))
    os.environ["TMPDIR"] = tempfile.tempdir = os.path.join(folder, "tmp")
    project = request["program"]["folder"]
    folders = (folder, project) if project else (folder,)
    sandbox.confine((*folders, "/dev"), ("/proc",) if cuda_writes_to_proc() else ())
    sandbox.install_sandbox(folders, limits["network"])


def _size() -> int:
    """The size of this process's address space."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 4 << 30


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def _run_watched(
    program: dict[str, Any], spaces: dict[str, types.ModuleType], watcher: LineWatcher | None
) -> tuple[int, dict[str, Any]]:
    """Run the script, its lines watched where somebody wants to know which ran."""
    if watcher is not None:
        watcher.install()
    try:
        return _run(program, spaces)
    finally:
        if watcher is not None:
            watcher.remove()


def _run(program: dict[str, Any], spaces: dict[str, types.ModuleType]) -> tuple[int, dict[str, Any]]:
    """Run the script as Python would; return the exit code and how it ended."""
    script = program["driver"] or program["path"]
    try:
        if program["driver"]:
            spaces["program."] = _imported(program["path"])
        main = types.ModuleType("__main__")
        main.__dict__.update(__file__=script, __builtins__=__builtins__)
        sys.modules["__main__"] = spaces[""] = main
        sys.argv = [script, *program["args"]]
        sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
        with open(script, "rb") as file:
            code = compile(file.read(), script, "exec", dont_inherit=True)
        exec(code, main.__dict__)
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            status = (stop.code or 0) & 0xFF
        else:
            sys.stderr.write(f"{stop.code}\n")
            status = 1
        return status, {"kind": "exit" if status else "ok", "code": status}
    except BaseException as error:
        traceback.print_exc()
        return 1, _failure(error, script, program["path"])
    return 0, {"kind": "ok", "code": 0}


def _imported(path: str) -> types.ModuleType:
    """Import the program for a driver, as module ``program``."""
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None and spec.loader is not None
    sys.modules["program"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _failure(error: BaseException, *files: str) -> dict[str, Any]:
    """Describe an exception, with the last line of the program in its traceback."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    name = type(error).__name__
    if isinstance(error, torch.cuda.OutOfMemoryError) or "can't allocate memory" in str(error):
        name = "MemoryError"
    return {"kind": "error", "code": 1, "type": name, "message": str(error)[:500], "line": lines[-1] if lines else None}


def _copies(computer: Computer) -> dict[str, Any]:
    """The counters of copies and operators."""
    operators = {"operators": computer.operators(), "operator_lines": computer.operator_lines()}
    return {"copies": computer.copies(), "sites": computer.sites(), **operators}
