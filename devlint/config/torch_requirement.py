"""The oldest torch a project asks for, read from its own requirements."""

from __future__ import annotations

import os
import re

from devlint.core.lazy_regex import regex
from devlint.core.target import torch_version
from devlint.core.toml import TOMLError, load_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from devlint.config.project_texts import ProjectTexts

Version = tuple[int, ...]
"""Two numbers, but for 0.4.1."""

_REQUIREMENT = regex(r"""\s*torch\s*(?:\[[^\]]*\]\s*)?(?:\(\s*)?([<>=!~^][^;#"']*)""", re.IGNORECASE)
_REQUIRES = "Requires-Dist:"
_NUMBER = r"\s*v?(\d{1,9})(?:\.(\d{1,9})(?:\.(\d{1,9}))?)?"
_UPPER = regex(rf"(===|==|~=|<=|<){_NUMBER}")
DEVICES_SINCE = (0, 4)
"""Where ``torch.device``, ``x.to(…)`` and ``non_blocking`` came."""
_BOUND = regex(rf"(?:>=|==|===|~=|>|\^){_NUMBER}")


class TorchRequirements:
    """Answers which torch a directory asks for."""

    def __init__(self, texts: ProjectTexts) -> None:
        self.texts = texts
        self._asked: dict[str, tuple[Version | None, bool]] = {}

    def oldest(self, directory: str) -> Version | None:
        """The lowest torch release that the project around ``directory`` accepts, or None where it does not say.

        The nearest directory with a torch requirement decides; the search ends at the repository, or, outside of
        one, at the first directory that holds a project file.
        """
        return self._asked_around(directory)[0]

    def is_before_devices(self, directory: str) -> bool:
        """Whether the project around ``directory`` asks for a torch so old that it has no devices: ``torch==0.3.1``."""
        return self._asked_around(directory)[1]

    def _asked_around(self, directory: str) -> tuple[Version | None, bool]:
        way, above = [], directory
        found: tuple[Version | None, bool] = (None, False)
        while above not in self._asked:
            way.append(above)
            found, is_last = _asked_in(self.texts, above)
            if is_last:
                break
            above = os.path.dirname(above)
        else:
            found = self._asked[above]
        self._asked.update(dict.fromkeys(way, found))
        return found


def _asked_in(texts: ProjectTexts, directory: str) -> tuple[tuple[Version | None, bool], bool]:
    """What a directory itself asks for, whether that is too old for devices, and whether those above do not count."""
    files = texts.of(directory)
    found = _asked_by(_requirements(files))
    if found == (None, False):
        found = _asked_by(line for text in texts.installed(directory) for line in _installed_lines(text))
    if found != (None, False) or os.path.exists(os.path.join(directory, ".git")):
        return found, True
    return found, os.path.dirname(directory) == directory or bool(files and not texts.in_repository(directory))


def _asked_by(lines: Iterable[str]) -> tuple[Version | None, bool]:
    """The lowest torch of some requirements, and whether one is too old for devices."""
    asked = [line for line in lines if _REQUIREMENT.match(line)]
    return min(filter(None, map(lower_bound, asked)), default=None), any(map(_ends_before_devices, asked))


def _ends_before_devices(requirement: str) -> bool:
    found = _REQUIREMENT.match(requirement)
    for sign, *numbers in _UPPER.findall(found.group(1)) if found is not None else ():
        version = torch_version(*numbers)
        if version < DEVICES_SINCE or (sign == "<" and version == DEVICES_SINCE):
            return True
    return False


def lower_bound(requirement: str) -> Version | None:
    """The oldest version that a requirement line such as ``torch>=2.1,<3`` accepts; None if it is not torch's."""
    found = _REQUIREMENT.match(requirement)
    if found is None:
        return None
    return max((torch_version(*numbers) for numbers in _BOUND.findall(found.group(1))), default=None)


def _requirements(files: Mapping[str, str]) -> Iterator[str]:
    """What may be a requirement of torch in the project files of one directory."""
    for name, text in files.items():
        if "torch" in text:
            yield from _pyproject_lines(text) if name == "pyproject.toml" else _lines(text)


def _lines(text: str) -> Iterator[str]:
    """Everything in a text that may be a requirement: lines, and strings in a list."""
    for line in text.splitlines():
        yield line.partition("=")[2] if re.match(r"\s*install_requires\s*=", line) else line
        yield from re.findall(r"""["']([^"']+)["']""", line)


def _installed_lines(text: str) -> Iterator[str]:
    """The requirements in what stands beside a package: ``Requires-Dist: torch (>=1.7.0)``, without its description."""
    for line in text.partition("\n\n")[0].splitlines() if _REQUIRES in text else text.splitlines():
        yield line.removeprefix(_REQUIRES)


def _pyproject_lines(text: str) -> Iterator[str]:
    """The requirements in a pyproject.toml, those of Poetry included."""
    try:
        document = load_toml(text)
    except TOMLError:
        return
    poetry = _table(_table(_table(document, "tool"), "poetry"), "dependencies").get("torch")
    version = poetry.get("version") if isinstance(poetry, dict) else poetry
    if isinstance(version, str):
        yield f"torch {version if version[:1] in '<>=!~^' else '==' + version}"
    project = _table(document, "project")
    groups = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    for group in [*groups, *_table(document, "dependency-groups").values()]:
        if isinstance(group, list):
            yield from (item for item in group if isinstance(item, str))


def _table(table: dict[str, Any], key: str) -> dict[str, Any]:
    """A sub-table, empty where there is none."""
    value = table.get(key)
    return value if isinstance(value, dict) else {}
