"""Is everything ready for a release? ``release_check.py v1.2.3`` lists what is not. It needs no packages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACEHOLDER = re.compile(r"https://[\w.-]*\.example\b")
EXTENSION = "editors/vscode/package.json"
ADDRESSED = ("devlint/core/addresses.py", "pyproject.toml", "CITATION.cff", EXTENSION)


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """What must be mended before the version of this tag is published."""
    version = tag.removeprefix("v")
    texts = {
        name: root.joinpath(name).read_text(encoding="utf-8")
        for name in ("devlint/__init__.py", "CHANGELOG.md", *ADDRESSED)
    }
    found = []
    if f'__version__ = "{version}"' not in texts["devlint/__init__.py"]:
        found.append(f"devlint/__init__.py has another version than {tag}")
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", texts["CHANGELOG.md"], re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading '## {version} (YEAR-MONTH-DAY)'")
    if f"version: {version}\n" not in texts["CITATION.cff"]:
        found.append(f"CITATION.cff has no line 'version: {version}'")
    if f'"version": "{version}"' not in texts[EXTENSION]:
        found.append(f"{EXTENSION} has another version than {tag}")
    found += [f"{name} still has an address under .example" for name in ADDRESSED if PLACEHOLDER.search(texts[name])]
    return found


def main() -> None:
    """Prints the problems; the exit code says whether there are any."""
    found = problems(sys.argv[1])
    sys.stderr.write("".join(f"error: {problem}\n" for problem in found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
