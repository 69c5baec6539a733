"""Finds the configuration of a file: the nearest ``[tool.devlint]`` or devlint.toml, and those that it extends."""

from __future__ import annotations

import os

from devlint.config.settings import ACCELERATOR_SINCE, Settings, default_settings, layered
from devlint.core.errors import ConfigError
from devlint.core.file_reading import MAX_SETTINGS, read_file
from devlint.core.target import DEFAULT_TORCH_MIN_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import Any

    from devlint.config.baseline import Baseline
    from devlint.config.observed import ObservedFiles
    from devlint.config.options import Options
    from devlint.config.stated_versions import StatedVersions, Versions
    from devlint.config.torch_requirement import TorchRequirements
    from devlint.core.observed_tensors import ObservedFile
    from devlint.core.target import Target

NAMES = ("devlint.toml", "pyproject.toml")
PYTHON_3_7 = (1, 11)
"""The first torch that needs it."""
MAX_EXTENDED = 100
"""Configurations that one may rest on."""


class ConfigFinder:
    """Answers which settings hold for a directory, reading every configuration once."""

    def __init__(
        self,
        overrides: Mapping[str, object] | None = None,
        config: str | None = None,
        isolated: bool = False,
        cwd: str | None = None,
        origin: str = "command line",
        baselines: bool = True,
        observed: bool | ObservedFiles = False,
        on_disk: bool = True,
    ) -> None:
        """``overrides`` are options given by ``origin``; ``config`` one file to use for all; ``isolated`` none.

        ``baselines`` is False where those that are configured are not to be read. ``observed`` is what `devlint
        observe` has seen, or True for what it has kept in ``cwd``. ``on_disk`` is False where the files are nowhere on
        the disk, so that nothing there says which torch they need.
        """
        self._cwd = cwd or os.getcwd()
        self._origin = origin
        self._overrides = _parsed(overrides, origin) if overrides else {}
        self._isolated = isolated
        self._found: dict[str, Settings | None] = {}
        self._requirements: TorchRequirements | None = None
        self._stated: StatedVersions | None = None
        base = default_settings(self._cwd)
        if config is not None:
            path = os.path.abspath(os.path.join(self._cwd, config))
            base = _load(path, required=True) or base
        self._baselines: dict[str, Baseline] | None = {} if baselines else None
        self._default = self._with_overrides(base)
        self._on_disk = on_disk
        self._fixed = isolated or config is not None
        self._observed: ObservedFiles | None = None
        if observed:
            from devlint.config.observed import ObservedFiles

            self._observed = ObservedFiles.read(self._cwd) if observed is True else observed

    def settings(self, directory: str, names: Container[str] | None = None) -> Settings:
        """The settings for the files of an absolute ``directory``; raises ConfigError.

        ``names`` are those in it, in small letters, where they are known.
        """
        settings = self._default if self._fixed else self._nearest(directory, names) or self._default
        if settings.torch_min_version is None and settings.target.kind == "accelerator":
            self.target(settings, directory)  # what contradicts itself is said before any file is looked at
        return settings

    def target(self, settings: Settings, directory: str) -> Target:
        """The target there, with the torch version of the project's own requirement where none is configured."""
        if settings.torch_min_version is not None:
            is_new = settings.torch_min_version >= PYTHON_3_7 or settings.target.kind == "accelerator"
            named = self._around(directory)
            return settings.target.replace(
                python_may_be_old=not is_new and named.python_is_old, python_may_be_2=not is_new and named.python_is_2
            )
        requirements = self._known_requirements()
        required = oldest = requirements.oldest(directory) if self._on_disk else None
        if self._isolated and oldest is not None and not _is_old(settings.target, oldest):
            oldest = None
        is_guess = oldest is None
        if oldest is None:
            oldest = ACCELERATOR_SINCE if settings.target.kind == "accelerator" else DEFAULT_TORCH_MIN_VERSION
        if settings.target.kind == "accelerator" and oldest < ACCELERATOR_SINCE:
            origin = self._origin if "target" in self._overrides else settings.origin
            needed = ".".join(map(str, oldest))
            raise ConfigError(
                origin,
                f"'target': 'accelerator' needs torch 2.6, but the project requires torch {needed} or newer;"
                " 'torch-min-version' says otherwise",
            )
        is_before = self._on_disk and requirements.is_before_devices(directory)
        target = settings.target.replace(
            torch_min_version=oldest, torch_min_is_guess=is_guess, torch_is_before_devices=is_before
        )
        return self._with_named(target, directory, required) if target.kind != "accelerator" else target

    def _with_named(self, target: Target, directory: str, required: tuple[int, ...] | None) -> Target:
        """The target with what the project names beside its requirements, which asks for older versions only."""
        named, is_before = self._around(directory), target.torch_is_before_devices
        if required is None and not is_before:
            oldest, is_before = named.oldest_torch or target.torch_min_version, named.torch_is_before_devices
            target = target.replace(torch_min_version=min(oldest, target.torch_min_version))
        may_be_old = (required or (0, 0)) < PYTHON_3_7 and (is_before or named.python_is_old)
        return target.replace(
            torch_is_before_devices=is_before,
            python_may_be_old=may_be_old,
            python_may_be_2=may_be_old and named.python_is_2,
        )

    def _around(self, directory: str) -> Versions:
        """Which versions the project around names beside its requirements."""
        from devlint.config.stated_versions import StatedVersions, Versions

        if self._stated is None:
            self._stated = StatedVersions(self._known_requirements().texts)
        return self._stated.around(directory) if self._on_disk else Versions()

    def _known_requirements(self) -> TorchRequirements:
        """Which torch the projects ask for, as far as they have been read."""
        if self._requirements is None:
            from devlint.config.project_texts import ProjectTexts
            from devlint.config.torch_requirement import TorchRequirements

            self._requirements = TorchRequirements(ProjectTexts())
        return self._requirements

    def baseline(self, settings: Settings) -> Baseline | None:
        """The known findings there; raises ConfigError where the file that is configured for them is wrong."""
        path = settings.baseline
        if path is None or self._baselines is None:
            return None
        if path not in self._baselines:
            from devlint.config.baseline import Baseline

            self._baselines[path] = Baseline.read(path).check()
        return self._baselines[path]

    def observed(self, data: bytes) -> ObservedFile | None:
        """What `devlint observe` has seen of a file with these contents."""
        return self._observed.of(data) if self._observed is not None else None

    def _nearest(self, directory: str, names: Container[str] | None = None) -> Settings | None:
        """The settings of ``directory`` or of the closest one above it that has some."""
        way: list[str] = []
        above = directory
        while above not in self._found and above not in way[-1:]:
            way.append(above)
            above = os.path.dirname(above)
        settings = self._found.get(above)
        for one in reversed(way):
            own = self._own(one, names if one == directory else None)
            settings = self._found[one] = own or settings
        return settings

    def _own(self, directory: str, names: Container[str] | None) -> Settings | None:
        """The settings that ``directory`` itself holds."""
        for name in NAMES:
            settings = _load(os.path.join(directory, name)) if names is None or name in names else None
            if settings is not None:
                return self._with_overrides(settings)
        return None

    def _with_overrides(self, settings: Settings) -> Settings:
        if self._overrides:
            merged = layered(settings, self._overrides, self._cwd, self._origin)
            settings = merged.replace(root=settings.root, origin=settings.origin)
        self.baseline(settings)
        return settings


def _load(path: str, required: bool = False, seen: tuple[str, ...] = ()) -> Settings | None:
    """The settings in one file over those it extends; None where the file has none."""
    raw = _table(path, required)
    if raw is None:
        return None
    if path in seen:
        raise ConfigError(path, "'extend': the configurations extend each other")
    if len(seen) >= MAX_EXTENDED:
        raise ConfigError(path, f"'extend': more than {MAX_EXTENDED} configurations extend one another")
    options = _parsed(raw, path)
    root = os.path.dirname(path)
    base: Settings | None = None
    if "extend" in options:
        extended = os.path.normpath(os.path.join(root, os.path.expanduser(options["extend"])))
        base = _load(extended, True, (*seen, path))
    return layered(base or default_settings(root), options, root, path)


def _is_old(target: Target, version: tuple[int, ...]) -> bool:
    """Whether a fix may write what a required torch lacks, if that does not count."""
    return target.kind != "accelerator" and version < DEFAULT_TORCH_MIN_VERSION


def _parsed(raw: Mapping[str, object], origin: str) -> Options:
    """The checked options of one layer."""
    from devlint.config.options import parse_options

    return parse_options(raw, origin)


def _table(path: str, required: bool) -> dict[str, Any] | None:
    """The configuration table of a file: a whole devlint.toml, or ``[tool.devlint]`` of another."""
    try:
        data = read_file(path, MAX_SETTINGS)
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise ConfigError(path, "no such configuration file") from None
        return None
    except OSError as error:
        raise ConfigError(path, f"cannot be read: {error.strerror}") from None
    is_shared = os.path.basename(path) == "pyproject.toml"
    if is_shared and b"devlint" not in data and not required:
        return None
    document = _document(path, data)
    if not is_shared:
        return document
    tool = document.get("tool")
    table = tool.get("devlint") if isinstance(tool, dict) else None
    if table is None and required:
        raise ConfigError(path, "has no table [tool.devlint]")
    if table is not None and not isinstance(table, dict):
        raise ConfigError(path, "[tool.devlint] is no table")
    return table


def _document(path: str, data: bytes) -> dict[str, Any]:
    """What the bytes of a file say in TOML."""
    from devlint.core.toml import TOMLError, load_toml

    try:
        return load_toml(data.decode("utf-8"))
    except (TOMLError, UnicodeDecodeError) as error:
        raise ConfigError(path, f"is no TOML: {error}") from None
