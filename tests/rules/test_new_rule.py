"""The files of a new rule, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.errors import DevlintError
from devlint.rules import generate, new_rule

TAKEN = [("DEV601", "device-equals-string"), ("DEV605", "misspelled-device-api"), ("DEV101", "cuda-method")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("devlint/rules", "tests/rules"):
        tmp_path.joinpath(folder).mkdir(parents=True)
    tmp_path.joinpath("CHANGELOG.md").write_text("# Changelog\n\n- One.\n")
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "code"), [("DEV6", "DEV606"), ("DEV1", "DEV102"), ("DEV8", "DEV801"), ("DEV603",) * 2]
)
def test_the_code_is_the_next_free_one(project: Path, wanted: str, code: str) -> None:
    rule, test, changelog = new_rule.write(project, "bare-xpu", wanted, TAKEN)
    assert f'code = "{code}"' in rule.read_text() and f'CODE = "{code}"' in test.read_text()
    assert changelog.read_text().startswith("# Changelog\n\n- One.\n- " + code)
    assert [path.relative_to(project).as_posix() for path in (rule, test, changelog)] == [
        "devlint/rules/bare_xpu.py",
        "tests/rules/test_bare_xpu.py",
        "CHANGELOG.md",
    ]


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("cuda-method", "DEV1", "there is a rule 'cuda-method' already: DEV101"),
        ("bare-xpu", "DEV601", "there is a rule DEV601 already"),
        ("bare-xpu", "DEV", "'DEV' is neither a code such as DEV607 nor a group such as DEV6"),
        ("bare-xpu", "E5", "'E5' is neither a code such as DEV607 nor a group such as DEV6"),
        ("bare_xpu", "DEV6", "'bare_xpu' is no name for a rule: write it as cuda-method"),
        ("BareXpu", "DEV6", "'BareXpu' is no name for a rule: write it as cuda-method"),
        ("xpu", "DEV6", "'xpu' is no name for a rule: write it as cuda-method"),
    ],
)
def test_refused(project: Path, name: str, code: str, message: str) -> None:
    with pytest.raises(DevlintError) as error:
        new_rule.write(project, name, code, TAKEN)
    assert str(error.value) == message
    assert [path.name for path in project.rglob("*") if path.is_file()] == ["CHANGELOG.md"]


def test_nothing_is_overwritten(project: Path) -> None:
    project.joinpath("tests/rules/test_bare_xpu.py").write_text("mine\n")
    with pytest.raises(DevlintError, match=r"tests.rules.test_bare_xpu.py exists already"):
        new_rule.write(project, "bare-xpu", "DEV6", TAKEN)
    assert not project.joinpath("devlint/rules/bare_xpu.py").exists()


def test_the_command_line_refuses_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        generate.main(["rule", "cuda-method", "--code", "DEV1"])
    assert left.value.code == 2
    assert capsys.readouterr().err == "error: there is a rule 'cuda-method' already: DEV101\n"
