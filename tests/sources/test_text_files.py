"""Files that are no Python: which are found, read, mended and suppressed, and that no other byte of them changes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlint.cli import main
from devlint.config.finder import ConfigFinder
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.integrations import library
from devlint.sources.text_kinds import kind_of

LINE = "export CUDA_VISIBLE_DEVICE=0\n"


Run = Callable[..., tuple[int, str]]


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsysbinary: Any) -> Run:
    def call(*arguments: str, stdin: bytes = b"") -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return int(left.value.code or 0), capsysbinary.readouterr().out.decode()

    return call


def rows(name: str, text: str) -> list[int]:
    report = Runner(ConfigFinder(isolated=True)).text(name, text)
    assert not report.failures
    return [one.location.row for one in report.diagnostics]


KINDS = {
    "run.sh": "shell",
    "RUN.SH": "shell",
    "a/job.sbatch": "shell",
    "run.bat": "batch file",
    "Dockerfile": "Dockerfile",
    "Dockerfile.gpu": "Dockerfile",
    "gpu.Dockerfile": "Dockerfile",
    "Makefile": "Makefile",
    "rules.mk": "Makefile",
    ".env": "environment file",
    ".env.local": "environment file",
    "prod.env": "environment file",
    "compose.yml": "YAML or TOML",
    "pyproject.toml": "YAML or TOML",
    "tox.ini": "configuration file",
    "config.json": "JSON",
    "README.md": "Markdown",
    "index.rst": "reStructuredText",
}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_kinds(name: str, kind: str) -> None:
    found = kind_of(name)
    assert found is not None and found.name == kind


@pytest.mark.parametrize(
    "name", ["a.py", "a.pyi", "a.ipynb", "a.txt", "sh", ".sh", "env", "notes", "makefile.py", "dockerfile.py", "a.lock"]
)
def test_other_files(name: str) -> None:
    assert kind_of(name) is None


def test_folders_names_and_standard_input(run: Run) -> None:
    for name in ("run.sh", "b/Dockerfile", "notes.txt", "build/run.sh"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(LINE)
    code, output = run("check", ".", "--output-format=concise")
    assert code == 1
    places = [line.split(" ")[0] for line in output.splitlines() if "DEV301" in line]
    assert places == [f"{Path('b/Dockerfile')}:1:8:", "run.sh:1:8:"]
    assert "run.sh:1:8: DEV301" in run("check", "run.sh", "--output-format=concise")[1]
    assert "x/run.sh:1:8: DEV301" in run("check", "-", "--stdin-filename=x/run.sh", stdin=LINE.encode())[1].replace(
        "\\", "/"
    )
    code, output = run("fix", "-", "--stdin-filename=run.sh", stdin=LINE.encode())
    assert output.startswith("export CUDA_VISIBLE_DEVICES=0\n")


def test_it_is_not_opened_where_the_rule_is_off(run: Run) -> None:
    Path("run.sh").write_bytes(b"\xff" + LINE.encode())
    assert run("check", "run.sh", "--select=DEV2")[0] == 0
    assert run("check", "run.sh", "--ignore=DEV301")[0] == 0
    assert run("check", "run.sh")[0] == 1


def test_it_is_no_python(run: Run) -> None:
    Path("run.sh").write_text("if [ -z $A ]; then  # noqa: DEV101\n  fi (\n")
    assert run("check", "run.sh") == (0, "All checks passed!\n")
    assert run("check", ".") == (0, "All checks passed!\n")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_no_other_byte_changes(run: Run, ending: str) -> None:
    text = f"\ufeff# ä\t\x0c{ending}  {LINE.strip()}  # x {ending}{ending}CUDA_LAUNCH_BLOCK=1 python \\{ending} x"
    Path("run.sh").write_bytes(text.encode())
    Path("run.sh").chmod(0o755)
    assert run("fix", "run.sh")[0] == 0
    after = text.replace("DEVICE=", "DEVICES=").replace("BLOCK=", "BLOCKING=")
    assert Path("run.sh").read_bytes() == after.encode()
    assert Path("run.sh").stat().st_mode & 0o777 == 0o755


def test_other_encodings(run: Run) -> None:
    Path("a.sh").write_bytes(b"# -*- coding: latin-1 -*-\n# \xe4\n" + LINE.encode())
    Path("b.sh").write_bytes(b"# \xe4\n" + LINE.encode())
    Path("c.sh").write_bytes(b"# \xe4\nexport CUDA_VISIBLE_DEVICES=0\n")
    before = Path("b.sh").read_bytes()
    code, output = run("fix", ".", "--output-format=concise")
    assert code == 1
    assert Path("a.sh").read_bytes() == b"# -*- coding: latin-1 -*-\n# \xe4\nexport CUDA_VISIBLE_DEVICES=0\n"
    assert Path("b.sh").read_bytes() == before
    assert [line for line in output.splitlines() if ".sh" in line] == [
        "b.sh:1:3: DEV001 cannot be decoded as utf-8: byte 0xe4; declare its encoding in a `# -*- coding: … -*-` line"
    ]
    assert "c.sh:1:3: DEV001" in run("check", "c.sh", "--output-format=concise")[1]


SUPPRESSED = [
    ("a.sh", "CUDA_VISIBLE_DEVICE=0 x  # noqa: DEV301"),
    ("a.sh", "CUDA_VISIBLE_DEVICE=0 x  # noqa"),
    ("a.sh", "CUDA_VISIBLE_DEVICE=0 x  # devlint: ignore[DEV301] - why"),
    ("a.sh", "# devlint: ignore[DEV301]\nCUDA_VISIBLE_DEVICE=0 x"),
    ("a.sh", "  # devlint: ignore\n  A=1 \\\n  CUDA_VISIBLE_DEVICE=0 \\\n  x"),
    ("a.sh", "x\n# devlint: ignore-file[DEV301]\nx\n\nCUDA_VISIBLE_DEVICE=0 x"),
    ("Dockerfile", "# noqa: DEV301\nENV CUDA_VISIBLE_DEVICE=0"),
    ("a.yml", "env:\n  CUDA_VISIBLE_DEVICE: 0  # noqa: DEV301"),
    ("a.ini", "[env]\n; devlint: ignore\nCUDA_VISIBLE_DEVICE = 0"),
    ("a.bat", "rem devlint: ignore\nset CUDA_VISIBLE_DEVICE=0"),
    ("a.bat", ":: devlint: ignore\nset CUDA_VISIBLE_DEVICE=0"),
    ("a.md", "<!-- devlint: ignore[DEV301] -->\n```bash\nx\nCUDA_VISIBLE_DEVICE=0 x\n```"),
    ("a.md", "`CUDA_VISIBLE_DEVICE` <!-- devlint: ignore -->"),
    ("a.md", "```\nCUDA_VISIBLE_DEVICE=0 x  # noqa: DEV301\n```"),
    ("a.rst", ".. devlint: ignore\n``CUDA_VISIBLE_DEVICE=0 x``"),
]


@pytest.mark.parametrize(("name", "text"), SUPPRESSED)
def test_suppressed(name: str, text: str) -> None:
    assert rows(name, text + "\n") == []
    assert rows(name, text.replace("devlint", "other").replace("noqa", "other") + "\n")


NOT_SUPPRESSED = [
    ("a.sh", "CUDA_VISIBLE_DEVICE=0 x  # noqa: DEV101", [1]),
    ("a.sh", "x  # noqa: DEV301\nCUDA_VISIBLE_DEVICE=0 x", [2]),
    ("a.sh", "# noqa: DEV301\nx\nCUDA_VISIBLE_DEVICE=0 x", [3]),
    ("a.md", "<!-- devlint: ignore -->\n```\nx\n```\n`CUDA_VISIBLE_DEVICE`", [5]),
]


@pytest.mark.parametrize(("name", "text", "expected"), NOT_SUPPRESSED)
def test_not_suppressed(name: str, text: str, expected: list[int]) -> None:
    assert rows(name, text + "\n") == expected


def test_only_code_of_our_own_is_suppressed_where_noqa_does_not_count() -> None:
    runner = Runner(ConfigFinder(isolated=True), noqa=False)
    assert len(runner.text("a.sh", "CUDA_VISIBLE_DEVICE=0 x  # noqa: DEV301\n").diagnostics) == 1
    assert runner.text("a.sh", "CUDA_VISIBLE_DEVICE=0 x  # devlint: ignore\n").diagnostics == ()


@pytest.mark.parametrize(
    "form", ["text", "json", "json-lines", "sarif", "github", "gitlab", "azure", "junit", "pylint", "grouped"]
)
def test_formats(run: Run, form: str) -> None:
    Path("run.sh").write_text(LINE)
    code, output = run("check", ".", f"--output-format={form}")
    assert code == 1
    assert "DEV301" in output and "run.sh" in output
    if form == "json":
        (one,) = json.loads(output)
        assert one["fix"]["edits"][0]["content"] == "CUDA_VISIBLE_DEVICES"


def test_diff_and_library(run: Run) -> None:
    Path("run.sh").write_text(LINE)
    assert "-export CUDA_VISIBLE_DEVICE=0\n+export CUDA_VISIBLE_DEVICES=0\n" in run("fix", "--diff", ".")[1]
    assert Path("run.sh").read_text() == LINE
    assert library.fix(LINE, filename="run.sh").text == "export CUDA_VISIBLE_DEVICES=0\n"
    assert [one.code for one in library.check(Path("run.sh")).diagnostics] == ["DEV301"]


def test_reports_say_what_was_fixed() -> None:
    Path("run.sh").write_text(LINE * 3)
    (report,) = Runner(ConfigFinder(isolated=True), Mode.FIX).run(["."])
    assert isinstance(report, FileReport)
    assert report.fixed == {"DEV301": 3} and report.diagnostics == ()


def test_baseline_and_changes(run: Run) -> None:
    Path("run.sh").write_text(LINE)
    Path("devlint.toml").write_text('baseline = "known.json"\n')
    assert run("baseline", ".")[0] == 0
    assert run("check", ".")[0] == 0
    Path("run.sh").write_text(LINE + "CUDA_LAUNCH_BLOCK=1 x\n")
    assert "run.sh:2:1: DEV301" in run("check", ".", "--output-format=concise")[1]
    run("fix", ".")
    assert Path("run.sh").read_text() == LINE + "CUDA_LAUNCH_BLOCKING=1 x\n"


def test_per_file_ignores_and_excludes(run: Run) -> None:
    for name in ("run.sh", "docs/run.sh", "old/run.sh"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(LINE)
    Path("devlint.toml").write_text('extend-exclude = ["old"]\nper-file-ignores = {"docs/*" = ["DEV301"]}\n')
    places = [line for line in run("check", ".", "--output-format=concise")[1].splitlines() if "DEV301" in line]
    assert [line.partition(":")[0] for line in places] == ["run.sh"]


PIECES = [
    "CUDA_VISIBLE_DEVICE", "CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE-DEVICES", "NCCL_P2P_DISABLED", "CUDA_LAUNCH_BLOCK", "=0",
    " = ", "$", "${", "}", ":-0", "-0", "%", "`", "```\n", "export ", "-e ", "env:\n  ", ": ", "- name: ", "\n", "\r\n", "\r",
    "\\\n", "\\\r\n", " ", "# noqa: DEV301", "<!-- devlint: ignore -->", "# devlint: ignore-file", "ä", "\x0c", "\u2028", "[env]\n",
    "os.environ['", "']", "typo", "x", "\t", "^\n",
]  # fmt: skip
NAMES = ["a.sh", "a.bat", "Dockerfile", "Makefile", ".env", "a.yml", "a.toml", "a.ini", "a.md", "a.rst"]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_text_is_mended_once_and_for_all(name: str, text: str) -> None:
    runner = Runner(ConfigFinder(isolated=True), Mode.DIFF)
    report = runner.text(name, text)
    assert not report.failures and not report.diagnostics
    if not report.changed:
        return
    assert report.source is not None and report.before_text == text
    at, after = 0, report.after_text
    for one in sorted(report.applied, key=lambda found: found.span):
        assert one.fix is not None
        known = one.fix.edits[0].text
        kept = text[at : one.span.start]
        assert after.startswith(kept + known)
        after, at = after[len(kept) + len(known) :], one.span.end
    assert after == text[at:]
