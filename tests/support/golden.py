"""What devlint makes of a fixture: the two golden files of a case."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from devlint.cli.commands import command_line


@dataclass(frozen=True)
class Golden:
    """findings.txt and fixed.py."""

    findings: bytes
    fixed: bytes


def make_golden(original: Path, options: dict[str, Any]) -> Golden:
    """Check and fix a copy of ``original`` in a folder of its own, as ``devlint`` on the command line does."""
    with tempfile.TemporaryDirectory() as folder, working_directory(folder):
        copy = Path("input.py")
        copy.write_bytes(original.read_bytes())
        flags = ["--isolated", "--output-format", "concise", "--quiet", *as_flags(options)]
        findings = devlint("check", *flags, copy.name)
        devlint("fix", *flags, copy.name)
        return Golden(findings, copy.read_bytes())


def as_flags(options: dict[str, Any]) -> list[str]:
    """The ``[fix]`` table of a run.toml as command line options."""
    flags = {"unsafe": ["--unsafe-fixes"]}
    return [flag for key, value in options.items() for flag in flags.get(key, [f"--{key}", str(value)])]


def devlint(*arguments: str) -> bytes:
    result = CliRunner().invoke(command_line, list(arguments), standalone_mode=False)
    if result.exception is not None or result.stderr:
        raise RuntimeError(f"devlint {' '.join(arguments)}: {result.stderr}") from result.exception
    return result.stdout_bytes


@contextmanager
def working_directory(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
