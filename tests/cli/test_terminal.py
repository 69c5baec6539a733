"""What only a terminal shows: colours, links, the bar of a long run, and completion; each on a real pseudo-terminal."""

from __future__ import annotations

import io
import os
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")

PLAIN_VARIABLES = (
    "NO_COLOR",
    "FORCE_COLOR",
    "FORCE_HYPERLINK",
    "TERM_PROGRAM",
    "TMUX",
    "VTE_VERSION",
    "WT_SESSION",
    "KONSOLE_VERSION",
)
RUN = "import sys, devlint.cli.progress as p; {}; from devlint.cli import main; main(sys.argv[1:])"
QUICK, SLOW = RUN.format("p.DELAY = 600"), RUN.format("p.DELAY = p.INTERVAL = 0")


def environment(**variables: str) -> dict[str, str]:
    known = {key: value for key, value in os.environ.items() if key not in (*PLAIN_VARIABLES, "KITTY_WINDOW_ID")}
    return {**known, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **variables}


def on_terminal(*command: str, cwd: Path, stdout: Path | None = None, columns: int = 80, **variables: str) -> str:
    """What a command writes to a terminal, on which standard error is, and standard output unless it goes to a file."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    out: Any = open(stdout, "wb") if stdout else theirs  # noqa: SIM115
    process = subprocess.Popen(command, cwd=cwd, stdin=theirs, stdout=out, stderr=theirs, env=environment(**variables))
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        pieces.append(piece)
    process.wait()
    os.close(ours)
    if stdout:
        out.close()
    return b"".join(pieces).decode().replace("\r\n", "\n")


def devlint(*arguments: str, cwd: Path, **options: Any) -> str:
    """What the command line writes, where no run counts as long, whatever else the computer does."""
    return on_terminal(sys.executable, "-c", QUICK, *arguments, cwd=cwd, **options)


def slow(*arguments: str, cwd: Path, **options: Any) -> str:
    """The same, where every run counts as long."""
    return on_terminal(sys.executable, "-c", SLOW, *arguments, cwd=cwd, **options)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    folder.joinpath("a.py").write_text("import torch\n\nx = torch.zeros(2).cuda()\n")
    folder.joinpath("b.py").write_text("y = 1\n")
    return folder


def screen(written: str) -> list[str]:
    """The lines that remain visible: a carriage return goes back to the start of a line and writes over it."""
    lines = []
    for line in re.sub("\x1b\\[[0-9;]*m", "", written).split("\n"):
        shown = ""
        for piece in line.split("\r"):
            shown = piece + shown[len(piece) :]
        lines.append(shown.rstrip())
    return lines


def test_colours_on_a_terminal(project: Path) -> None:
    assert "\x1b[1;31mDEV101\x1b[0m" in devlint("check", cwd=project)
    assert "\x1b" not in devlint("check", cwd=project, NO_COLOR="1")
    assert "\x1b" not in devlint("check", cwd=project, TERM="dumb")
    assert "\x1b" not in devlint("check", "--color", "never", cwd=project)
    assert "\n+x = torch.zeros(2).to(device)\n" in devlint("check", cwd=project, NO_COLOR="1")
    assert "\n+" not in devlint("check", "--no-show-diff", cwd=project, NO_COLOR="1")


def test_colours_where_there_is_no_terminal(project: Path) -> None:
    piped = project / "out"

    def shown(*options: str, **variables: str) -> str:
        devlint("check", *options, "a.py", cwd=project, stdout=piped, **variables)
        return piped.read_text()

    assert "\x1b" not in shown() + shown(FORCE_COLOR="")
    forced = shown(FORCE_COLOR="1", TERM_PROGRAM="WezTerm")
    assert "\x1b[1;31mDEV101\x1b[0m" in forced and "\x1b]8" not in forced
    assert "\x1b" not in shown(FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b" not in shown("--color=never", FORCE_COLOR="1")
    assert "\x1b" in shown("--color=always", NO_COLOR="1")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 100, 200])
def test_lists_and_manuals_fit_the_terminal(project: Path, columns: int) -> None:
    for words in (["rules"], ["explain", "DEV101"], ["explain", "DEV501"]):
        shown = devlint(*words, cwd=project, columns=columns, NO_COLOR="1")
        code = [line for one in shown.split("```")[1::2] for line in one.splitlines()]
        assert max(len(line) for line in shown.splitlines() if line not in code and "http" not in line) <= columns
        plain = project / "plain"
        devlint(*words, cwd=project, stdout=plain, columns=columns, NO_COLOR="1")
        assert shown.split() == plain.read_text().split()


def test_a_diff_on_a_terminal_moves_no_cursor_and_in_a_file_is_exact(project: Path) -> None:
    path = project / "\x1b[2J.py"
    path.write_text("import torch\n\nx = torch.zeros(2).cuda()  # \x1b]0;title\x07\u202e\n")
    shown = devlint("fix", "--diff", "--color", "never", path.name, cwd=project)
    assert shown.startswith('--- "\\033[2J.py"\n') and "# \\x1b]0;title\\x07\\u202e\n" in shown
    assert not set(shown) & set("\x1b\x07\u202e")
    patch = project / "patch"
    devlint("fix", "--diff", "--color", "never", path.name, cwd=project, stdout=patch)
    assert "# \x1b]0;title\x07\u202e\n" in patch.read_text()


def test_places_are_links_on_terminals_that_show_them(project: Path) -> None:
    host = os.uname().nodename
    path = (project / "a.py").as_uri().removeprefix("file://")
    link = f"\x1b]8;;file://{host}{path}#3\x1b\\\x1b[1ma.py\x1b[0m:3:20\x1b]8;;\x1b\\: "
    for variables in (
        {"TERM": "xterm-kitty"},
        {"TERM_PROGRAM": "WezTerm"},
        {"VTE_VERSION": "7600"},
        {"FORCE_HYPERLINK": "1"},
        {"FORCE_HYPERLINK": "1", "TMUX": "x"},
    ):
        assert link in devlint("check", cwd=project, **variables), variables


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"TERM": "xterm-kitty", "NO_COLOR": "1"},
        {"TERM": "dumb", "TERM_PROGRAM": "WezTerm"},
        {"TERM": "screen", "TERM_PROGRAM": "WezTerm"},
        {"TERM": "xterm-kitty", "TMUX": "x"},
        {"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"},
        {"TERM_PROGRAM": "vscode"},
        {"VTE_VERSION": "4800"},
    ],
)
def test_places_are_plain_everywhere_else(project: Path, variables: dict[str, str]) -> None:
    assert "\x1b]8" not in devlint("check", cwd=project, **variables)


def test_nothing_is_marked_in_a_pipe(project: Path) -> None:
    out = project / "out.txt"
    assert devlint("check", cwd=project, stdout=out, TERM="xterm-kitty") == ""
    assert out.read_text().startswith("a.py:3:20: DEV101 [*] ")
    assert "\x1b" not in out.read_text()


def test_a_long_run_has_a_bar_and_leaves_no_trace_of_it(project: Path) -> None:
    written = slow("check", "--output-format", "concise", cwd=project)
    assert "[###############---------------] 1/2 files a.py" in written
    assert "[##############################] 2/2 files b.py" in written
    assert screen(written) == screen(devlint("check", "--output-format", "concise", cwd=project))
    assert screen(written)[1] == "Found 1 error."


def test_the_bar_is_on_standard_error_while_findings_go_elsewhere(project: Path) -> None:
    out = project / "out.txt"
    written = slow("check", "none.py", ".", "--output-format", "json", cwd=project, stdout=out)
    assert "3/3 files" in written
    assert screen(written)[:2] == ["error: none.py: No such file or directory", ""]
    assert out.read_text().startswith("[\n")
    assert "files" not in out.read_text()


def test_a_narrow_terminal_has_the_numbers_alone(project: Path) -> None:
    assert "\r2/2\r" in slow("check", cwd=project, columns=30).replace(" ", "")
    assert "[###############---------------] 1/2 files\r" in slow("check", cwd=project, columns=46)


@pytest.mark.parametrize(
    ("arguments", "variables"), [(["check", "-q"], {}), (["check"], {"TERM": "dumb"}), (["check", "-"], {})]
)
def test_there_is_no_bar_where_nobody_wants_it(project: Path, arguments: list[str], variables: dict[str, str]) -> None:
    command = [sys.executable, "-c", SLOW, *arguments]
    if "-" in arguments:
        command = ["sh", "-c", f'exec "{sys.executable}" -c "$0" check - < a.py', SLOW]
    assert "files" not in on_terminal(*command, cwd=project, **variables)


def test_there_is_no_bar_in_a_pipe(project: Path) -> None:
    command = [sys.executable, "-c", SLOW, "check"]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True, env=environment(), check=False)
    assert (result.stderr, "\r" in result.stdout, "\x1b" in result.stdout) == ("", False, False)


def test_a_short_run_has_no_bar(project: Path) -> None:
    from devlint.cli import progress

    assert progress.DELAY == 1.0
    assert "files" not in on_terminal(
        sys.executable, "-c", SLOW.replace("INTERVAL = 0", "INTERVAL = 60"), "check", cwd=project
    )


def test_the_bar_waits_for_its_second(monkeypatch: pytest.MonkeyPatch) -> None:
    from devlint.cli import progress
    from devlint.engine.report import FileReport

    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    drawn = []
    for number, _ in enumerate(progress.Progress(stream, lambda: 20).watch(FileReport(f"{n}.py") for n in range(20))):
        drawn.append(stream.getvalue().count(" files"))
        now = 0.125 * (number + 1)
    # The file that is done 1.0 seconds after the start is the first one drawn, and then one every 0.1 seconds.
    assert drawn == [0] * 8 + list(range(1, 13))


def completed(*words: str, cwd: Path, shell: str = "zsh") -> str:
    """What the shell's script is told to offer for the last word."""
    variables = {"_DEVLINT_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(("devlint", *words))}
    variables["COMP_CWORD"] = words[-1] if shell == "fish" else str(len(words))
    command = [sys.executable, "-m", "devlint"]
    result = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env=environment(**variables), check=False, timeout=300
    )
    assert result.stderr == ""
    return result.stdout


def test_what_is_completed(tmp_path: Path) -> None:
    assert completed("com", cwd=tmp_path).startswith("plain\ncompletion\nPrint the script for completion ")
    assert "sarif" in completed("check", "--output-format", "sa", cwd=tmp_path)
    assert "DEV101\nA tensor or module moved by `.cuda()`." in completed("check", "--select", "dev1", cwd=tmp_path)
    assert "DEV2,DEV101\n" in completed("check", "--ignore", "DEV2,DEV10", cwd=tmp_path)
    assert "DEV2,cuda-method\n" in completed("check", "--select", "DEV2,cuda-m", cwd=tmp_path)
    assert "cuda-method\n" in completed("explain", "cuda-m", cwd=tmp_path)
    assert "DEV101\n" in completed("explain", "dev101", cwd=tmp_path)
    assert "accelerator\n" in completed("fix", "--target", "acc", cwd=tmp_path)
    assert completed("check", "pa", cwd=tmp_path) == "file\npa\n_\n"
    assert "plain,cuda-method" in completed("explain", "cuda-m", cwd=tmp_path, shell="fish")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_the_shells(tmp_path: Path, shell: str) -> None:
    command = [sys.executable, "-m", "devlint", "completion", shell]
    result = subprocess.run(command, capture_output=True, text=True, env=environment(PATH=str(tmp_path)), check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"_DEVLINT_COMPLETE={shell}_complete" in result.stdout
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=result.stdout, text=True, check=True)


def test_bash_completes(tmp_path: Path) -> None:
    program = shutil.which("bash")
    if program is None:
        pytest.skip("no bash")
    tmp_path.joinpath("devlint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m devlint "$@"\n')
    tmp_path.joinpath("devlint").chmod(0o755)
    script = (
        'eval "$(devlint completion bash)"; COMP_WORDS=(devlint check --output-format git) COMP_CWORD=3; '
        '_devlint_completion devlint; echo "${COMPREPLY[@]}"; complete -p devlint'
    )
    variables = environment(PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    result = subprocess.run([program, "-c", script], capture_output=True, text=True, env=variables, check=True)
    assert result.stdout.splitlines() == ["github gitlab", "complete -o nosort -F _devlint_completion devlint"]


def on_path(folder: Path) -> dict[str, str]:
    """An environment in which ``devlint`` is this one."""
    program = folder / "devlint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m devlint "$@"\n')
    program.chmod(0o755)
    return environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}", HOME=str(folder), ZDOTDIR=str(folder))


CASES = [
    ("check --output-format gith", ["github"]),
    ("check --output-format git", ["github", "gitlab"]),
    ("check --select DEV2,DEV101", ["DEV2,DEV101"]),
    ("explain cuda-met", ["cuda-method"]),
    ("check --document", ["--document-code"]),
    ("fix --target acc", ["accelerator"]),
    ("comp", ["completion"]),
    ("check tr", ["train.py"]),
]


def test_fish_completes(tmp_path: Path) -> None:
    program = shutil.which("fish")
    if program is None:
        pytest.skip("no fish on this computer")
    tmp_path.joinpath("train.py").touch()
    asked = "; echo ==; ".join(f"complete -C 'devlint {words}'" for words, _ in CASES)
    script = f"devlint completion fish | source; {asked}"
    command = [program, "--no-config", "-c", script]
    result = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=on_path(tmp_path), check=True, timeout=300
    )
    offers = [[line.partition("\t")[0] for line in one.splitlines() if line] for one in result.stdout.split("==\n")]
    assert (result.stderr, offers) == ("", [expected for _, expected in CASES])


def test_zsh_completes(tmp_path: Path) -> None:
    program = shutil.which("zsh")
    if program is None:
        pytest.skip("no zsh on this computer")
    variables = on_path(tmp_path)
    tmp_path.joinpath("train.py").touch()
    only = [(words, expected[0]) for words, expected in CASES if len(expected) == 1]
    # The shell's own function shows the words that it would run; the script asks the program.
    start = (
        'PS1=; autoload -Uz compinit && compinit -u -D && eval "$(devlint completion zsh)"; '
        'devlint() { print -r -- "<$*>" }; print start""ed\n'
    )
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        [program, "-f", "-i"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**variables, "TERM": "dumb"},
    )
    os.close(theirs)
    written = b""
    for line, answer in [(start, "started"), *((f"devlint {words}\t\n", f"{end}>") for words, end in only)]:
        os.write(ours, line.encode())
        while answer.encode() not in written and b">\r\n" not in written:
            assert select.select([ours], [], [], 300)[0], written
            written += os.read(ours, 65536)
        assert answer.encode() in written, written
        written = b""
    os.write(ours, b"exit\n")
    shell.wait(300)
    os.close(ours)


def test_a_version_where_packages_are_missing(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from importlib import metadata

    from devlint.cli import main

    def missing(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.endswith("\ntorch not installed beside devlint (nor needed)\n")
