"""`devlint observe` and `devlint fix --observe`, and the commands of docs/observe.md, run as they stand."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.verify.test_launch import run_devlint

TEXT = ROOT.joinpath("docs/observe.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = [command for language, block in BLOCKS if language == "bash" for command in block.splitlines()]
PROGRAM = next(block for language, block in BLOCKS if language == "python")
REPORT = next(block for language, block in BLOCKS if language == "text")
TEST = "import train\n\n\ndef test_it():\n    assert train.total\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


@pytest.mark.slow
def test_the_report_is_that_of_the_page_and_becomes_findings(project: Path) -> None:
    command = "devlint observe -- python train.py"
    assert command in COMMANDS
    done = run_devlint(project, *shlex.split(command)[1:])
    assert (done.stdout, done.returncode) == (REPORT, 1), done.stderr
    command = "devlint check --observed --exit-zero train.py"
    assert command in COMMANDS
    done = run_devlint(project, *shlex.split(command)[1:], "--output-format", "json")
    found = json.loads(done.stdout)
    assert [(one["code"], one["location"]["row"]) for one in found] == [("DEV402", 12), ("DEV402", 15), ("DEV402", 22)]
    (project / "train.py").write_text(PROGRAM + "\n")
    found = json.loads(run_devlint(project, "check", "--observed", "--output-format", "json").stdout)
    assert [one["location"]["row"] for one in found if "met" in one["message"].split()] == []


@pytest.mark.slow
def test_a_run_of_pytest_and_json(project: Path) -> None:
    for name, text in {"src/model.py": "def never():\n    pass\n", "tests/test_train.py": TEST}.items():
        (project / name).parent.mkdir()
        (project / name).write_text(text)
    (command,) = [one for one in COMMANDS if "--paths" in one]
    words = shlex.split(command)[1:]
    done = run_devlint(project, "observe", "--output-format", "json", *words[1:], PYTHONPATH=f"{ROOT}:{project}")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)  # what train.py does is a library's, which the import led to
    assert {one["made"]["path"] for one in report["misplaced"]} == {"tests/test_train.py"}
    assert report["functions"] == {"defined": 2, "ran": 1}
    assert "1 passed" in done.stderr


@pytest.mark.slow
def test_a_program_is_fixed_and_run_again(project: Path) -> None:
    (command,) = [one for one in COMMANDS if "--observe " in one]
    done = run_devlint(project, *shlex.split(command)[1:])
    assert done.returncode == 0, done.stderr
    assert "3 tensors on the wrong device, 3 fixes" in done.stderr
    assert "the command ran again: no tensors of two devices met" in done.stderr
    text = (project / "train.py").read_text()
    assert "torch.full((8,), 0.5, device=device)" in text
    assert "    ids = ids.to(device)\n" in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["observe", "--", "no-such-command"], "there is no command 'no-such-command'"),
        (["observe", "train.py", "a b"], "for a program of Python: devlint observe -- python train.py 'a b'"),
        (["observe"], "Missing argument 'COMMAND...'"),
        (["fix", "--observe", "no-such-command x", "."], "the shell does not find a command"),
        (["fix", "--observe", " ", "."], "--observe needs a command"),
        (["fix", "--observe", "true", "--verify", "true", "."], "--observe and --verify exclude each other"),
    ],
)
def test_a_command_that_cannot_be_run(tmp_path: Path, arguments: list[str], problem: str) -> None:
    done = run_devlint(tmp_path, *arguments)
    assert done.returncode == 2 and problem in done.stderr


@pytest.mark.slow
def test_nothing_to_observe_and_a_program_that_fails(tmp_path: Path) -> None:
    done = run_devlint(tmp_path, "observe", "--", "true")
    assert (done.returncode, done.stdout) == (2, "no process of the command imported torch\n\n")
    (tmp_path / "a.py").write_text(
        "import torch\n\n\ndef f():\n    pass\n\n\nprint(torch.ones(2))\nraise ValueError('no')\n"
    )
    done = run_devlint(tmp_path, "observe", "--", "python", "a.py")
    assert done.returncode == 2
    assert done.stdout.endswith(
        "no tensors of two devices met: nothing was ever on a device\n\n0 of 1 functions ran\n"
        "the command ended with exit code 1: ValueError: no\n"
    )


@pytest.mark.slow
@pytest.mark.slow
def test_functions_are_counted_after_too_deep_a_recursion(tmp_path: Path) -> None:
    text = (
        "import torch\n\ndef deep():\n    return deep()\n\ndef later():\n    return 1\n\n"
        "try:\n    deep()\nexcept RecursionError:\n    print(torch.ones(1).cuda())\nlater()\n"
    )
    (tmp_path / "a.py").write_text(text)
    done = run_devlint(tmp_path, "observe", "--", "python", "a.py")
    assert "2 of 2 functions ran\n" in done.stdout, done.stderr


@pytest.mark.slow
def test_a_compiled_module_runs_uncompiled(tmp_path: Path) -> None:
    text = "import torch\n\nnet = torch.compile(torch.nn.Linear(3, 2).cuda())\nprint(net(torch.ones(3)).device)\n"
    (tmp_path / "a.py").write_text(text)
    done = run_devlint(tmp_path, "observe", "--", "python", "a.py")
    assert done.stdout.startswith("cuda:0\n1 tensor on the wrong device\n\na.py:4:11: torch.ones(3)\n"), done.stderr


def test_an_interrupted_and_a_killed_command(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import os, sys, time\nimport torch\n\nprint(torch.ones(2).cuda() + torch.ones(2), flush=True)\n"
        "if len(sys.argv) > 1:\n    os.kill(os.getpid(), 9)\ntime.sleep(60)\n"
    )
    words = [sys.executable, "-m", "devlint", "observe", "--", "python", "a.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, encoding="utf-8", start_new_session=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        interrupted = process.stdout.read()
    assert first.startswith("tensor([2., 2.]")
    assert interrupted.startswith("1 tensor on the wrong device\n\na.py:4:30: torch.ones(2)\n")
    assert (interrupted.splitlines()[-1], process.returncode) == (
        "the command was ended by SIGINT: KeyboardInterrupt",
        1,
    )
    done = run_devlint(tmp_path, "observe", "--", "python", "a.py", "now")
    assert "a.py:4:30: torch.ones(2)\n" in done.stdout
    assert (done.stdout.splitlines()[-1], done.returncode) == ("the command was ended by SIGKILL", 1)


@pytest.mark.slow
def test_a_tensor_of_another_process(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import torch\nimport torch.multiprocessing as mp\n\n\ndef work(rank, start):\n"
        "    print(torch.ones(2, device='cuda') + start)\n\n\n"
        "if __name__ == '__main__':\n    mp.spawn(work, (torch.ones(2),), nprocs=2)\n"
    )
    done = run_devlint(tmp_path, "observe", "--", "python", "a.py")
    assert done.stdout.count("tensor([2., 2.]") == 2, done.stderr
    assert done.stdout.endswith(
        "(in other code)\n    made on the CPU by a library, or in another process: `start`; float32[2]\n"
        "    meets cuda:0 at a.py:6:11: torch.ones(2, device='cuda') + start  (add, 2 times)\n\n1 of 1 functions ran\n"
    )
