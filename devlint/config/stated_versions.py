"""Which torch and Python a project names beside its requirements: in READMEs, environments, install scripts, images."""

from __future__ import annotations

import os
import re
from types import MappingProxyType

from devlint.config.project_texts import decoded, names_in_folder
from devlint.config.prose import Stated, stated_python, stated_torch
from devlint.config.torch_requirement import DEVICES_SINCE
from devlint.core.file_reading import open_regular_file
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.core.target import DEVICES_LOCATE, torch_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from devlint.config.project_texts import ProjectTexts
    from devlint.config.torch_requirement import Version

_MOST_BYTES = 1_000_000
"""Of a file; what is behind them is not looked at."""
_MOST_FILES = 20
_NULL_CONTEXT = (3, 7)
"""The Python that has ``nullcontext`` first."""
_EXIT_STACK = (3, 3)
"""The Python that has ``ExitStack`` first."""
_BEFORE = {DEVICES_SINCE: (0, 3), DEVICES_LOCATE: DEVICES_SINCE}
"""The newest release before another one, where that matters."""
_FOR_PYTHON_3_7 = (0, 5)
"""Torch up to 0.4 is said where Python was 3.6 or older."""
_READMES = frozenset({"readme", "readme.md", "readme.rst", "readme.txt", "readme.markdown"})
_SUFFIXES = ("", ".md", ".rst", ".txt", ".markdown")
_MANUALS = frozenset(stem + suffix for stem in ("install", "installation") for suffix in _SUFFIXES)
_PACKAGED = frozenset({"setup.py", "setup.cfg", "pyproject.toml"})
_RUN_BY = frozenset({"runtime.txt", ".python-version", "tox.ini", ".travis.yml"})
_INSTALLING = ("install", "require", "setup", "env")
"""Words in the names of shell scripts that install what a project needs."""
_FOLDER = regex(r".*torch[-_ ]?v?0[._][0-3](?:[._]\d+)?", re.IGNORECASE)
_TORCH = regex(
    r"""(?<![\w./@-])(?:pytorch/)?(?:py)?torch(?:-cpu|-gpu)?["']?\s*(?:=\s*["'])?(===?|[<>~]=?|=|:|(?=\d))\s*["']?v?(\d)\.(\d{1,2})(?:\.(\d+))?"""
    r"|\btorch-()(\d)\.(\d{1,2})(?:\.(\d+))?[\w.+%-]{0,80}\.whl"
)
_BESIDE = regex(r"(?<![\w./@-])torch(audio|vision)\s*==\s*v?(\d)\.(\d{1,2})")
"""Packages of which each release is for one torch."""
_FIRST_BESIDE, _VISION_OF_2_0 = 5, 15
_ENDS = regex(r"[\d.*]*\s*,\s*<=?\s*0\.[0-4]\b")
_NEEDED = regex(
    r"""(?:python_requires|[Rr]equires-[Pp]ython|^python)["']?\s*[=:]\s*["']?[^"'\n]{0,40}?(?:>=|\^|~=|==|>)\s*(\d)(?:\.(\d+))?""",
    re.MULTILINE,
)
_CLASSIFIED = regex(
    r"""Python :: (\d)\.(\d+)|Python :: (2)\b|python_version\s*(?:<=|==)\s*["'](\d)\.(\d+)"""
    r"""|python_version\s*<\s*["']3\.[0-7]["']"""
)
_NAMED = regex(
    r"""(?<![\w-])python(?:_version)?["']?\s*(?:[-:=<>~]=?)?\s*["']?(\d)\.(\d+)|\bc?py?([23])(\d{1,2})\b"""
    r"""|^\s*-\s*["']?([23])\.(\d+)["']?\s*$|^([23])\.(\d+)""",
    re.MULTILINE,
)


class Versions(Record):
    """What a folder names; each is None where it names none."""

    torch: Stated | None = None
    python: Version | None = None

    @property
    def oldest_torch(self) -> Version | None:
        """The lowest torch that is named."""
        return self.torch.lowest if self.torch is not None else None

    @property
    def torch_is_before_devices(self) -> bool:
        """Whether that is one without ``torch.device``, and nothing says that newer ones do as well."""
        return self._ends_before(DEVICES_SINCE)

    @property
    def python_is_old(self) -> bool:
        """Whether a Python before 3.7 is named, or a torch that exists for older ones alone, as 0.4.0."""
        return self._ends_before(_FOR_PYTHON_3_7) or (self.python is not None and self.python < _NULL_CONTEXT)

    @property
    def python_is_2(self) -> bool:
        """Whether a Python is named that has no ``ExitStack``, as 2.7."""
        return self.python is not None and self.python < _EXIT_STACK

    def _ends_before(self, version: Version) -> bool:
        torch = self.torch
        return torch is not None and torch.lowest is not None and torch.lowest < version and not torch.is_open


class StatedVersions:
    """Answers which versions are named around a directory."""

    def __init__(self, texts: ProjectTexts) -> None:
        self._texts = texts
        self._asked: dict[str, Versions] = {}

    def around(self, directory: str) -> Versions:
        """What the nearest folder names that names a version of either; the search ends where the project does."""
        way: list[tuple[str, Versions]] = []
        above, is_last = directory, False
        while above not in self._asked and not is_last:
            own, is_last = _named_in(self._texts, above)
            way.append((above, own))
            above = above if is_last else os.path.dirname(above)
        found = Versions() if is_last else self._asked[above]
        for folder, own in reversed(way):
            found = self._asked[folder] = Versions(own.torch or found.torch, own.python or found.python)
        return found


def _named_in(texts: ProjectTexts, directory: str) -> tuple[Versions, bool]:
    """What a folder itself names, and whether those above do not count."""
    names = names_in_folder(directory)
    lower = "/".join(names).lower()  # a folder of thousands of names has no word that matters here
    readmes = _texts(directory, filter(_is_readme, names) if "readme" in lower else ())
    prose = [*readmes, *_manuals(directory, names)]
    known = {name: text[:_MOST_BYTES] for name, text in texts.of(directory).items()}
    packaged = [text for name, text in known.items() if name in _PACKAGED]
    if not known and not readmes:
        packaged += texts.installed(directory)  # with the README as a package's description
        prose += packaged
    listed = _texts(directory, filter(_is_list, names), known) if "requirement" in lower else []
    inner, inside = _folder_in(directory, names, "requirements")
    listed += _texts(inner, (one for one in inside if one.endswith(".txt")))
    has_environment = any(map(lower.__contains__, (".yml", ".yaml", ".sh", "pipfile", "dockerfile")))
    environments = _texts(directory, filter(_is_environment, names) if has_environment else ())
    others = _texts(directory, filter(_RUN_BY.__contains__, names))
    lists = (*listed, *environments)
    torch = _least(map(_torch_of, lists)) or _least(map(stated_torch, prose)) or _least(map(_torch_beside, lists))
    torch = torch or _torch_of_image(directory, names)
    folder = os.path.basename(directory)
    if torch is None and "torch" in folder.lower() and _FOLDER.fullmatch(folder) is not None:
        torch = Stated((0, 3))
    needed = min((version for text in packaged for version in _numbers(_NEEDED, text)), default=None)
    named = [version for text in (*packaged, *listed) for version in _numbers(_CLASSIFIED, text)]
    named += [version for text in (*environments, *others) for version in _numbers(_NAMED, text)]
    named += [version for version in map(stated_python, prose) if version is not None]
    is_project = bool(readmes) or bool(known)
    is_last = ".git" in names or os.path.dirname(directory) == directory
    found = Versions(torch, needed or min(named, default=None))
    return found, is_last or (is_project and not texts.in_repository(directory))


def _torch_of_image(directory: str, names: list[str]) -> Stated | None:
    """The torch that the lists of packages in a folder ``docker`` name."""
    image, inside = _folder_in(directory, names, "docker")
    lists = _texts(image, (one for one in inside if _is_list(one) or _is_environment(one)))
    return _least(map(_torch_of, lists)) or _least(map(_torch_beside, lists))


def _folder_in(directory: str, names: list[str], name: str) -> tuple[str, list[str]]:
    """A folder among the ``names`` of another with what is in it, which is nothing where there is no such folder."""
    folder = os.path.join(directory, name)
    return folder, names_in_folder(folder) if name in names else []


def _manuals(directory: str, names: list[str]) -> list[str]:
    """What a folder or its ``docs`` says about installing: ``INSTALL.md``."""
    docs, inside = _folder_in(directory, names, "docs")
    return [*_manuals_in(directory, names), *_manuals_in(docs, inside)]


def _manuals_in(directory: str, names: list[str]) -> list[str]:
    """The texts of a folder's own manuals, whose names are only looked at where one may be such."""
    is_likely = "install" in "/".join(names).lower()
    return _texts(directory, (one for one in names if one.lower() in _MANUALS) if is_likely else ())


def _is_readme(name: str) -> bool:
    return name.lower() in _READMES


def _is_list(name: str) -> bool:
    lower = name.lower()
    return lower.startswith("requirement") and lower.endswith(".txt")


def _is_environment(name: str) -> bool:
    lower = name.lower()
    if lower.endswith((".yml", ".yaml")):
        return "env" in lower or lower.startswith("conda")
    if lower.endswith(".sh"):
        return any(map(lower.__contains__, _INSTALLING))
    return lower == "pipfile" or lower.partition(".")[0] == "dockerfile"


def _texts(directory: str, names: Iterable[str], known: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """The beginnings of the files of these names that can be read; ``known`` are those that have been."""
    found = []
    for name in list(names)[:_MOST_FILES]:
        if name in known:
            found.append(known[name])
            continue
        try:
            with open_regular_file(os.path.join(directory, name)) as file:
                found.append(decoded(file.read(_MOST_BYTES)))
        except OSError:
            continue
    return found


def _least(found: Iterable[Stated]) -> Stated | None:
    """The one of the lowest version; of two that differ in that alone, the one that says that newer ones do not do."""
    known = [one for one in found if one.lowest is not None]
    return min(known, key=lambda one: (one.lowest, one.is_open), default=None)


def _torch_of(text: str) -> Stated:
    """The lowest torch in a list of packages, or what installs them."""
    return _least(_bounds(text)) or Stated()


def _torch_beside(text: str) -> Stated:
    """The torch for which a list of packages has torchaudio or torchvision: 1.8 for ``torchaudio==0.8.0``."""
    return _least(_companions(text)) or Stated()


def _companions(text: str) -> Iterator[Stated]:
    for line in text.splitlines() if "torch" in text else ():
        for kind, major, minor in _BESIDE.findall(line.partition("#")[0]):
            number = int(minor)
            if number < _FIRST_BESIDE and major == "0":
                continue
            if kind == "audio":
                yield Stated((max(int(major), 1), number))
            elif major == "0":
                yield Stated((2, number - _VISION_OF_2_0) if number >= _VISION_OF_2_0 else (1, number - 1))


def _bounds(text: str) -> Iterator[Stated]:
    for line in text.splitlines() if "torch" in text else ():
        for found in _TORCH.finditer(line.partition("#")[0]):
            sign, *numbers = found.groups()[:4] if found[2] else found.groups()[4:]
            version = torch_version(*numbers)
            ends = sign not in (">=", ">") or _ENDS.match(line, found.end()) is not None
            yield Stated(_BEFORE.get(version, version) if sign == "<" else version, not ends)


def _numbers(pattern: re.Pattern[str], text: str) -> Iterator[Version]:
    """The versions of Python that a pattern finds; below 3.7 is 3.6."""
    for found in pattern.finditer(text):
        major, minor = ([one for one in found.groups() if one] + ["", ""])[:2]
        if pattern is _CLASSIFIED and "<" in found[0] and "=" not in found[0]:
            yield 3, 6
        elif major == "2" or (major == "3" and minor):
            yield int(major), int(minor or 0)
