"""The settings of a file: what a configuration may say, checked, and merged from its layers."""

from __future__ import annotations

import os

from devlint.config.selection import Selection
from devlint.core.errors import ConfigError
from devlint.core.record import Record
from devlint.core.target import ConfiguredCall, ConfiguredSlot, Target
from devlint.sources.path_patterns import Patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from devlint.config.options import Options
    from devlint.sources.gitignore import FileFilter

DEFAULT_EXCLUDE = (
    ".bzr .devlint_cache .direnv .eggs .git .git-rewrite .hg .history .ipynb_checkpoints .mypy_cache .nox .pants.d "
    ".pyenv .pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out build "
    "dist node_modules site-packages venv"
).split()
ACCELERATOR_SINCE = (2, 6)
_AS_THEY_ARE = (
    "torch-min-version unsafe-fixes force-exclude respect-gitignore suppression-comments document-code docstring-code"
).split()
"""Keys whose last value holds, whatever else is configured."""


class Settings(Record):
    """All that may be configured, for the files of one directory."""

    root: str
    """Where the configuration is; relative patterns start there."""
    origin: str = "default settings"
    """The configuration file, for messages."""
    selections: tuple[Selection, ...] = ()
    per_file_ignores: tuple[tuple[Patterns, bool, tuple[str, ...]], ...] = ()
    """Patterns, whether they were negated with ``!``, and the selectors to leave out there."""
    excludes: tuple[Patterns, ...] = ()
    target: Target = Target()
    torch_min_version: tuple[int, ...] | None = None
    """None where the project's own requirement decides."""
    unsafe_fixes: bool = False
    force_exclude: bool = False
    respect_gitignore: bool = True
    suppression_comments: tuple[str, ...] = ()
    """Words of the project's own that suppress the findings of their line, after a ``#``."""
    document_code: bool = False
    """Whether the Python in Markdown and reStructuredText is looked at."""
    docstring_code: bool = False
    """Whether the examples in docstrings are looked at."""
    baseline: str | None = None
    """The absolute path of the file of known findings."""
    cache_dir: str | None = None
    """The absolute path of the folder where results are kept; None for one beside the configuration."""

    @property
    def file_filter(self) -> FileFilter:
        """Which files of the project count."""
        from devlint.sources.gitignore import FileFilter

        return FileFilter(self.excludes, self.respect_gitignore)

    def excluded(self, path: str, is_dir: bool = False) -> bool:
        """Whether the absolute ``path`` itself is excluded."""
        return any(patterns.matches(path, is_dir) for patterns in self.excludes)

    def excluded_with_parents(self, path: str) -> bool:
        """Whether the absolute ``path`` or a folder above it is excluded."""
        return any(patterns.matches_with_parents(path) for patterns in self.excludes)

    def ignored_at(self, path: str) -> tuple[str, ...]:
        """The selectors that ``per-file-ignores`` leaves out for the absolute ``path``."""
        found: list[str] = []
        for patterns, negated, selectors in self.per_file_ignores:
            if patterns.matches_with_parents(path) is not negated:
                found += selectors
        return tuple(found)


def layered(settings: Settings, options: Options, root: str, origin: str) -> Settings:
    """``settings`` with one more layer of options over it, whose patterns start at ``root``."""
    selection = Selection(options.get("select"), options.get("extend-select", ()), options.get("ignore", ()))
    excludes = (Patterns(root, options["exclude"]),) if "exclude" in options else settings.excludes
    if options.get("extend-exclude"):
        excludes = (*excludes, Patterns(root, options["extend-exclude"]))
    result = settings.replace(
        root=root,
        origin=origin,
        selections=(*settings.selections, selection),
        excludes=excludes,
        target=_target(settings.target, options, origin),
        **{key.replace("-", "_"): options[key] for key in _AS_THEY_ARE if key in options},
        **{key.replace("-", "_"): _below(root, options[key]) for key in ("baseline", "cache-dir") if key in options},
    )
    if "per-file-ignores" in options:
        result = result.replace(per_file_ignores=_per_file_ignores(root, options["per-file-ignores"]))
    check_torch(result.target, result.torch_min_version, origin)
    return result


def default_settings(root: str) -> Settings:
    """What holds where nothing is configured."""
    return Settings(root, excludes=(Patterns(root, DEFAULT_EXCLUDE),))


def check_torch(target: Target, version: tuple[int, ...] | None, origin: str) -> None:
    """Raise ConfigError where the target needs a newer torch than the oldest to be supported."""
    if target.kind == "accelerator" and version is not None and version < ACCELERATOR_SINCE:
        asked = ".".join(map(str, version))
        raise ConfigError(origin, f"'target': 'accelerator' needs torch 2.6, but torch {asked} is to be supported")


def _target(target: Target, options: Options, origin: str) -> Target:
    """``target`` with the options that concern it."""
    device = options.get("device", target.device)
    kind = options.get("target", "project" if "device" in options else target.kind)
    if kind == "project" and not device:
        raise ConfigError(origin, "'target': 'project' needs the key 'device', the project's own expression for it")
    given = options.get("calls", (*target.calls, *target.slots))
    calls = tuple(one for one in given if isinstance(one, ConfiguredCall))
    slots = tuple(one for one in given if isinstance(one, ConfiguredSlot))
    replaces = calls and "calls" in options
    if kind != "project" and (replaces or any(key in options for key in ("device", "device-import"))):
        raise ConfigError(origin, "'device', 'device-import' and 'calls' need 'target' to be 'project'")
    version = options.get("torch-min-version", target.torch_min_version)
    line = options.get("device-import", target.device_import)
    return Target(kind, device, line, version, calls, options.get("gates", target.gates), slots)


def _below(root: str, path: str | None) -> str | None:
    """A configured path as an absolute one."""
    return path and os.path.normpath(os.path.join(root, os.path.expanduser(path)))


def _per_file_ignores(
    root: str, table: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[Patterns, bool, tuple[str, ...]], ...]:
    """The table as patterns; a leading ``!`` means every other file."""
    return tuple((Patterns(root, [glob.lstrip("!")]), glob.startswith("!"), codes) for glob, codes in table.items())
