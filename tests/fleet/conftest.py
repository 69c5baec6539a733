"""Repositories to audit, small ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.fleet.repositories import REPOSITORIES


@pytest.fixture
def repositories(tmp_path: Path) -> Path:
    """A folder of repositories."""
    top = tmp_path / "repositories"
    for (repo, path), content in REPOSITORIES.items():
        file = top / repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return top


@pytest.fixture
def git_repositories(repositories: Path) -> Path:
    """The same as git directories; what is committed is not in the work tree any more."""
    for repo in repositories.iterdir():
        for arguments in (
            ("init", "-q"),
            ("add", "-A", "-f"),
            ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all"),
        ):
            subprocess.run(["git", *arguments], cwd=repo, check=True, capture_output=True)
        for path in repo.iterdir():
            if path.is_file():
                path.unlink()
    listing = repositories.parent / "list.txt"
    lines = [f"{repo}\tHEAD\t{repo.name}" for repo in sorted(repositories.iterdir())]
    listing.write_text("# repositories\n\n" + "\n".join(lines) + "\n")
    return listing
