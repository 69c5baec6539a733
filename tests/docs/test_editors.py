"""What docs/editors.md shows can be read by editors, and names the settings that the server and the extension have."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devlint.core.toml import load_toml
from devlint.integrations.server.actions import FIX_ALL, FIX_ALL_IN_NOTEBOOK
from devlint.integrations.server.editor_settings import OPTIONS, OWN, EditorSettings, read_settings
from tests.support.paths import ROOT

TEXT = ROOT.joinpath("docs/editors.md").read_text(encoding="utf-8")
EXTENSION = ROOT / "editors" / "vscode"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
PACKAGE = json.loads(EXTENSION.joinpath("package.json").read_text(encoding="utf-8"))
SETTINGS = PACKAGE["contributes"]["configuration"]["properties"]


def of(language: str) -> list[str]:
    """The blocks in a language."""
    return [text for name, text in BLOCKS if name == language]


def sections(value: Any) -> Iterator[dict[str, Any]]:
    """All settings of devlint in a configuration of an editor."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "devlint" and isinstance(inner, dict) and "command" not in inner:
                yield inner
            elif key.startswith("devlint."):
                yield {key.removeprefix("devlint."): inner}
            else:
                yield from sections(inner)


def test_configurations_are_valid_and_their_settings_known() -> None:
    read = [*map(json.loads, of("json")), *map(load_toml, of("toml"))]
    found = [one for value in read for one in sections(value)]
    assert len(read) == 4 and len(found) == 4
    for one in found:
        settings, problems = read_settings(one)
        assert problems == [] and settings != EditorSettings()


def test_on_save_the_actions_are_those_of_the_server() -> None:
    for text in (TEXT, EXTENSION.joinpath("README.md").read_text(encoding="utf-8")):
        asked = re.findall(r'"((?:notebook\.)?source\.fixAll\.\w+)": "explicit"', text)
        assert asked == [FIX_ALL, FIX_ALL_IN_NOTEBOOK]
    assert f'kind: "{FIX_ALL}"' in EXTENSION.joinpath("src/extension.ts").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("nvim") is None, reason="neovim is not installed")
def test_lua_is_lua(tmp_path: Path) -> None:
    assert len(of("lua")) == 3
    for number, text in enumerate(of("lua")):
        file = tmp_path / f"{number}.lua"
        file.write_text(text)
        command = f"lua if not loadfile('{file}') then vim.cmd('cquit 1') end"
        done = subprocess.run(
            ["nvim", "--headless", "--clean", "-u", "NONE", "-c", command, "-c", "qall!"], check=False, timeout=300
        )
        assert done.returncode == 0, text


def test_brackets_of_lisp_match() -> None:
    assert len(of("elisp")) == 2
    for text in of("elisp"):
        assert text.count("(") == text.count(")")


def test_the_page_has_all_settings() -> None:
    table = TEXT.partition("## Settings")[2].partition("## VS Code")[0]
    named = set(
        re.findall(r"`(\w+)`", "\n".join(row.split("|")[1] for row in table.splitlines() if row.startswith("|")))
    )
    assert named == {*OWN, *OPTIONS}


def test_the_extension_has_all_settings_with_the_defaults_of_the_server() -> None:
    ours = {key.removeprefix("devlint."): value for key, value in SETTINGS.items()}
    for client in ("path", "interpreter", "trace.server"):
        del ours[client]
    assert set(ours) == {*OWN, *OPTIONS}
    defaults = EditorSettings()
    for name, (field, _) in OWN.items():
        assert ours[name]["default"] == getattr(defaults, field), name
    for name, option in OPTIONS.items():
        assert ours[name]["description"] == option.help, name
    assert read_settings({name: value["default"] for name, value in ours.items()}) == (defaults, [])


def test_the_extension_names_no_host_and_brings_nothing_built() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "editors"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    assert not [path for path in tracked if re.search(r"node_modules|/out/|/dist/|\.vsix$|lock\.json$", path)]
    assert "registry" not in EXTENSION.joinpath("package.json").read_text(encoding="utf-8")
