"""The command line as a user meets it: what is printed where, and the exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devlint import __version__
from devlint.cli import main
from devlint.core.addresses import rule_address
from tests.support import fake_engine
from tests.support.paths import ROOT


@dataclass
class Result:
    code: Any
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Any) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    fake_engine.install(monkeypatch)

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsysbinary.readouterr()
        return Result(left.value.code or 0, out.decode(), err.decode())

    return call


def make(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def test_a_clean_folder(run: Run) -> None:
    make("a.py", "x = 1\n")
    assert run("check") == Result(0, "All checks passed!\n", "")
    assert run("check", "-q", ".") == Result(0, "", "")
    assert run("fix", "a.py") == Result(0, "All checks passed!\n", "")


def test_findings_are_shown_and_counted(run: Run) -> None:
    make("a.py", "x.cuda()\npinned\n")
    assert run("check") == Result(
        1,
        "a.py:1:2: DEV101 [*] `.cuda()` found\n"
        "  |\n"
        "1 | x.cuda()\n"
        "  |  ^^^^^^^\n"
        "help: Replace `.cuda()` (safe fix)\n"
        "\n"
        "a.py:2:1: DEV201 `pinned` found\n"
        "  |\n"
        "2 | pinned\n"
        "  | ^^^^^^\n"
        "help: Replace `pinned` (unsafe fix)\n"
        "\n"
        "Found 2 errors.\n"
        "[*] 1 fixable with `devlint fix` (1 hidden fix can be enabled with `--unsafe-fixes`).\n",
        "",
    )


def test_concise_quiet_and_unsafe(run: Run) -> None:
    make("a.py", "x.cuda()\npinned\n")
    result = run("check", "--output-format", "concise", "-q", "--unsafe-fixes")
    assert result.out == "a.py:1:2: DEV101 [*] `.cuda()` found\na.py:2:1: DEV201 [*] `pinned` found\n"


def test_one_finding_without_any_fix(run: Run) -> None:
    make("a.py", "nccl\n")
    assert run("check", "--select", "DEV5").out.endswith("\n\nFound 1 error.\n")
    make("a.py", "pinned\n")
    assert run("check").out.endswith(
        "Found 1 error.\nNo fixes available (1 hidden fix can be enabled with `--unsafe-fixes`).\n"
    )


def test_a_finding_without_a_fix_says_what_to_do(run: Run) -> None:
    make("a.py", "nccl\n")
    assert "\nhelp: Choose by what there is\n" in run("check", "--select", "DEV5").out
    assert "help" not in run("check", "--select", "DEV5", "--output-format", "concise").out


def test_json(run: Run) -> None:
    make("a.py", "é\nx.cuda()\nnccl\n")
    result = run("check", "--output-format", "json", "--extend-select", "DEV5")
    assert (result.code, result.err) == (1, "")
    found = json.loads(result.out)
    assert [(one["code"], one["name"], one["location"]) for one in found] == [
        ("DEV101", "cuda-method", {"row": 2, "column": 2}),
        ("DEV505", "nccl-backend", {"row": 3, "column": 1}),
    ]
    assert found[0]["fix"]["edits"][0]["content"] == ".to(device)"
    assert found[1]["fix"] is None
    make("a.py", "")
    assert run("check", "--output-format", "json") == Result(0, "[]\n", "")


def test_json_of_a_file_that_cannot_be_decoded(run: Run) -> None:
    Path("a.py").write_bytes(b"\xff")
    (found,) = json.loads(run("check", "--output-format", "json").out)
    assert (found["code"], found["location"]) == ("DEV001", {"row": 1, "column": 1})


def test_statistics(run: Run) -> None:
    make("a.py", "x.cuda()\ny.cuda()\npinned\n")
    result = run("check", "--statistics")
    assert result.out.startswith("2  DEV101  [*]  cuda-method\n1  DEV201  [ ]  pinned\nFound 3 errors.\n")
    rows = json.loads(run("check", "--statistics", "--output-format", "json").out)
    assert rows[0] == {"code": "DEV101", "name": "cuda-method", "count": 2, "fixable": 2}
    lines = run("check", "--statistics", "--output-format", "json-lines").out.splitlines()
    assert [json.loads(line) for line in lines] == rows
    refused = run("check", "--statistics", "--output-format", "sarif")
    assert (refused.code, refused.out) == (2, "")
    assert "--statistics cannot be shown as sarif" in refused.err


def test_formats_of_other_programs(run: Run) -> None:
    make("a.py", "x.cuda()\n")
    for name in ("sarif", "gitlab", "junit", "github", "azure", "pylint", "json-lines", "json", "grouped"):
        found = run("check", "none.py", ".", "--output-format", name)
        assert (found.code, found.err) == (2, "error: none.py: No such file or directory\n")
        assert "DEV101" in found.out
        assert ("none.py" in found.out) == (name != "grouped")
        assert ("Found 1 error." in found.out) == (name == "grouped")


def test_paths_in_reports_start_where_ci_says(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make("sub/a.py", "x.cuda()\n")
    monkeypatch.chdir("sub")
    for root, shown in (("", "a.py"), (str(tmp_path), "sub/a.py"), (str(tmp_path / "su"), "a.py")):
        monkeypatch.setenv("GITHUB_WORKSPACE", root)
        assert f",file={shown},line=1," in run("check", "--output-format", "github").out


@pytest.mark.parametrize("command", [("fix",), ("check", "--fix")])
def test_fix_says_what_it_fixed_and_what_remains(run: Run, command: tuple[str, ...]) -> None:
    make("a.py", "x.cuda()\ny.cuda()\npinned\n")
    result = run(*command, "-q", "--output-format", "concise")
    assert result == Result(1, "a.py:3:1: DEV201 `pinned` found\n", "")
    assert Path("a.py").read_text() == "x.to(device)\ny.to(device)\npinned\n"
    make("a.py", "x.cuda()\ny.cuda()\npinned\n")
    result = run(*command, "--output-format", "concise")
    assert result.out.splitlines()[1:] == [
        "Found 3 errors (2 fixed, 1 remaining).",
        "No fixes available (1 hidden fix can be enabled with `--unsafe-fixes`).",
    ]
    assert run(*command, "--unsafe-fixes").out == "Found 1 error (1 fixed, 0 remaining).\n"


def test_exit_codes(run: Run) -> None:
    make("a.py", "x.cuda()\n")
    assert run("check").code == 1
    assert run("check", "--exit-zero").code == 0
    assert run("fix", "--exit-non-zero-on-fix").code == 1
    assert run("fix", "--exit-non-zero-on-fix").code == 0
    make("a.py", "x.cuda()\n")
    assert run("fix").code == 0
    assert run("check", "none.py", "a.py").code == 2
    assert run("check", "none.py", "--exit-zero").code == 2


def test_diff_writes_nothing_and_says_how_much(run: Run) -> None:
    make("a.py", "x.cuda()\ny.cuda()\npinned\n")
    for command in (("fix", "--diff"), ("check", "--diff"), ("check", "--fix", "--diff")):
        result = run(*command)
        assert result.code == 1
        assert result.out == (
            "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n-x.cuda()\n-y.cuda()\n+x.to(device)\n+y.to(device)\n pinned\n"
        )
        assert result.err == "Would fix 2 errors (1 hidden fix can be enabled with `--unsafe-fixes`).\n"
    assert Path("a.py").read_text() == "x.cuda()\ny.cuda()\npinned\n"
    make("a.py", "pinned\n")
    result = run("fix", "--diff", "-q")
    assert result == Result(0, "", "")
    assert run("fix", "--diff").err.startswith("No errors would be fixed (1 hidden")


def test_failures_are_lines_on_standard_error(run: Run) -> None:
    make("a.py", "x.cuda()\n")
    result = run("check", "none.py", "a.py", "--output-format", "concise")
    assert result.err == "error: none.py: No such file or directory\n"
    assert result.out.startswith("a.py:1:2: DEV101")
    assert run("check", "none.py") == Result(2, "", "error: none.py: No such file or directory\n")


def test_nothing_to_look_at_is_a_warning(run: Run) -> None:
    result = run("check")
    assert result == Result(0, "All checks passed!\n", "warning: no Python files found under the given paths\n")


def test_standard_input(run: Run) -> None:
    result = run("check", "-", "--output-format", "concise", "-q", stdin=b"x.cuda()\n")
    assert result == Result(1, "-:1:2: DEV101 [*] `.cuda()` found\n", "")
    result = run("check", "--stdin-filename", "b/c.py", "--output-format", "concise", "-q", stdin=b"x.cuda()\n")
    assert result.out.startswith("b/c.py:1:2: ")
    assert run("check", "-", "a.py").code == 2


def test_standard_input_takes_the_settings_of_its_name(run: Run) -> None:
    make("b/devlint.toml", 'ignore = ["DEV1"]\n')
    assert run("check", "-", "--stdin-filename", "b/c.py", stdin=b"x.cuda()\n").code == 0


def test_fixed_standard_input_goes_to_standard_output_and_findings_do_not(run: Run) -> None:
    result = run("fix", "-", "--output-format", "concise", stdin=b"\xef\xbb\xbfx.cuda()\r\npinned\r\n")
    assert (result.code, result.out) == (1, "\ufeffx.to(device)\r\npinned\r\n")
    assert result.err.startswith("-:2:1: DEV201 `pinned` found\nFound 2 errors (1 fixed, 1 remaining).\n")
    result = run("fix", "-", "--diff", stdin=b"x.cuda()\n")
    assert result.out == "--- -\n+++ -\n@@ -1 +1 @@\n-x.cuda()\n+x.to(device)\n"


def test_input_that_cannot_be_fixed_comes_out_as_it_went_in(run: Run) -> None:
    for data in (b"x = 1\n", b"def (.cuda()\n", "é # coding: latin-1\r".encode()):
        assert run("fix", "-", "-q", stdin=data).out == data.decode()
    monkey = run("fix", "-", "--exclude", "x.py", "--force-exclude", "--stdin-filename", "x.py", stdin=b"x.cuda()\n")
    assert monkey.out == "x.cuda()\n"


def test_configuration_on_the_command_line(run: Run) -> None:
    make("a.py", "x.cuda()\npinned\nnccl\n")
    make("gen/b.py", "x.cuda()\n")
    make("devlint.toml", 'extend-exclude = ["gen"]\n')
    make("other.toml", 'ignore = ["DEV1"]\n')
    concise = ("--output-format", "concise", "-q")
    assert len(run("check", *concise).out.splitlines()) == 2
    assert len(run("check", "--isolated", *concise).out.splitlines()) == 3
    assert len(run("check", "--config", "other.toml", "--extend-exclude=gen", *concise).out.splitlines()) == 1
    assert len(run("check", "--select", "DEV1,DEV2", "--select=DEV505", *concise).out.splitlines()) == 3
    assert run("check", "--exclude", "a.py, gen", *concise) == Result(0, "", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--select", "DEV1O1"), "command line: 'select': unknown rule selector 'DEV1O1' (did you mean 'DEV101'?)"),
        (("--target", "gpu"), "command line: 'target': expected one of cuda, accelerator, project, not 'gpu'"),
        (("--target", "project"), "needs the key 'device'"),
        (("--torch-min-version", "two"), "expected a version"),
        (("--config", "none.toml"), "none.toml: no such configuration file"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_code_2(run: Run, arguments: tuple[str, ...], words: str) -> None:
    result = run("check", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert words in result.err
    assert result.err.count("\n") == 1


def test_an_unknown_option_is_exit_code_2(run: Run) -> None:
    assert run("check", "--nonsense").code == 2
    assert run("chekc").code == 2
    assert run("check", "--output-format", "xml").code == 2


def test_colours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    make("a.py", "x.cuda()\n")
    assert "\x1b[" not in run("check").out
    assert "\x1b[" in run("check", "--color", "always").out
    assert "\x1b[" in run("fix", "--diff", "--color", "always").out
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    from devlint.cli.terminal import use_colour

    monkeypatch.setenv("TERM", "xterm")
    assert use_colour("auto", terminal)
    assert not use_colour("never", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not use_colour("auto", terminal)
    assert use_colour("always", terminal)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not use_colour("auto", terminal)


def test_rules(run: Run) -> None:
    lines = run("rules").out.splitlines()
    assert re.match(r"code\s+name\s+fix\s+default\s+what it finds", lines[0])
    assert any(re.match(r"DEV505\s+nccl-backend\s+none\s+off\s+Names a backend\.", line) for line in lines)
    rows = json.loads(run("rules", "--output-format", "json").out)
    assert rows[-1] == {
        "code": "DEV505",
        "name": "nccl-backend",
        "summary": "Names a backend.",
        "fix": "none",
        "default": False,
        "url": rule_address("DEV505"),
    }


def test_explain(run: Run) -> None:
    result = run("explain", "dev002")
    assert result.out.startswith(
        "DEV002 unused-suppression\nFix: safe. On by default.\n"
        f"Page: {rule_address('DEV002')}\n\nA suppression of a devlint rule"
    )
    assert "\nFix safety\nSafe: only a comment changes" in result.out
    assert "``" not in result.out.replace("```", "")
    assert run("explain", "unused-suppression").out == result.out
    assert run("explain", "DEV10l").err == "error: there is no rule 'DEV10l' (did you mean 'DEV101'?)\n"
    assert run("explain", "unused-supression").err.endswith("(did you mean 'unused-suppression'?)\n")
    assert run("explain", "zzz").code == 2


def test_version_and_help(run: Run) -> None:
    assert re.fullmatch(
        rf"devlint {re.escape(__version__)}\nCPython 3[.\d\w+]+\nLibCST \d\S+\ntorch \S[^\n]*\n", run("-V").out
    )
    assert "--unsafe-fixes" in run("check", "--help").out
    assert "explain" in run("--help").out


def test_an_interrupted_run_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    make("a.py", "x.cuda()\n")
    monkeypatch.setattr(fake_engine, "lint", interrupt)
    result = run("check")
    assert (result.code, result.err.strip()) == (130, "interrupted")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python leaves such exceptions as they are there")
def test_an_interrupt_while_a_class_is_made_is_one_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    make("a.py", "x.cuda()\n")
    monkeypatch.setattr(fake_engine, "lint", lambda *_: type("Made", (), {"one": Interrupting()}))
    result = run("check")
    assert (result.code, result.err) == (130, "\ninterrupted\n")


def devlint(*arguments: str, cwd: Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A real process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, "-W", "error", "-m", "devlint", *arguments]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, env=environment, check=False)


def test_a_real_process_checks_a_folder(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    (tmp_path / "none").write_text("")
    result = devlint("check", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"All checks passed!\n", b"")


@pytest.mark.parametrize("library", ["click", "libcst", "json"])
def test_files_of_the_current_folder_are_no_libraries(tmp_path: Path, library: str) -> None:
    (tmp_path / f"{library}.py").write_text("raise SystemExit('run')\n")
    (tmp_path / "a.py").write_text("import torch\nx = torch.ones(2).cuda()\n")
    result = devlint("check", "--output-format", "json", "a.py", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, b"")


def test_a_terminal_that_cannot_show_a_character_does_not_end_the_run(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff\xe9.py")).write_bytes(b"\xff")
    (tmp_path / "漢.py").write_bytes("# é\n漢 = '\0'".encode())
    result = devlint("check", cwd=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert result.returncode == 1
    assert result.stderr == b""
    assert b"Found 2 errors." in result.stdout


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"undecodable_{number}.py").write_bytes(b"\xff")
    process = subprocess.Popen(
        [sys.executable, "-m", "devlint", "check"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


def test_an_interrupt_in_generated_code_has_the_same_exit_code(tmp_path: Path) -> None:
    text = "from devlint import cli\n\ncli._run = lambda arguments: exec('raise KeyboardInterrupt')\ncli.main()\n"
    (tmp_path / "interrupted.py").write_text(text)
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ninterrupted\n")
