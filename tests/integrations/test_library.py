"""devlint.check and devlint.fix, and the pages that describe them."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import devlint
from devlint.integrations.library import CheckResult, FixResult
from devlint.sources.source import read_source
from tests.support.fixture_runner import Case, load_cases
from tests.support.paths import ROOT
from tests.support.sampling import some

MANUAL = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", MANUAL, re.DOTALL | re.MULTILINE)
TEXT = "import torch\n\nx = torch.zeros(2).cuda()\n"
FIXED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.zeros(2).to(device)
"""


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def codes(result: CheckResult) -> list[str]:
    return [one.code for one in result.diagnostics]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.splitlines()[-1][:30])
def test_the_manual_is_right(example: str) -> None:
    Path("src").mkdir()
    Path("src/train.py").write_text(TEXT)
    exec(compile(example, "library.md", "exec"), {})


def test_the_manual_names_everything() -> None:
    assert set(re.findall(r"`(?:devlint\.)?([A-Za-z]+)`", MANUAL)) >= set(devlint.__all__) - {"check", "fix"}
    for function in (devlint.check, devlint.fix):
        options = set(function.__annotations__) - {"source", "return"}
        assert options <= set(re.findall(r"`(\w+)`", MANUAL))


def test_importing_devlint_loads_nothing_and_its_names_only_what_they_need() -> None:
    program = (
        "import sys, devlint\n"
        "def ours(): return {name for name in sys.modules if name.startswith('devlint.')}\n"
        "assert not ours() and not {'typing', 'dataclasses'} & set(sys.modules) - before, ours()\n"
        "assert 'check' in dir(devlint)\n"
        "devlint.Diagnostic\nassert ours() == {'devlint.core', 'devlint.core.diagnostic', 'devlint.core.record'}\n"
        "assert devlint.check('import os').diagnostics == ()\n"
        "assert not {'libcst', 'torch', 'click'} & set(sys.modules)\n"
    )
    program = f"import sys\nbefore = set(sys.modules)\n{program}"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_every_name_is_there_and_no_other() -> None:
    assert set(devlint.__all__) <= set(dir(devlint))
    for name in devlint.__all__:
        assert getattr(devlint, name).__name__ == name
    with pytest.raises(AttributeError, match="module 'devlint' has no attribute 'lint'"):
        devlint.lint  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("part", range(4))
def test_the_fixtures_come_out_as_on_the_command_line(part: int, tmp_path: Path) -> None:
    program = tmp_path / "input.py"  # in a project of its own
    for case in some(load_cases()[part::4], 4):
        comes_out_as_on_the_command_line(case, program)


def comes_out_as_on_the_command_line(case: Case, program: Path) -> None:
    program.write_bytes(case.original.read_bytes())
    options: dict[str, Any] = {key.replace("-", "_"): value for key, value in case.fix.items()}
    result = devlint.fix(program, isolated=True, **options)
    assert result.failure is None
    assert result.text == read_source(str(case.fixed)).text
    unfixed = {key: value for key, value in options.items() if key != "unsafe"}
    found = devlint.check(program, isolated=True, **unfixed).diagnostics
    places = [f"input.py:{one.location.row}:{one.location.column}: {one.code}" for one in found]
    assert places == re.findall(r"^input.py:\d+:\d+: DEV\d+", case.findings.read_text("utf-8"), re.MULTILINE)


def test_results_are_values() -> None:
    for result in (devlint.check(TEXT), devlint.fix(TEXT)):
        assert pickle.loads(pickle.dumps(result)) == result
        assert hash(result)


def test_codes_may_be_a_list_or_a_text() -> None:
    text = TEXT + "y = x.type(torch.cuda.FloatTensor)  # noqa: DEV101\n"
    assert codes(devlint.check(text)) == ["DEV101", "DEV202", "DEV002"]
    assert codes(devlint.check(text, select=["DEV1", "DEV202"], ignore=("DEV101",))) == ["DEV202"]
    assert codes(devlint.check(text, select=" DEV1, DEV2,", ignore="DEV2")) == ["DEV101"]
    assert codes(devlint.check(text, extend_select="DEV003", ignore="DEV1,DEV2,DEV002")) == ["DEV003"]
    assert devlint.fix(text, ignore="DEV101").text.splitlines()[-2] == text.splitlines()[2]


def test_a_path_has_the_configuration_that_holds_there_and_text_has_it_by_its_name() -> None:
    Path("a").mkdir()
    Path("a/b.py").write_text(TEXT)
    Path("a/devlint.toml").write_text('ignore = ["DEV101"]\n')
    assert codes(devlint.check(Path("a/b.py"))) == []
    assert codes(devlint.check(Path("a"), isolated=True)) == ["DEV101"]
    assert codes(devlint.check(TEXT)) == ["DEV101"]
    assert codes(devlint.check(TEXT, filename=Path("a/c.py"))) == []
    (found,) = devlint.check(TEXT, filename="a/c.py", isolated=True).diagnostics
    assert found.path == str(Path("a/c.py"))
    assert devlint.fix(Path("a/b.py")) == FixResult(TEXT)
    fixed = devlint.fix(Path("a/b.py"), select=["DEV1", "DEV4"]).text
    assert fixed == FIXED.replace("zeros(2).to(device)", "zeros(2, device=device)")


def test_a_file_that_is_excluded_by_force_stays_as_it_is() -> None:
    Path("b.py").write_text(TEXT)
    Path("devlint.toml").write_text('exclude = ["b.py"]\nforce-exclude = true\n')
    assert devlint.fix(Path("b.py"), write=True) == FixResult(TEXT)
    assert devlint.check(Path("b.py")) == CheckResult(())


def test_unsafe_fixes_are_asked_for_or_configured() -> None:
    text = 'import torch\n\ndevice = torch.device("cuda:1")\n'
    assert devlint.fix(text).text == text
    assert codes(CheckResult(devlint.fix(text).remaining)) == ["DEV106"]
    assert devlint.fix(text, unsafe=True).text != text
    Path("devlint.toml").write_text("unsafe-fixes = true\n")
    assert devlint.fix(text, filename="a.py").text != text
    assert devlint.fix(text, filename="a.py", unsafe=False).text == text


def test_the_target() -> None:
    own = devlint.fix(TEXT, target="project", device="my_device", device_import="from my import my_device")
    assert own.text == "import torch\nfrom my import my_device\n\nx = torch.zeros(2).to(my_device)\n"
    with pytest.raises(devlint.ConfigError, match="'accelerator' needs torch 2.6, but torch 2.1"):
        devlint.fix(TEXT, target="accelerator", torch_min_version="2.1")


def test_written_files_keep_their_bytes() -> None:
    path = Path("a.py")
    path.write_bytes("\ufeff".encode() + TEXT.replace("\n", "\r\n").encode())
    assert devlint.fix(path, write=True).text == FIXED.replace("\n", "\r\n")
    assert path.read_bytes() == "\ufeff".encode() + FIXED.replace("\n", "\r\n").encode()


def test_text_keeps_its_byte_order_mark() -> None:
    assert devlint.fix("\ufeff" + TEXT).text == "\ufeff" + FIXED
    assert devlint.fix("\ufeffx = 1\n").text == "\ufeffx = 1\n"


def test_what_is_no_python_is_a_finding() -> None:
    for text in ("def (", "x.cuda(\n", "a = 1\n'\ud800'.cuda()\n", "'cuda\0'"):
        assert codes(devlint.check(text)) == ["DEV001"]
        assert devlint.fix(text) == FixResult(text, (), devlint.check(text).diagnostics)
    (found,) = devlint.check("a = 1\n'\ud800'.cuda()\n").diagnostics
    assert found.location == devlint.Location(2, 2)
    Path("a.py").write_bytes(b"'\xff'.cuda()\n")
    result = devlint.fix(Path("a.py"), write=True)
    assert (result.text, [one.code for one in result.remaining]) == ("", ["DEV001"])
    assert Path("a.py").read_bytes() == b"'\xff'.cuda()\n"


def test_what_cannot_be_looked_at_is_a_failure() -> None:
    deep = "x.cuda()" + "(" * 300 + ")" * 300 + "\n"
    message = "has brackets nested more than 200 deep, left alone"
    assert devlint.check(deep) == CheckResult((), (devlint.Failure("<text>", message),))
    assert devlint.fix(deep, filename="a.py") == FixResult(deep, failure=devlint.Failure("a.py", message))
    assert devlint.check(Path("none.py")).failures == (devlint.Failure("none.py", "No such file or directory"),)
    Path("devlint.toml").write_text("target = 1\n")
    (failure,) = devlint.check(TEXT, filename="a.py").failures
    assert "expected one of cuda, accelerator, project, not 1" in failure.message


def test_errors() -> None:
    with pytest.raises(FileNotFoundError):
        devlint.fix(Path("none.py"))
    with pytest.raises(OSError, match=r"directory|denied"):
        devlint.fix(Path())
    with pytest.raises(ValueError, match="only a file can be written"):
        devlint.fix(TEXT, filename="a.py", write=True)
    with pytest.raises(devlint.DevlintError, match="devlint: 'torch-min-version': expected a version"):
        devlint.check(TEXT, torch_min_version="two")


def test_a_text_without_a_name_needs_no_torch_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "requirements.txt").write_text("torch==0.3.1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert devlint.fix(TEXT).text == FIXED
    assert devlint.fix(TEXT, filename=tmp_path / "a.py").text == TEXT
