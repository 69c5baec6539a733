"""The options of ``check`` and ``fix``, for all that read them: click, the fast parser, flake8 and the codemod."""

from __future__ import annotations

import os

from devlint.core.record import Record
from devlint.core.target import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class Format(Record):
    """A format of the output, by the module of ``devlint.cli.output`` that prints it."""

    module: str
    for_people: bool = False
    """Whether the last lines of a run, and tables of statistics, belong to it."""


FORMATS = {
    "text": Format("text", for_people=True),
    "concise": Format("concise", for_people=True),
    "grouped": Format("grouped", for_people=True),
    "json": Format("json"),
    "json-lines": Format("json_lines"),
    "sarif": Format("sarif"),
    "github": Format("github"),
    "gitlab": Format("gitlab"),
    "azure": Format("azure"),
    "junit": Format("junit"),
    "pylint": Format("pylint"),
}


class Option(Record):
    """One option."""

    name: str
    """Without dashes in front; a setting's is also its key in a configuration file."""
    kind: str
    """``flag``, ``switch`` (with ``--no-…``), ``text``, ``path``, ``list``, ``choice`` or ``jobs``."""
    value: str
    """What the help calls the value; of alternatives, all of them with ``|`` between. Empty for flags and switches."""
    users: str
    """The commands and integrations that have the option."""
    help: str
    is_setting: bool = False
    """Whether it overrides a key of the configuration."""
    short: str = ""
    """One letter that does the same."""

    @property
    def key(self) -> str:
        """The name as Python writes it."""
        return self.name.replace("-", "_")

    @property
    def choices(self) -> tuple[str, ...]:
        """The alternatives among the values that are words of their own, not names for any value."""
        return tuple(word for word in self.value.split("|") if not word.isupper())

    @property
    def default(self) -> Any:
        """The value where the option is not given; of a switch or a text None, for the configuration decides."""
        return self.choices[0] if self.kind == "choice" else {"flag": False, "list": ()}.get(self.kind)


_RUN = "check fix"
_ALL = "check fix baseline verify report"
_FILES = f"{_ALL} server"
_RULES = f"{_FILES} codemod fleet"
_FIXES = f"{_RULES} flake8"
_CODE = f"{_FILES} fleet"
_UNSAFE = f"{_RUN} verify codemod fleet"

OPTIONS = (
    Option("select", "list", "CODES", _RULES, "Run only these rules: codes, prefixes of codes, names, or ALL.", True),
    Option("ignore", "list", "CODES", _RULES, "Do not run these rules.", True),
    Option("extend-select", "list", "CODES", _RULES, "Run these rules in addition to the others.", True),
    Option("target", "text", "|".join(KINDS), _FIXES, "The device that fixed code uses.", True),
    Option("device", "text", "EXPRESSION", _FIXES, "The project's own device, for the target 'project'.", True),
    Option("device-import", "text", "IMPORT", _FIXES, "The import that the project's own device needs.", True),
    Option("torch-min-version", "text", "VERSION", _FIXES, "The oldest torch that fixed code must run on.", True),
    Option("document-code", "switch", "", _CODE, "Also check the Python code in Markdown and .rst files.", True),
    Option("docstring-code", "switch", "", _CODE, "Also check the examples in docstrings.", True),
    Option("config", "path", "FILE", f"{_ALL} clean flake8 server", "Use this configuration file for all files."),
    Option("isolated", "flag", "", f"{_ALL} clean codemod server", "Ignore all configuration files."),
    Option("exclude", "list", "PATTERNS", _ALL, "Skip these files instead of those skipped by default.", True),
    Option("extend-exclude", "list", "PATTERNS", _FILES, "Skip these files in addition to the others.", True),
    Option("force-exclude", "switch", "", _ALL, "Skip excluded files even if they are named in PATHS.", True),
    Option("respect-gitignore", "switch", "", _ALL, "Skip the files that git ignores; on by default.", True),
    Option("unsafe-fixes", "switch", "", _UNSAFE, "Allow fixes that may change what code does.", True),
    Option("diff", "flag", "", _RUN, "Print what fixes would change, and write nothing."),
    Option("diff-base", "text", "REV", _RUN, "Report only findings on lines changed since HEAD left REV (git)."),
    Option("baseline", "path", "FILE", f"{_RUN} server", "Report only findings that are not listed in FILE.", True),
    Option("no-baseline", "flag", "", _RUN, "Report the findings listed in the configured baseline, too."),
    Option("observed", "flag", "", f"{_RUN} report", "Also report what `devlint observe` saw of files as they are."),
    Option("output-format", "choice", "|".join(FORMATS), _RUN, "How to print the findings."),
    Option(
        "show-diff", "switch", "", _RUN, "Print what a fix changes under its finding; default: if short, on a terminal."
    ),
    Option("statistics", "flag", "", _RUN, "Print how many findings each rule has instead of the findings."),
    Option("show-fixes", "flag", "", _RUN, "Also print how many findings of each rule were fixed in which file."),
    Option("fix-only", "flag", "", _RUN, "Fix, and neither report what remains nor exit with 1 because of it."),
    Option("show-files", "flag", "", _RUN, "Print the names of the files that would be looked at, and exit."),
    Option("show-settings", "flag", "", _RUN, "Print the settings that hold for these files, and exit."),
    Option("output-file", "path", "FILE", _RUN, "Write to FILE, in one step, what would go to standard output."),
    Option("quiet", "flag", "", _RUN, "Print the findings and nothing else.", short="q"),
    Option(
        "color", "choice", "auto|always|never", f"{_RUN} explain observe", "When to use colours; auto: on a terminal."
    ),
    Option("exit-zero", "flag", "", _RUN, "Exit with 0 even if there are findings."),
    Option("exit-non-zero-on-fix", "flag", "", _RUN, "Exit with 1 if anything was fixed, even if nothing is left."),
    Option("no-cache", "flag", "", f"{_RUN} report", "Neither use nor keep results of other runs."),
    Option("cache-dir", "path", "DIR", f"{_RUN} clean report", "Use this folder as the cache.", True),
    Option("jobs", "jobs", "N|auto", f"{_RUN} verify report", "The largest number of processes to use.", short="j"),
    Option("stdin-filename", "text", "PATH", _RUN, "The file name to use for standard input."),
)


def options_of(user: str) -> Iterator[Option]:
    """The options that a command or an integration has."""
    return (option for option in OPTIONS if user in option.users.split())


def overrides(values: Mapping[str, Any]) -> dict[str, object]:
    """What the values of options override in a configuration file, under its keys."""
    values = {**values, "cache_dir": values.get("cache_dir") or os.environ.get("DEVLINT_CACHE_DIR") or None}
    found: dict[str, object] = {}
    for option in OPTIONS:
        value = values.get(option.key)
        if option.kind == "list":
            value = [item.strip() for text in value or () for item in text.split(",") if item.strip()] or None
        if option.is_setting and value is not None:
            found[option.name] = value
    if values.get("no_baseline"):
        found["baseline"] = False
    return found
