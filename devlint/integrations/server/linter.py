"""Looks at texts for the server, with the configuration that holds for each and with what an editor sets over it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Event

from devlint.config.finder import NAMES, ConfigFinder
from devlint.config.settings import Settings
from devlint.core.diagnostic import Diagnostic, Span
from devlint.core.record import Record
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.engine.request import FixChoice

ORIGIN = "editor settings"
"""Where messages say that a wrong setting comes from."""
_WARM = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\ntorch.zeros(2, device='cuda')\n"


class Look(Record):
    """What was found in a text, and the settings that held."""

    report: FileReport
    settings: Settings


class Linter:
    """Looks at the files below one folder; it is used by one thread.

    What it has learnt of configurations and of other files is kept until it is told to forget, or until a configuration
    file is another one.
    """

    def __init__(self, folder: str, overrides: Mapping[str, object], config: str | None, isolated: bool) -> None:
        """``overrides`` are what the editor sets, under the keys of a configuration file."""
        self._folder = folder
        self._overrides = {**overrides, "force-exclude": True}
        self._config = config
        self._isolated = isolated
        self.stop = Event()
        """Set where nobody waits any longer for the look at hand."""
        self._finder: ConfigFinder | None = None
        self._runner: Runner | None = None
        self._states: dict[str, tuple[object, ...]] = {}
        self._is_old = False

    def forget(self) -> None:
        """Read configurations and other files again for the next text; any thread may say so."""
        self._is_old = True

    def look(self, path: str, contents: str) -> Look:
        """What there is in a text; raises ConfigError."""
        settings = self._settings(path)
        if self._runner is None:
            self._runner = self._made(Mode.CHECK)
        return Look(self._runner.text(path, contents, explicit=False), settings)

    def fixed(self, path: str, contents: str, chooses: FixChoice | None = None) -> FileReport:
        """What safe fixes make of a text, or those that are chosen; raises ConfigError."""
        self._settings(path)
        return self._made(Mode.DIFF, chooses).text(path, contents, explicit=False)

    def warm_up(self) -> None:
        """Import what every look needs."""
        self._made(Mode.CHECK).text(os.path.join(self._folder, "a.py"), _WARM, explicit=False)

    def _made(self, mode: Mode, chooses: FixChoice | None = None) -> Runner:
        finder = self._opened({"unsafe-fixes": chooses is not None}) if mode is Mode.DIFF else self._known()
        return Runner(finder, mode, alone=True, chooses_fix=chooses, is_stopped=lambda: self.stop.is_set())

    def _known(self) -> ConfigFinder:
        if self._finder is None:
            self._finder = self._opened({})
        return self._finder

    def _opened(self, more: Mapping[str, object]) -> ConfigFinder:
        return ConfigFinder({**self._overrides, **more}, self._config, self._isolated, self._folder, ORIGIN)

    def _settings(self, path: str) -> Settings:
        """The settings for a file; raises ConfigError for whatever is wrong with them."""
        directory = os.path.dirname(path)
        state = _configurations(directory)
        if self._is_old or self._states.setdefault(directory, state) != state:
            self._finder = self._runner = None
            self._states = {directory: state}
            self._is_old = False
        finder = self._known()
        settings = finder.settings(directory)
        finder.target(settings, directory)
        return settings


def only(diagnostic: Diagnostic) -> FixChoice:
    """Chooses the fix of one finding."""

    def chooses(other: Diagnostic, span: Span) -> bool:
        return other.code == diagnostic.code and span == diagnostic.span

    return chooses


def _configurations(directory: str) -> tuple[object, ...]:
    """What the configuration files of a folder, and of those above it, look like from outside."""
    found: list[object] = []
    while True:
        for name in NAMES:
            try:
                status = os.stat(os.path.join(directory, name))
            except OSError:
                continue
            found.append((directory, name, status.st_mtime_ns, status.st_size))
        parent = os.path.dirname(directory)
        if parent == directory:
            return tuple(found)
        directory = parent
