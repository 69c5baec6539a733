"""The documentation site is built without a warning; its links lead somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from devlint.core.addresses import DOCUMENTATION, rule_address
from devlint.core.catalogue import RULES
from tests.support.paths import ROOT
from website.hooks import MOVED, rule_pages, with_site_links

BASE = urlsplit(DOCUMENTATION).path


class Links(HTMLParser):
    """Where a page leads, what it loads, and the anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.add(given.get("id", ""))
        if tag == "a":
            self.links += [given["href"]] if "href" in given else []
        elif tag == "link" and given.get("rel") == "canonical":
            return
        else:
            self.loaded += [given[name] for name in ("src", "href") if name in given]


def build(folder: Path, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The site of a copy of the repository, in a folder."""
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site") / "site"
    result = build(folder)
    assert (result.returncode, re.findall(r"^WARNING.*", result.stderr, re.MULTILINE)) == (0, []), result.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Links]:
    """The pages by their address below the site's."""
    found = sorted(site.rglob("index.html"))
    assert len(found) > len(RULES) + 20
    return {path.parent.relative_to(site).as_posix(): Links(path.read_text(encoding="utf-8")) for path in found}


def test_every_rule_has_its_page_at_its_address(site: Path) -> None:
    for info in RULES:
        page = site / rule_address(info.code).removeprefix(DOCUMENTATION) / "index.html"
        text = page.read_text(encoding="utf-8")
        assert f'rel="canonical" href="{rule_address(info.code)}"' in text
        assert re.search(rf"<h1[^>]*>{info.code} {info.name}<", text), info.code


def targets(page: str, link: str, site: Path) -> Iterator[tuple[Path, str]]:
    """The file and the anchor that a link of a page leads to, if it leads to the site."""
    parts = urlsplit(link)
    if parts.scheme:
        return
    path = unquote(parts.path)
    below = path.removeprefix(BASE) if path.startswith("/") else posixpath.join(page, path) if path else page
    there = site / posixpath.normpath(below)
    yield there / "index.html" if there.is_dir() else there, unquote(parts.fragment)


def test_every_link_leads_somewhere(site: Path, pages: dict[str, Links]) -> None:
    seen = 0
    for page, links in pages.items():
        for link in [*links.links, *links.loaded]:
            for there, anchor in targets(page, link, site):
                assert there.is_file(), f"{page}: {link}"
                name = there.parent.relative_to(site).as_posix()
                assert not anchor or anchor.startswith("__") or anchor in pages[name].anchors, f"{page}: {link}"
                seen += 1
    assert seen > 1000


def test_nothing_is_loaded_from_elsewhere(pages: dict[str, Links]) -> None:
    for page, links in pages.items():
        assert [link for link in links.loaded if urlsplit(link).netloc] == [], page


def test_every_page_of_the_repository_is_in_the_navigation(pages: dict[str, Links]) -> None:
    paths = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")]
    places = {MOVED.get(path, path.removeprefix("docs/")) for path in [*paths, *MOVED]}
    shown = {re.sub(r"(index|README)$", "", place.removesuffix(".md")).rstrip("/") or "." for place in places}
    linked = {posixpath.normpath(unquote(urlsplit(link).path)) for link in pages["."].links}
    assert shown <= set(pages) and shown <= linked


SMALL_RULES = (
    "# Rules\n\n| code | name | what | fix | default |\n| --- | --- | --- | --- | --- |\n"
    "| [DEV101](#dev101-a-b) | a-b | One `a|b`. | safe | on |\n\n## DEV1 Group\n\n"
    "### DEV101 a-b\n\nOne.\n\n#### Why\n\n```python\n# ### DEV102 no\n```\n"
)


def test_a_dead_link_ends_the_build(tmp_path: Path) -> None:
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "website", root / "website", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "devlint/core", root / "devlint/core", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("devlint/__init__.py", "mkdocs.yml"):
        shutil.copy(ROOT / name, root / name)
    for name in [*MOVED, *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))]:
        root.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        root.joinpath(name).write_text("# A page\n")
    root.joinpath("docs/rules.md").write_text(SMALL_RULES)
    root.joinpath("README.md").write_text("# A page\n\n[dead](docs/none.md)\n")
    result = build(tmp_path / "site", root)
    (warning,) = re.findall(r"^WARNING.*", result.stderr, re.MULTILINE)
    assert result.returncode == 1 and "'none.md'" in warning


def test_the_pages_of_rules() -> None:
    page = "# DEV101 a-b\n\nFix: safe · By default: on\n\nOne.\n\n## Why\n\n```python\n# ### DEV102 no\n```\n"
    assert rule_pages(SMALL_RULES) == {"DEV101": page}


@pytest.mark.parametrize(
    ("source", "page", "link", "there"),
    [
        ("README.md", "index.md", "docs/start.md", "start.md"),
        ("README.md", "index.md", "docs/README.md", "pages.md"),
        ("README.md", "index.md", "docs/pictures/a.svg", "pictures/a.svg"),
        ("docs/a.md", "a.md", "rules.md#dev101-cuda-method", "rules/DEV101.md"),
        ("docs/rules.md", "rules.md", "#dev101-cuda-method", "rules/DEV101.md"),
        ("docs/rules.md", "rules/DEV102.md", "#dev101-cuda-method", "DEV101.md"),
        ("docs/rules.md", "rules/DEV102.md", "targets.md#b", "../targets.md#b"),
        ("docs/gpu-runs/README.md", "gpu-runs/README.md", "../../CONTRIBUTING.md", "../contributing.md"),
        ("docs/a.md", "a.md", "#b", "#b"),
        ("docs/a.md", "a.md", "https://b.org/c.md", "https://b.org/c.md"),
    ],
)
def test_links_as_the_site_has_them(source: str, page: str, link: str, there: str) -> None:
    assert with_site_links(f"[x]({link}) `[x](a)`", source, page) == f"[x]({there}) `[x](a)`"
