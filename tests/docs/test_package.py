"""The packages: what the README is on a package index, what a wheel is built from, and what a release asks for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
import yaml

from devlint import __version__
from devlint.core.addresses import DOCUMENTATION
from devlint.core.toml import load_toml
from tests.support.paths import ROOT
from website.hooks import MOVED
from website.release_check import ADDRESSED, EXTENSION, problems

PYPROJECT = load_toml(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
SENT = [
    line.removeprefix("!") for line in ROOT.joinpath(".dockerignore").read_text().splitlines() if line.startswith("!")
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from nothing but what a builder of the container image is sent."""
    folder: Path = tmp_path_factory.mktemp("image")
    for name in SENT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    (built,) = folder.joinpath("dist").iterdir()
    return built


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def test_the_wheel_has_the_package_and_the_commands(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (entries,) = (archive.read(name).decode() for name in names if name.endswith("entry_points.txt"))
    package = ROOT / "devlint"
    sources = {path.relative_to(ROOT).as_posix() for path in package.rglob("*.py") if path.is_file()}
    assert sources | {"devlint/py.typed"} <= names
    assert {name.partition("/")[0] for name in names} == {"devlint", f"devlint-{__version__}.dist-info"}
    assert "devlint = devlint.cli:main" in entries


def page_of(address: str) -> Path:
    """The file that becomes the page at an address of the site."""
    place = address.removeprefix(DOCUMENTATION).partition("#")[0]
    sources = {page.removesuffix(".md"): source for source, page in MOVED.items()}
    if not place.endswith("/"):
        return ROOT / "docs" / place
    return ROOT / sources.get(place.rstrip("/"), f"docs/{place.rstrip('/')}.md")


def test_every_link_of_the_readme_leads_somewhere(metadata: Message) -> None:
    text = str(metadata.get_payload())
    assert metadata["Description-Content-Type"] == "text/markdown"
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE))
    ours = [link for link in links if link.startswith(DOCUMENTATION)]
    assert [link for link in ours if not page_of(link).is_file()] == []
    assert [link for link in links if not link.startswith("https://")] == []
    assert len(ours) > 10


def test_the_readme_is_otherwise_the_one_of_the_repository(metadata: Message) -> None:
    without = re.compile(r"\]\([^)\s]+\)")
    readme = ROOT.joinpath("README.md").read_text(encoding="utf-8")
    assert without.sub("", bytes(metadata.get_payload(decode=True)).decode()).strip() == without.sub("", readme).strip()


def test_substitutions_and_links_have_the_address_of_the_site() -> None:
    text = ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8")
    assert set(re.findall(r"https://[\w.-]+/", text)) == {DOCUMENTATION}


def test_the_image_runs_what_the_wheel_installs() -> None:
    lines = ROOT.joinpath("Dockerfile").read_text(encoding="utf-8").splitlines()
    assert 'ENTRYPOINT ["devlint"]' in lines and "COPY . /source" in lines
    assert any(line.startswith("USER ") and line != "USER root" for line in lines)


def cited() -> Any:
    return yaml.safe_load(ROOT.joinpath("CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_says_what_the_package_says() -> None:
    project = PYPROJECT["project"]
    assert (cited()["license"], cited()["url"]) == (project["license"], DOCUMENTATION)
    assert cited()["authors"] == project["authors"]
    assert project["description"].lower() in cited()["title"].lower()


def test_the_extension_has_the_version_and_the_address_of_the_package() -> None:
    extension = json.loads(ROOT.joinpath(EXTENSION).read_text(encoding="utf-8"))
    assert (extension["version"], extension["homepage"]) == (__version__, DOCUMENTATION)


def released(folder: Path, version: str) -> Path:
    """A copy of what a release asks about, ready for a version."""
    for name in ("devlint/__init__.py", "CHANGELOG.md", *ADDRESSED):
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        text = ROOT.joinpath(name).read_text(encoding="utf-8")
        text = text.replace(f'"{__version__}"', f'"{version}"').replace(
            "https://devlint.example", "https://devlint.org"
        )
        text = text.replace("## Unreleased", f"## {version} (2027-01-02)")
        folder.joinpath(name).write_text(text + (f"version: {version}\n" if name == "CITATION.cff" else ""))
    return folder


def test_a_release_that_is_ready(tmp_path: Path) -> None:
    assert problems("v7.8.9", released(tmp_path, "7.8.9")) == []


def test_a_release_that_is_not_ready(tmp_path: Path) -> None:
    released(tmp_path, "7.8.9")
    assert problems("v7.9.0", tmp_path) == [
        "devlint/__init__.py has another version than v7.9.0",
        "CHANGELOG.md has no heading '## 7.9.0 (YEAR-MONTH-DAY)'",
        "CITATION.cff has no line 'version: 7.9.0'",
        "editors/vscode/package.json has another version than v7.9.0",
    ]


@pytest.mark.parametrize("name", ADDRESSED)
def test_no_release_has_an_address_that_nobody_can_own(tmp_path: Path, name: str) -> None:
    path = released(tmp_path, "7.8.9") / name
    path.write_text(path.read_text() + '"https://docs.devlint.example/"\n')
    assert problems("v7.8.9", tmp_path) == [f"{name} still has an address under .example"]


def test_the_workflow_runs_the_check() -> None:
    workflow = yaml.safe_load(ROOT.joinpath(".github/workflows/release.yml").read_text(encoding="utf-8"))
    runs = [step["run"] for step in workflow["jobs"]["build"]["steps"] if "run" in step]
    assert runs[0] == 'python website/release_check.py "$GITHUB_REF_NAME"'
    command = [sys.executable, "-S", str(ROOT / "website/release_check.py"), "v0.0.0"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1 and "error: devlint/__init__.py has another version than v0.0.0\n" in result.stderr
    targets = {word for run in runs[1:] for word in run.removeprefix("make ").split()}
    makefile = ROOT.joinpath("Makefile").read_text(encoding="utf-8")
    assert (
        targets
        == {one for one in targets if re.search(rf"^{one}:", makefile, re.MULTILINE)}
        == {"check", "site", "package"}
    )
