"""Files are replaced whole, what other programs write meanwhile survives, and nothing is left behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from devlint.core.errors import FileChangedError
from devlint.sources import file_writing
from devlint.sources.file_writing import remove_leftovers, replace_file, rewrite_file

fcntl = pytest.importorskip("fcntl", reason="Windows neither replaces nor removes a file that a program has open")
LEFTOVER = ".devlint-0123456789abcdef.tmp"
OLD, NEW, MORE = b"x = 1\n", b"x = 2\n", b"# appended\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    return path


def appending(path: Path) -> subprocess.Popen[bytes]:
    """A program that appends a line, and may have to wait before it can open the file."""
    program = f"open({str(path)!r}, 'ab').write({MORE!r})"
    return subprocess.Popen([sys.executable, "-c", program])


def before(monkeypatch: pytest.MonkeyPatch, name: str, action: Callable[[], object]) -> None:
    """Do something once, just before a function of ``os`` is called."""
    original, left = getattr(os, name), [action]

    def call(*arguments: object) -> object:
        if left:
            left.pop()()
        return original(*arguments)

    monkeypatch.setattr(os, name, call)


def without_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_writing, "_watch", lambda _: False)


def append(path: Path) -> None:
    assert appending(path).wait() == 0


@pytest.mark.parametrize("step", ["link", "replace", "chmod"])
def test_a_line_appended_while_the_file_is_replaced_is_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    without_leases(monkeypatch)
    before(monkeypatch, step, lambda: append(file))
    with pytest.raises(FileChangedError, match="changed while"):
        rewrite_file(str(file), OLD, NEW)
    assert file.read_bytes() == OLD + MORE
    assert os.listdir(file.parent) == ["a.py"]


def test_it_is_kept_without_hard_links(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    without_leases(monkeypatch)
    monkeypatch.setattr(os, "link", fail)
    before(monkeypatch, "replace", lambda: append(file))
    with pytest.raises(FileChangedError, match="changed while"):
        rewrite_file(str(file), OLD, NEW)
    assert file.read_bytes() == OLD + MORE
    assert os.listdir(file.parent) == ["a.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has leases")
def test_a_program_that_opens_the_file_meanwhile_waits_and_loses_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It opens the old file, and would write into it once devlint is done."""
    started: list[subprocess.Popen[bytes]] = []
    original = file_writing._replace_kept

    def watched(opened: BinaryIO, *arguments: object) -> None:
        started.append(appending(file))
        while not file_writing._has_writer(opened):
            assert started[0].poll() is None, "did not wait"
            time.sleep(0.01)
        original(opened, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(file_writing, "_replace_kept", watched)
    with pytest.raises(FileChangedError, match="changed while"):
        rewrite_file(str(file), OLD, NEW)
    assert started[0].wait() == 0
    assert file.read_bytes() == OLD + MORE
    assert os.listdir(file.parent) == ["a.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has leases")
def test_a_file_that_a_program_has_open_to_write_is_left_alone(file: Path) -> None:
    with open(file, "ab") as other:
        with pytest.raises(FileChangedError, match="has it open to write"):
            rewrite_file(str(file), OLD, NEW)
        other.write(MORE)
    assert file.read_bytes() == OLD + MORE


def test_a_file_that_a_program_has_locked_is_left_alone(file: Path) -> None:
    with open(file, "rb") as other:
        fcntl.flock(other.fileno(), fcntl.LOCK_EX)
        with pytest.raises(FileChangedError, match="has locked it"):
            rewrite_file(str(file), OLD, NEW)
    assert file.read_bytes() == OLD


def test_a_file_that_an_editor_has_replaced_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save() -> None:
        (file.parent / "saved").write_bytes(MORE)
        os.rename(file.parent / "saved", file)

    before(monkeypatch, "link", save)
    with pytest.raises(FileChangedError, match="changed while"):
        rewrite_file(str(file), OLD, NEW)
    assert file.read_bytes() == MORE
    assert os.listdir(file.parent) == ["a.py"]


@pytest.mark.parametrize("name", ["chmod", "replace", "urandom"])
def test_a_failed_write_leaves_the_file_and_no_rubbish(file: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(OSError, match="No space"):
        rewrite_file(str(file), OLD, NEW)
    assert file.read_bytes() == OLD
    assert os.listdir(file.parent) == ["a.py"]


@pytest.mark.parametrize("name", ["n" * 252 + ".py", "é" * 126 + ".py", "n" * 245 + ".py"])
def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(OLD)
    rewrite_file(str(path), OLD, NEW)
    assert path.read_bytes() == NEW
    assert os.listdir(tmp_path) == [name]


def test_mode_and_attributes_stay(file: Path) -> None:
    file.chmod(0o751)
    try:
        os.setxattr(file, "user.comment", b"kept")
    except (AttributeError, OSError):
        attributes = []
    else:
        attributes = ["user.comment"]
    rewrite_file(str(file), OLD, NEW)
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert [name for name in ("user.comment",) if name in getattr(os, "listxattr", lambda _: [])(file)] == attributes


def test_a_private_file_is_never_readable_by_others(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    file.chmod(0o600)
    before(monkeypatch, "chmod", lambda: seen.extend(path.stat().st_mode & 0o77 for path in file.parent.iterdir()))
    rewrite_file(str(file), OLD, NEW)
    assert seen == [0, 0]


def test_a_copy_with_the_same_contents_is_not_the_file_of_a_hard_link(file: Path) -> None:
    """A file that shares its contents with a package cache or a snapshot gets contents of its own."""
    other = file.parent / "b.py"
    os.link(file, other)
    rewrite_file(str(file), OLD, NEW)
    assert (file.read_bytes(), other.read_bytes()) == (NEW, OLD)


def test_what_a_killed_run_left_is_removed_by_the_next_write(file: Path) -> None:
    others = [".devlint-0123456789abcdef.txt", ".devlint-0123.tmp", "devlint-0123456789abcdef.tmp"]
    for name in (LEFTOVER, *others):
        (file.parent / name).write_bytes(OLD)
    (file.parent / ".devlint-fedcba9876543210.tmp").mkdir()
    rewrite_file(str(file), OLD, NEW)
    assert sorted(os.listdir(file.parent)) == sorted(["a.py", ".devlint-fedcba9876543210.tmp", *others])


def test_the_other_name_of_a_file_that_a_killed_run_left_is_removed_before_the_file_is_locked(file: Path) -> None:
    spare = file.with_name(".devlint-0123456789abcdef.tmp")
    os.link(file, spare)
    file_writing.remove_leftovers.cache_clear()
    rewrite_file(str(file), file.read_bytes(), b"new")
    assert file.read_bytes() == b"new" and not spare.exists()


def test_the_temporary_file_of_a_living_run_stays(tmp_path: Path) -> None:
    with open(tmp_path / LEFTOVER, "wb") as other:
        fcntl.flock(other.fileno(), fcntl.LOCK_EX)
        remove_leftovers(str(tmp_path))
        assert os.listdir(tmp_path) == [LEFTOVER]


def test_a_temporary_file_that_another_run_took_for_a_leftover_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = file_writing._lock, []

    def lock(descriptor: int) -> bool:
        calls.append(descriptor)
        if len(calls) == 1:
            remove_leftovers.__wrapped__(str(tmp_path))
        return original(descriptor)

    monkeypatch.setattr(file_writing, "_lock", lock)
    replace_file(str(tmp_path / "a.json"), NEW)
    assert len(calls) == 2
    assert (tmp_path / "a.json").read_bytes() == NEW
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_killed_run_leaves_the_old_file_or_the_new_one(file: Path) -> None:
    """Wherever it is killed; the next run removes what it left."""
    for step in ("link", "replace", "chmod", "unlink"):
        file.write_bytes(OLD)
        program = (
            "import os, signal\n"
            "from devlint.sources.file_writing import rewrite_file\n"
            f"os.{step} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
            f"rewrite_file({str(file)!r}, {OLD!r}, {NEW!r})\n"
        )
        assert subprocess.run([sys.executable, "-c", program]).returncode == -9
        assert len(os.listdir(file.parent)) > 1
        assert file.read_bytes() == (NEW if step == "unlink" else OLD)
        remove_leftovers.__wrapped__(str(file.parent))
        assert os.listdir(file.parent) == ["a.py"]
