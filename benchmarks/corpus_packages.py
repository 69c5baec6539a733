"""The pinned packages of the corpus: downloaded once as wheels, unpacked, never installed or run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = Path(__file__).with_name("corpus_packages.txt")
MORE = Path(__file__).with_name("crowd_packages.txt")
"""Of packages that `make crowd` alone unpacks."""
CACHE = ROOT / ".corpus"
WANTED = {".py", ".pyi", ".ipynb", ".toml", ".cfg"}
# One platform for everybody, so that the hashes are the same everywhere; a wheel that is never run fits any machine.
PLATFORM = ["--only-binary=:all:", "--implementation=cp", "--python-version=3.11", "--platform=manylinux1_x86_64"]


class CorpusError(Exception):
    """The corpus cannot be had: said in one line, without a traceback."""


def pinned(*requirements: Path) -> dict[str, str]:
    """Package name to its requirement line, in one file or several."""
    files = requirements or (REQUIREMENTS,)
    lines = (line.strip() for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return {line.split("==")[0]: line for line in lines if line and not line.startswith("#")}


def projects(names: Iterable[str], *requirements: Path) -> Iterator[tuple[str, Path]]:
    """Each wanted package as ``name-version`` and the folder it lies in, downloaded where it is missing."""
    known = pinned(*requirements)
    for name in names:
        if name not in known:
            raise CorpusError(f"no pinned package {name!r}; there are: {', '.join(known)}")
        yield from [_project(known[name])]


def _project(requirement: str) -> tuple[str, Path]:
    name, version = re.split(r"==|\s", requirement)[:2]
    folder = CACHE / f"{name}-{version}"
    if not folder.is_dir():
        _unpack(_download(requirement), folder)
    return folder.name, folder


def _download(requirement: str) -> Path:
    target = CACHE / "download"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    wanted = target / "requirement.txt"
    wanted.write_text(requirement + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    arguments = [*pip, *PLATFORM, "--require-hashes", "--dest", str(target), "-r", str(wanted)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    wheels = list(target.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        reason = (done.stderr.strip() or "no wheel").splitlines()[-1]
        raise CorpusError(f"cannot download {requirement.split()[0]}: {reason}")
    return wheels[0]


def _unpack(wheel: Path, folder: Path) -> None:
    """Take the Python sources out of a wheel; a folder that exists is always complete."""
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if PurePosixPath(name).suffix in WANTED:
                archive.extract(name, partial)
    partial.rename(folder)
    shutil.rmtree(wheel.parent)
