"""A first configuration for a project: only what is so there is set, everything else stands in comments."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from devlint.config.finder import NAMES
from devlint.config.project_survey import Survey
from devlint.config.settings import ACCELERATOR_SINCE
from devlint.core.errors import ConfigError
from devlint.core.target import DEFAULT_TORCH_MIN_VERSION
from devlint.core.toml import TOMLError, load_toml

_TABLE = "[tool.devlint]"
_MOST_HELPERS = 3


def place(root: str) -> str:
    """The file that a configuration of the folder ``root`` belongs in: its pyproject.toml, else devlint.toml."""
    pyproject = os.path.join(root, "pyproject.toml")
    return pyproject if os.path.lexists(pyproject) else os.path.join(root, "devlint.toml")


def starter(seen: Survey, in_pyproject: bool) -> str:
    """The text of a configuration."""
    head = [_TABLE] if in_pyproject else []
    return "\n".join([*head, *_target(seen), *_torch(seen), *_excluded(seen), *_rest()]) + "\n"


def write_starter(root: str, text: str) -> str:
    """Append to pyproject.toml, or make devlint.toml, and return its path; raises ConfigError before it would harm."""
    for name in NAMES:
        existing = os.path.join(root, name)
        if os.path.lexists(existing) and (name != "pyproject.toml" or "devlint" in _tools(_document(existing))):
            raise ConfigError(existing, "is a configuration of devlint already; nothing was written")
    path = place(root)
    exists = os.path.lexists(path)
    data = _appended(path, text) if exists else text.encode()
    try:
        with open(path, "ab" if exists else "xb") as file:
            file.write(data)
    except OSError as error:
        raise ConfigError(path, f"cannot be written: {error.strerror}") from None
    return path


def _appended(path: str, text: str) -> bytes:
    """What to add to a pyproject.toml: in its own line endings, after an empty line, and so that it says the same."""
    before = _read(path)
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    gap = b"" if not before else newline if before.endswith(b"\n") else newline * 2
    data = gap + text.encode().replace(b"\n", newline)
    old = _document(path)
    try:
        new = load_toml((before + data).decode("utf-8"))
    except TOMLError:  # `tool = {…}` on one line takes no more tables
        raise ConfigError(path, "no table can be added at its end; use `devlint init --stdout`") from None
    assert {**new, "tool": 0} == {**old, "tool": 0} and {**_tools(old), "devlint": 0} == {**_tools(new), "devlint": 0}
    return data


def _document(path: str) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return load_toml(_read(path).decode("utf-8"))
    except (TOMLError, UnicodeDecodeError) as error:
        raise ConfigError(path, f"is no TOML: {error}") from None


def _tools(document: dict[str, Any]) -> dict[str, Any]:
    """The tables of tools."""
    tools = document.get("tool")
    return tools if isinstance(tools, dict) else {}


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise ConfigError(path, f"cannot be read: {error.strerror}") from None


def _target(seen: Survey) -> Iterator[str]:
    """What a device becomes, and what else it could become here."""
    yield "# What a device becomes where a file has none yet:"
    yield '#   "cuda"         torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    yield f'#   "accelerator"  whatever torch.accelerator finds; {_accelerator(seen)}'
    yield '#   "project"      an expression of your own, in device and device-import'
    yield 'target = "cuda"'
    for helper in seen.helpers[:_MOST_HELPERS]:
        files = "1 file imports" if helper.uses == 1 else f"{helper.uses} files import"
        yield f"# {helper.path} has a device that {files}. To use it everywhere, instead of the line above:"
        yield '# target = "project"'
        yield f'# device = "{helper.expression}"'
        yield f'# device-import = "{helper.statement}"'


def _accelerator(seen: Survey) -> str:
    """Whether the target of that name can be used."""
    needed = f"torch {_version(ACCELERATOR_SINCE)}"
    if seen.oldest_torch is None:
        return f"needs {needed}, and no requirement of torch was found"
    asked = _version(seen.oldest_torch)
    possible = seen.oldest_torch >= ACCELERATOR_SINCE
    return f"possible, torch {asked} is required" if possible else f"needs {needed}, but {asked} is to be supported"


def _torch(seen: Survey) -> Iterator[str]:
    """The oldest torch."""
    yield ""
    if seen.oldest_torch is None:
        yield "# The oldest torch that fixed code must run on; no requirement of torch was found in this project."
        yield f'# torch-min-version = "{_version(DEFAULT_TORCH_MIN_VERSION)}"'
    else:
        yield "# The oldest torch that fixed code must run on is read from the project's own requirement, now:"
        yield f'# torch-min-version = "{_version(seen.oldest_torch)}"'


def _excluded(seen: Survey) -> Iterator[str]:
    """The files to leave alone."""
    yield ""
    if seen.foreign:
        yield "# Other people's code and generated files, besides what git ignores and folders such as .venv and build:"
        yield f"extend-exclude = [{', '.join(_string(path) for path in seen.foreign)}]"
    else:
        yield "# Folders to leave alone, besides what git ignores and those such as .venv and build:"
        yield '# extend-exclude = ["third_party"]'


def _rest() -> Iterator[str]:
    """What many projects set sooner or later."""
    yield ""
    yield "# Rules: codes, prefixes (DEV1) or ALL; `devlint rules` lists them."
    yield '# extend-select = ["DEV003"]'
    yield '# ignore = ["DEV106"]'
    yield '# per-file-ignores = { "tests/**" = ["DEV103"] }'
    yield ""
    yield "# Also fixes that may change what a program does:"
    yield "# unsafe-fixes = true"
    yield ""
    yield "# Also the Python in Markdown and .rst files, and the examples in docstrings:"
    yield "# document-code = true"
    yield "# docstring-code = true"


def _version(version: tuple[int, ...]) -> str:
    return f"{version[0]}.{version[1]}"


def _string(text: str) -> str:
    """A basic string of TOML."""
    import json

    return json.dumps(text, ensure_ascii=False)
