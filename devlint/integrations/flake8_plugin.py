"""The flake8 plugin: flake8 picks the files, reads them, selects among the codes and prints; devlint finds."""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from devlint import __version__
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import options_of
from devlint.config.selection import catalogue
from devlint.core.errors import ConfigError
from devlint.engine.ruleset import SYNTAX_ERROR
from devlint.engine.runner import Runner
from devlint.sources.suppressions.suppression_codes import OURS

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

Violation = tuple[int, int, str, type]
"""Row from 1, column from 0, the code with the message, and a type that flake8 no longer looks at."""


class Plugin:
    """What flake8 makes one of for every file that Python can parse."""

    name: ClassVar[str] = "devlint"
    version: ClassVar[str] = __version__
    _run: ClassVar[_Run | None] = None

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._lines = lines

    @staticmethod
    def add_options(manager: OptionManager) -> None:
        """Tell flake8 of the options, for its command line and its configuration files."""
        for option in options_of("flake8"):
            manager.add_option(
                f"--devlint-{option.name}",
                metavar=option.value,
                parse_from_config=True,
                normalize_paths=option.kind == "path",
                help=option.help,
            )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Take the values of the options, and stop flake8 where they are wrong."""
        cls._run = _Run(vars(options))

    def run(self) -> Iterator[Violation]:
        """The findings in the file."""
        if self._run is None:  # flake8 always calls parse_options; others that call plugins may not
            type(self)._run = _Run({})
        assert self._run is not None
        return self._run.file(self._filename, "".join(self._lines))


class _Run:
    """What holds for all files of one run of flake8."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        given = {option.name: options.get(f"devlint_{option.key}") for option in options_of("flake8")}
        config = given.pop("config")
        overrides = {name: value for name, value in given.items() if value is not None}
        left_to_flake8 = {"select": _codes(options), "per-file-ignores": {}, "force-exclude": False}
        try:
            self._finder = ConfigFinder({**overrides, **left_to_flake8}, config, origin="flake8")
        except ConfigError as error:
            raise _critical(error) from None
        self._runner = Runner(self._finder, noqa=not options.get("disable_noqa"))

    def file(self, path: str, text: str) -> Iterator[Violation]:
        """The findings in one file; raises flake8's own error where the configuration for it is wrong."""
        report = self._runner.text(path, text, explicit=False)
        for failure in report.failures:
            self._refuse_bad_configuration(path)
            yield 1, 0, f"{SYNTAX_ERROR} Not looked at: {failure.message}", Plugin
        for one in report.diagnostics:
            star = "[*] " if one.will_be_fixed(report.unsafe_fixes) else ""
            yield one.location.row, one.location.column - 1, f"{one.code} {star}{one.message}", Plugin

    def _refuse_bad_configuration(self, path: str) -> None:
        """Stop flake8 if it is the configuration of a file that failed, and not devlint at the file."""
        directory = os.path.dirname(os.path.abspath(path))
        try:
            self._finder.target(self._finder.settings(directory), directory)
        except ConfigError as error:
            raise _critical(error) from None


def _codes(options: Mapping[str, Any]) -> list[str]:
    """The rules to run: those on by default, and the others that flake8 was told to select; it picks among them."""
    asked = (*(options.get("select") or ()), *(options.get("extend_select") or ()))
    ours = tuple(selector for selector in asked if selector.startswith(OURS))
    return [rule.code for rule in catalogue() if rule.default or rule.code.startswith(ours)]


def _critical(problem: ConfigError) -> Exception:
    """flake8's own error, which it prints as one line."""
    from flake8.exceptions import ExecutionError

    error: Exception = ExecutionError(str(problem))
    return error
