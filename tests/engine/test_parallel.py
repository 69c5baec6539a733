"""FileRunner by several real processes, copied and fresh ones: the same output to the byte, deaths, Ctrl-C."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.config.option_table import FORMATS
from tests.support.paths import ROOT
from tests.test_architecture import loaded_by

if not hasattr(os, "fork"):
    pytest.skip("signals and forks are those of POSIX", allow_module_level=True)

METHODS = ("fork", "spawn")
LIMIT = 300
"""Seconds after which something hangs, on the slowest machine."""


def started(method: str, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
    # Tests that a shell runs in the background are told to ignore Ctrl-C, and so would be what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "support" / "run_oddly.py"), method, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(method: str, *arguments: str, cwd: Path) -> tuple[int, str, str]:
    with started(method, *arguments, cwd=cwd) as process:
        out, err = ended(process)
    return process.returncode, out, err


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process and those that it has started still say; none of them outlives the test."""
    try:
        return process.communicate(timeout=LIMIT)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def notebook(*cells: str) -> str:
    listed = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": cell} for cell in cells
    ]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def project(folder: Path) -> Path:
    """All kinds of files, with findings, fixes, failures and nothing in them."""
    found = "import torch\n\nx = torch.zeros(2).cuda()  # Größe\ny = x.to('cuda')\n"
    texts = {
        "a.py": found,
        "b/broken.py": "def (.cuda()\n",
        "b/latin.py": "# coding: latin-1\n" + found,
        "b/unused.py": "x = 1  # noqa: DEV101\n",
        "c/devlint.toml": 'ignore = ["DEV1"]\ndocstring-code = true\n',
        "c/a.py": 'def f():\n    """Do.\n\n    >>> x.cuda()\n    """\n' + found,
        "d/devlint.toml": "target = 3\n",
        "d/a.py": found,
        "e/book.ipynb": notebook("import torch\n", "!pip install x\nx = torch.zeros(2).cuda()\n", "%%bash\nls\n"),
        "e/broken.ipynb": "{",
        "e/cell.ipynb": notebook("import torch\n", "def (.cuda()\n"),
        "f/Dockerfile": "FROM x\nENV CUDA_VISIBLE_DEVICE=1\n",
        "g/run.sh": "export PYTORCH_CUDA_ALLOC_CONFIG=a:b\n",
        **{f"h/f{number:03}.py": found if number % 9 == 0 else f"x = {number}\n" for number in range(36)},
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="latin-1" if "latin" in name else "utf-8")
    (folder / "b" / "bytes.py").write_bytes(b"import torch\nx = '\xff'.cuda()\n")
    (folder / "b" / "gone.py").symlink_to("nowhere.py")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if ".devlint_cache" not in name}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("example"))


IN_ALL_FORMATS = (
    *(f"check --no-cache --output-format {one}" for one in FORMATS),
    "check --no-cache --statistics",
    "fix --diff",
)
IN_SOME = ("check --no-cache", "fix --diff")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "jobs", "commands"), [("fork", 2, IN_ALL_FORMATS), ("fork", 4, IN_SOME), ("spawn", 2, IN_SOME)]
)
def test_output_is_the_same_to_the_byte_whatever_the_number_of_processes(
    example: Path, method: str, jobs: int, commands: tuple[str, ...]
) -> None:
    # The first run loads what the others, and copies of the process, need.
    one, several = (" + ".join(f"{command} -j {number}" for command in commands) for number in (1, jobs))
    expected = run(method, *one.split(), "+", *one.split(), cwd=example)
    assert run(method, *one.split(), "+", *several.split(), cwd=example) == expected
    assert expected[0] == 2
    assert expected[1].count("DEV101") > 10
    assert "gone.py" in expected[2]
    assert "devlint.toml" in expected[2]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_the_same_is_fixed(example: Path, tmp_path: Path, method: str) -> None:
    results = []
    for jobs in ("1", "2"):
        folder = tmp_path / "project"
        shutil.copytree(example, folder, symlinks=True)
        results.append((*run(method, "fix", "-j", jobs, cwd=folder), contents(folder)))
        shutil.rmtree(folder)
    assert results[0] == results[1]
    assert "fixed" in results[0][1]
    assert results[0][3] != contents(example)


@pytest.mark.parametrize("method", METHODS)
def test_what_workers_find_is_kept_for_the_next_run(example: Path, tmp_path: Path, method: str) -> None:
    folder = tmp_path / "project"
    shutil.copytree(example, folder, symlinks=True)
    code, out, err = run(method, *"check -j 2 + check -j 1".split(), cwd=folder)
    assert out[: len(out) // 2] == out[len(out) // 2 :] != ""
    (folder / ".devlint_cache").rename(folder / "kept")
    assert run(method, *"check -j 1 + check -j 2".split(), cwd=folder) == (code, out, err)


def write(folder: Path, *names: str, text: str = "import torch\n\nx = torch.zeros(2).cuda()\n") -> None:
    for name in names:
        (folder / name).write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("command", ["check", "fix"])
def test_a_file_that_kills_workers_is_named_and_the_others_go_on(tmp_path: Path, method: str, command: str) -> None:
    names = [f"f{number:02}.py" for number in range(20)]
    write(tmp_path, "exit.py", *names[:10], "once.py", "segv.py", *names[10:])
    code, out, err = run(method, command, "--isolated", "--output-format", "concise", "-j", "2", cwd=tmp_path)
    assert code == 2
    assert err.splitlines() == [
        "error: exit.py: a worker process died on this file (exit code 3)",
        "error: segv.py: a worker process died on this file (signal 11, SIGSEGV)",
    ]
    fixed = {path.name for path in tmp_path.glob("*.py") if ".cuda()" not in path.read_text()}
    if command == "fix":
        assert "(21 fixed, 0 remaining)" in out
        assert fixed == {*names, "once.py"}
    else:
        assert [line.partition(":")[0] for line in out.splitlines() if ".cuda()" in line] == [*names, "once.py"]
        assert fixed == set()


@pytest.mark.parametrize("method", METHODS)
def test_where_every_worker_dies_every_file_is_named(tmp_path: Path, method: str) -> None:
    names = [f"exit{number}.py" for number in range(6)]
    write(tmp_path, *names)
    code, out, err = run(method, "check", "--isolated", "-j", "2", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert err.splitlines() == [f"error: {name}: a worker process died on this file (exit code 3)" for name in names]


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_ends_all_processes_at_once_and_quietly(tmp_path: Path, method: str) -> None:
    write(tmp_path, "hang1.py", "hang2.py")
    with started(method, "check", "--isolated", "-j", "2", cwd=tmp_path) as process:
        assert process.stderr is not None
        workers = [int(process.stderr.readline()) for _ in range(2)]
        os.killpg(process.pid, signal.SIGINT)
        out, err = ended(process)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_a_program_without_a_guard_and_the_module_start_fresh_workers_too(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py", "c.py")
    # The worker must not take a module of the folder that is looked at for one of Python's own.
    write(tmp_path, "pickle.py", "types.py", text="raise SystemExit('not this one')\n")
    (tmp_path / "start").mkdir()
    script = tmp_path / "start" / "devlint-script"
    script.write_text(
        "from devlint.engine.parallel import start_methods\nstart_methods.method = lambda: 'spawn'\nfrom devlint.cli import main\nmain()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for program in ([str(script)], ["-m", "devlint"]):
        cwd = tmp_path if program[0] != "-m" else ROOT  # with -m the current folder goes before all others
        result = subprocess.run(
            [sys.executable, *program, "check", "--isolated", "-q", "-j", "2", str(tmp_path)],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        assert (result.returncode, result.stderr) == (1, "")
        assert result.stdout.count("DEV101") == 3


def test_a_worker_that_cannot_begin_leaves_the_work_to_the_first_process(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py", "c.py")
    program = (
        "import sys\nfrom devlint.engine.parallel import start_methods, spawn_workers\nstart_methods.method = lambda: 'spawn'\n"
        "spawn_workers._command = lambda: [sys.executable, '-c', 'raise SystemExit(1)']\n"
        "from devlint.cli import main\nmain(['check', '--isolated', '-q', '-j', '2', '.'])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.count("DEV101") == 3


def test_few_files_are_looked_at_without_anything_that_processes_need(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py", "c.py", text="import os\n")
    loaded = loaded_by(tmp_path, "check", "--isolated", "a.py", "b.py", "c.py")
    assert "devlint.engine.parallel.scheduler" in loaded
    unwanted = {
        "multiprocessing",
        "pickle",
        "subprocess",
        "select",
        "devlint.engine.parallel.pool",
        "devlint.engine.parallel.start_methods",
    }
    assert not loaded & unwanted


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5", "", "AUTO", "٣"])
def test_a_number_of_processes_that_is_none_is_told_in_one_line(
    tmp_path: Path, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from devlint.cli import main

    write(tmp_path, "a.py", text="x = 1\n")
    with pytest.raises(SystemExit) as left:
        main(["check", "--jobs", value, str(tmp_path)])
    assert left.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert (
        last
        == f"Error: Invalid value for '-j' / '--jobs': {value!r} is neither 'auto' nor a number of processes, 1 or more."
    )


@pytest.mark.parametrize("value", ["1", "2", "64", "1000000", "auto"])
def test_numbers_of_processes(tmp_path: Path, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    from devlint.cli import main

    write(tmp_path, "a.py", text="x = 1\n")
    with pytest.raises(SystemExit) as left:
        main(["check", "-j", value, str(tmp_path)])
    assert left.value.code == 0
    assert "All checks passed!" in capsys.readouterr().out
