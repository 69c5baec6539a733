"""What a project is like, as far as a first configuration needs to know: read from its files, none of them run."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

from devlint.config.finder import ConfigFinder
from devlint.config.project_texts import ProjectTexts
from devlint.config.torch_requirement import TorchRequirements
from devlint.core.file_reading import open_regular_file
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.discovery import Found, discover

_FOREIGN = regex(r"_?(third[-_]?party|3rd[-_]?party|vendor(ed|s)?|extern(al)?s?|deps|submodules)", re.IGNORECASE)
_SUBMODULE = regex(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)
_HELPER = regex(
    r"^(?:def (?P<function>\w*(?:device|accelerator))\((?P<parameters>[^()]*)\)[^\n]*:"
    r"|(?P<value>\w*device)\s*(?::[^=\n]+)?=\s*[^\n]*(?:\.device\(|is_available\())",
    re.MULTILINE | re.IGNORECASE,
)
_NO_HELPER = regex(r"_|(set|to|with|is|has|use|print|list|move|reset|test)_")
_IMPORT = regex(r"^[ \t]*from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n#]*)", re.MULTILINE)
_MOST_BYTES = 2_000_000


class Helper(Record):
    """A device that the project already has a name for."""

    path: str
    module: str
    expression: str
    uses: int
    """How many files import it."""

    @property
    def statement(self) -> str:
        """The import that makes the expression work."""
        return f"from {self.module} import {self.expression.partition('(')[0]}"


class Survey(Record):
    """What was seen."""

    files: int = 0
    torch_files: int = 0
    oldest_torch: tuple[int, ...] | None = None
    helpers: tuple[Helper, ...] = ()
    """Those that other files import, the most used first."""
    foreign: tuple[str, ...] = ()
    """Folders of other people's code, and generated files, that are not excluded yet."""


def survey(root: str) -> Survey:
    """Look at the project in the folder ``root``."""
    found = [one for one in discover([root], ConfigFinder(isolated=True, cwd=root)) if isinstance(one, Found)]
    paths = [os.path.relpath(one.absolute, root).replace(os.sep, "/") for one in found]
    foreign = tuple(_foreign(root, paths))
    torch_files, imported, helpers = 0, Counter[tuple[str, str]](), list[Helper]()
    for path, one in zip(paths, found):
        text = _read(one.path)
        torch_files += "torch" in text
        imported.update(set(_imported(text)))
        if "torch" in text and not path.startswith(tuple(f"{folder}/" for folder in foreign)):
            helpers += _helpers(path, text)
    used = [one.replace(uses=_uses(one, imported)) for one in helpers]
    return Survey(
        len(paths),
        torch_files,
        TorchRequirements(ProjectTexts()).oldest(os.path.abspath(root)),
        tuple(sorted((one for one in used if one.uses), key=lambda one: (-one.uses, one.path, one.expression))),
        foreign,
    )


def _foreign(root: str, paths: list[str]) -> Iterator[str]:
    """Generated files, and the outermost folders with Python whose name, or entry in .gitmodules, says so."""
    submodules = _SUBMODULE.findall(_read(os.path.join(root, ".gitmodules")))
    folders = set()
    for path in paths:
        parts = path.split("/")[:-1]
        heads = ["/".join(parts[: length + 1]) for length in range(len(parts))]
        folders.add(next((one for one in heads if one in submodules or _FOREIGN.fullmatch(one.split("/")[-1])), ""))
    yield from sorted(folders - {""})
    if any(path.endswith(("_pb2.py", "_pb2_grpc.py")) for path in paths):
        yield "*_pb2*.py"


def _helpers(path: str, text: str) -> Iterator[Helper]:
    """The functions and variables at the top of a module that give a device."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    module = ".".join(parts[1:] if parts[0] == "src" else parts)
    if path.endswith(".py") and all(part.isidentifier() for part in parts):
        for match in _HELPER.finditer(text):
            name, parameters = match["function"] or match["value"], match["parameters"] or ""
            needs_arguments = any("=" not in one for one in parameters.split(",") if one.strip(" \n*"))
            if not needs_arguments and not _NO_HELPER.match(name):
                yield Helper(path, module, name + "()" * bool(match["function"]), 0)


def _imported(text: str) -> Iterator[tuple[str, str]]:
    """The modules and names of ``from … import …``."""
    for module, names in _IMPORT.findall(text):
        for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?\s*(?:,|$)", names.strip("() \t\n")):
            yield module.lstrip("."), name


def _uses(helper: Helper, imported: Counter[tuple[str, str]]) -> int:
    """How many files import it, under the end of its module's name that they write."""
    name = helper.expression.partition("(")[0]
    ends = helper.module.split(".")
    return sum(imported[".".join(ends[start:]), name] for start in range(len(ends)))


def _read(path: str) -> str:
    """The beginning of a file as text; empty where it cannot be read."""
    try:
        with open_regular_file(path) as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
