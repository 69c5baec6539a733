"""Which version the pages tell people to install: the newest release, and none before the first one.

``python -m website.versions`` writes it into the pages; it is a step of a release (CONTRIBUTING.md).
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_RELEASE = re.compile(r"^## (\d+\.\d+\.\d+)\b", re.MULTILINE)
_VERSION = r"v?\d+(?:\.\w+)+"
_FROM_GIT = "git+https://example.org/devlint.git@REVISION"
PINS = (
    (re.compile(rf"(?<=DEVLINT: )(?:devlint=={_VERSION}|{re.escape(_FROM_GIT)})"), "devlint=={}", _FROM_GIT),
    (re.compile(rf"(?<=rev: )(?:{_VERSION}|REVISION)"), "v{}", "REVISION"),
    (re.compile(rf"(?<=OWNER/devlint@)(?:{_VERSION}|REVISION)"), "v{}", "REVISION"),
)
"""How pages name a version of devlint: where, how it is written, and what stands there before the first release."""


def newest_release(changelog: str) -> str | None:
    """The first version that has a heading in CHANGELOG.md."""
    found = _RELEASE.search(changelog)
    return found[1] if found else None


def with_version(text: str, version: str | None) -> str:
    """A page that names this version, or none."""
    for where, released, unreleased in PINS:
        text = where.sub(released.format(version) if version else unreleased, text)
    return text


def pages() -> list[Path]:
    """Every page that people read."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


def outdated(version: str | None) -> dict[Path, str]:
    """The pages that name another version, each with the text that it should have."""
    texts = {path: path.read_text(encoding="utf-8") for path in pages()}
    return {path: with_version(text, version) for path, text in texts.items() if with_version(text, version) != text}


def main() -> None:
    """Writes the newest release's version into the pages."""
    for path, text in outdated(newest_release(ROOT.joinpath("CHANGELOG.md").read_text(encoding="utf-8"))).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
