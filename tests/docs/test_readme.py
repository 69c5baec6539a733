"""What the README shows is what devlint does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import main
from devlint.cli.commands import COMMANDS
from devlint.config.options import parse_options
from devlint.core.toml import load_toml
from devlint.integrations import pytest_plugin
from devlint.sources.suppressions.suppressions import Suppressions
from tests.support.paths import ROOT

README = ROOT.joinpath("README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def block(kind: str, number: int = 0) -> str:
    return [text for language, text in BLOCKS if language == kind][number]


def test_the_example_and_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(block("python"))
    with pytest.raises(SystemExit):
        main(["check", "train.py"])
    assert capsys.readouterr().out == block("text")
    with pytest.raises(SystemExit):
        main(["fix", "--diff", "train.py"])
    assert capsys.readouterr().out == block("diff")


def test_the_configuration_is_one() -> None:
    table = load_toml(block("toml"))["tool"]["devlint"]
    assert parse_options(table, "README")["torch-min-version"] == (2, 1)


def test_the_suppressions_suppress_and_give_a_reason() -> None:
    suppressions = Suppressions.of(block("python", 1))
    assert suppressions.rows("DEV101") == {1, 2}
    assert suppressions.suppresses("DEV201", 1, 1)


def plugin_options() -> str:
    """The options that the pytest plugin adds."""
    parser = pytest.Parser(_ispytest=True)
    pytest_plugin.pytest_addoption(parser)
    return " ".join(name for group in parser._groups for option in group.options for name in option.names())


def test_every_command_that_is_shown_exists(capsys: Any) -> None:
    for command in set(re.findall(r"\bdevlint (\w+)", README)) & set(COMMANDS):
        with pytest.raises(SystemExit) as left:
            main([command, "--help"])
        assert not left.value.code
    help_text = capsys.readouterr().out + plugin_options()
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)):
        assert option in help_text, option
