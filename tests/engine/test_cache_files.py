"""The files of the cache: whole or ignored, never in the way, small, and removed by nobody but who made them."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Location, Span
from devlint.engine import runner as running
from devlint.engine.cache import data, folder
from tests.support.cached import CLEAN, FINDING, NOTEBOOK, PLAIN, Project, cached, whole
from tests.support.paths import ROOT
from tests.support.sampling import some

__all__ = ["cached"]

TEXTS = st.text(st.characters())
NUMBERS = st.integers(0, 10**9)
SPANS = st.builds(Span, NUMBERS, NUMBERS)
LOCATIONS = st.builds(Location, NUMBERS, NUMBERS, st.none() | NUMBERS)
FIXES = st.builds(Fix, st.lists(st.builds(Edit, SPANS, TEXTS)).map(tuple), st.sampled_from(Applicability), TEXTS)
DIAGNOSTICS = st.builds(Diagnostic, TEXTS, TEXTS, TEXTS, SPANS, LOCATIONS, LOCATIONS, st.none() | FIXES)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DIAGNOSTICS)
def test_findings_survive_as_plain_data(one: Diagnostic) -> None:
    assert data.from_data(one.path, data.to_data(one)) == one


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DIAGNOSTICS)
def test_findings_survive_the_file(one: Diagnostic) -> None:
    from devlint.engine.cache.store import _dumped

    held = json.loads(_dumped({one.path: data.to_data(one)}).decode("utf-8", "surrogatepass"))
    assert data.from_data(one.path, held[one.path]) == one


Spoil = Callable[[Path], object]
SPOILED: dict[str, Spoil] = {
    "empty": lambda store: store.write_bytes(b""),
    "cut": lambda store: store.write_bytes(store.read_bytes()[:-20]),
    "longer": lambda store: store.write_bytes(store.read_bytes() + b"\n"),
    "a bit": lambda store: store.write_bytes(store.read_bytes().replace(b"DEV101", b"DEV102")),
    "zeros": lambda store: store.write_bytes(b"\0" * 4096),
    "bytes": lambda store: store.write_bytes(b"\xff\xfe" * 100),
    "no JSON": lambda store: store.write_bytes(whole(store, b"{'a': 1}")),
    "a list": lambda store: store.write_bytes(whole(store, b"[1, 2]")),
    "deep": lambda store: store.write_bytes(whole(store, b"[" * 100_000)),
    "huge": lambda store: store.write_bytes(whole(store, b'{"a": ' + b"9" * 10_000 + b"}")),
    "of another place": lambda store: store.write_bytes(whole(store.with_name("x.json"), b"{}")),
    "a folder": lambda store: (store.unlink(), store.mkdir()),
    "another format": lambda store: store.write_bytes(b"SQLite format 3\0"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_file_that_is_not_whole_is_ignored_and_written_again(cached: Project, how: str) -> None:
    cached.write("a.py")
    cached.write("b.py", PLAIN)
    first = cached.check()
    (store,) = cached.stores
    SPOILED[how](store)
    second = cached.check()
    assert second == first
    assert second.looked == ["a.py", "b.py"]
    assert cached.check().looked == ([] if how != "a folder" else ["a.py", "b.py"])


ENTRIES = [
    None,
    1,
    "a",
    [],
    {},
    [1, 2, 3],
    [-1, 0, 0, 5],
    [-1, 0, 0, "x", 7],
    [10**400, 1, 1, "", {}],
    ["", None, [], {}],
]


@pytest.mark.parametrize("entry", ENTRIES, ids=repr)
def test_entries_that_are_none_are_ignored(cached: Project, entry: Any) -> None:
    path = cached.write("a.py")
    first = cached.check()
    (store,) = cached.stores
    store.write_bytes(whole(store, json.dumps({str(path): entry}).encode()))
    assert cached.check() == first
    assert cached.check().looked == []


ODD: list[Any] = [None, 5, -1, 10**400, 1.5, True, "x", "", "\ud800", [], [[1]], {}, {"q": "r"}, ["a"]]
REMOVED = object()
USES = "from storage import Storage\n\nrollouts = Storage()\nrollouts.cuda()\n"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything in a value that came from JSON."""
    yield path
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """A copy of a value with something odd in one place, or nothing there."""
    if not path:
        return [] if odd is REMOVED else odd
    whole_copy = at = copy.deepcopy(value)
    for key in path[:-1]:
        at = at[key]
    if odd is REMOVED:
        del at[path[-1]]
    else:
        at[path[-1]] = odd
    return whole_copy


def project_with_everything(cached: Project) -> None:
    """Findings, questions about other files, a notebook, and files without findings."""
    cached.write("a.py")
    cached.write("clean.py", CLEAN)
    cached.write("plain.py", PLAIN)
    cached.write("n.ipynb", NOTEBOOK)
    cached.write("uses.py", USES)
    cached.write("storage.py", "class Storage:\n    def cuda(self):\n        self.x = 1\n")


def test_anything_odd_in_a_whole_file_is_as_good_as_nothing(cached: Project) -> None:
    project_with_everything(cached)
    first = cached.run("check")
    (store,) = cached.stores
    held = json.loads(store.read_bytes().partition(b"\n")[2])
    for path, odd in some([*itertools.product(places(held), [REMOVED, *ODD])], 30):
        body = json.dumps(changed(held, path, odd), ensure_ascii=False).encode("utf-8", "surrogatepass")
        store.write_bytes(whole(store, body))
        assert cached.run("check") == first, (path, odd)


@pytest.mark.slow
def test_flipped_bits_and_lost_ends_hide_nothing(cached: Project) -> None:
    project_with_everything(cached)
    first = cached.run("check")
    (store,) = cached.stores
    data = store.read_bytes()
    flips = [
        data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :] for at in range(0, len(data), 3) for bit in range(8)
    ]
    for spoiled in some([*flips, *(data[:end] for end in range(len(data)))], 100):
        store.write_bytes(spoiled)
        assert cached.run("check") == first


def test_a_place_where_nothing_can_be_written_is_no_hindrance(cached: Project) -> None:
    cached.write("a.py")
    cached.folder.write_text("a file")
    for _ in range(2):
        result = cached.check()
        assert result.looked == ["a.py"] and result.err == ""
    for place in ("a.py/below", "a.py", "x" * 5000, "/proc/nowhere"):
        assert cached.run("check", "--cache-dir", place).code == 1
    assert cached.folder.read_text() == "a file"


def test_a_folder_of_somebody_else_is_not_used(cached: Project) -> None:
    cached.write("a.py")
    cached.write("results/precious.txt", "1")
    cached.check("--cache-dir", "results")
    assert os.listdir("results") == ["precious.txt"]
    (cached.root / "empty").mkdir()
    cached.check("--cache-dir", "empty")
    assert cached.check("--cache-dir", "empty").looked == []
    assert {"CACHEDIR.TAG", ".gitignore"} < set(os.listdir("empty"))


def test_where_it_is(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    cached.write("a.py")
    cached.write("inner/pyproject.toml", "[tool.devlint]\n")
    cached.write("inner/b.py")
    cached.run("check")
    assert len(cached.stores) == 1
    assert cached.entries(next((cached.root / "inner" / ".devlint_cache").glob("*.json"))).keys() == {
        "inner/b.py",
        "inner/pyproject.toml",
    }
    cached.write("devlint.toml", 'cache-dir = "var/kept"\n')
    monkeypatch.chdir(cached.root / "inner")
    cached.run("check", "..")
    assert list((cached.root / "var" / "kept").glob("*.json"))
    monkeypatch.setenv("DEVLINT_CACHE_DIR", "from_environment")
    cached.run("check", "..")
    assert len(list(Path("from_environment").glob("*.json"))) == 1
    cached.run("check", "..", "--cache-dir", "from_option")
    assert list(Path("from_option").glob("*.json"))
    assert "b.py" in cached.run("check").out
    assert cached.run("check", "..").looked == ["../inner/b.py"]  # it was called b.py, and names may tell something
    assert cached.run("check", "..").looked == []


def test_nothing_is_made_where_nothing_is_kept(cached: Project) -> None:
    assert "no Python files" in cached.run("check").err
    cached.write("pyproject.toml", "[tool.devlint]\nselect = [1]\n")
    assert cached.run("check").code == 2
    assert cached.run("check", "missing.py", "--isolated").code == 2
    assert not cached.folder.exists()


def test_git_and_devlint_itself_leave_it_out(cached: Project) -> None:
    cached.write("a.py")
    cached.check()
    cached.write(".devlint_cache/b.py")
    assert "b.py" not in cached.check().out
    assert (cached.folder / ".gitignore").read_text() == "*\n"
    assert (cached.folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_files_that_are_no_more_are_forgotten(cached: Project) -> None:
    for name in ("a.py", "b.py", "c.py"):
        cached.write(name)
    cached.check()
    Path("b.py").unlink()
    cached.write("d.py")
    cached.check("c.py", "d.py")
    cached.check()
    assert set(cached.entries(max(cached.stores, key=lambda one: one.stat().st_size))) == {"a.py", "c.py", "d.py"}


def test_a_folder_that_another_run_makes_at_the_same_time_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").mkdir()
    assert folder.prepare_folder(str(tmp_path / "new"))
    answers = iter([False, True])
    monkeypatch.setattr(folder, "is_ours", lambda _: next(answers))
    assert folder.prepare_folder(str(tmp_path / "new"))
    monkeypatch.setattr(folder, "is_ours", lambda _: False)
    assert not folder.prepare_folder(str(tmp_path / "new"))


def test_it_stays_small(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_MOST", 3)
    monkeypatch.setattr(folder, "_MOST_OF_OTHERS", 2)
    cached.write("a.py")
    cached.run("check")
    (own,) = cached.stores
    code = own.name[:12]
    now = time.time()
    ages = {f"{code}-{n:020x}.json": n * 60 for n in range(5)}
    ages.update({f"{n:012x}-{'0' * 20}.json": n * 60 for n in range(1, 5)})
    ages.update({"notes.json": 10**8})
    for name, age in ages.items():
        (cached.folder / name).write_text("")
        os.utime(cached.folder / name, (now - age, now - age))
    cached.write("b.py")
    cached.run("check")
    left = {path.name for path in cached.folder.iterdir()} - {"CACHEDIR.TAG", ".gitignore"}
    expected = {own.name, *[f"{code}-{n:020x}.json" for n in (0, 1)]}
    expected |= {f"{n:012x}-{'0' * 20}.json" for n in (1, 2)}
    assert left == {*expected, "notes.json"}


def test_a_file_of_use_does_not_grow_old(cached: Project) -> None:
    cached.write("a.py")
    cached.run("check")
    (store,) = cached.stores
    os.utime(store, (1, 1))
    assert cached.run("check").looked == []
    lately = store.stat().st_mtime - 3600
    assert lately > 1
    os.utime(store, (lately, lately))
    assert cached.run("check").looked == []
    assert store.stat().st_mtime == pytest.approx(lately)


def test_an_interrupted_run_keeps_what_it_has_done(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py", "c.py"):
        cached.write(name)
    look = running.Runner.analyze

    def file(runner: Any, found: Any, contents: Any = None) -> Any:
        if found.path == "b.py":
            raise KeyboardInterrupt
        return look(runner, found, contents)

    with monkeypatch.context() as patched:
        patched.setattr(running.Runner, "analyze", file)
        assert cached.run("check").code == 130
    assert list(cached.entries()) == ["a.py"]
    assert cached.check().looked == ["b.py", "c.py"]


def process(project: Path, *arguments: str, program: str = "") -> subprocess.Popen[str]:
    """A run in a process of its own."""
    program = program or "from devlint.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(
        command, cwd=project, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.slow
def test_runs_at_the_same_time_do_not_harm_each_other(tmp_path: Path) -> None:
    for n in range(12):
        (tmp_path / f"file{n}.py").write_text(FINDING)
    calls = [("check", "-q", *(f"file{n}.py" for n in range(first, 12, 3))) for first in range(3)]
    for _ in range(2):
        outputs = []
        for running_one in [process(tmp_path, *call) for call in calls * 2]:
            out, err = running_one.communicate(timeout=300)
            assert (running_one.returncode, err) == (1, "")
            outputs.append(out)
        assert outputs[:3] == outputs[3:]
        assert all(out.count("DEV101") == 4 for out in outputs)
    left = [path.name for path in (tmp_path / ".devlint_cache").iterdir()]
    assert len(left) == 3 and not [name for name in left if name.endswith(".tmp")]
    (store,) = (tmp_path / ".devlint_cache").glob("*.json")
    assert store.read_bytes() == whole(store, store.read_bytes().partition(b"\n")[2])


def test_what_two_runs_find_is_kept(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that ends last has read the cache before the other one wrote."""
    cached.write("a.py")
    cached.write("b.py")
    look = running.Runner.analyze

    def file(runner: Any, found: Any, contents: Any = None) -> Any:
        if found.path == "a.py":
            process(cached.root, "check", "b.py").communicate(timeout=300)
        return look(runner, found, contents)

    with monkeypatch.context() as patched:
        patched.setattr(running.Runner, "analyze", file)
        cached.run("check", "a.py")
    assert set(cached.entries()) == {"a.py", "b.py"}


LOADED = """
import atexit, json, sys
atexit.register(lambda: print("\\n" + json.dumps(sorted(sys.modules))))
from devlint.cli import main
main()
"""


@pytest.mark.parametrize(
    "options", [("--output-format", "concise"), ("--output-format", "json"), ("-q",)], ids=" ".join
)
def test_a_warm_run_loads_no_parser(tmp_path: Path, options: tuple[str, ...]) -> None:
    for name, text in (("a.py", FINDING), ("b.py", CLEAN), ("c.sh", "export CUDA_VISIBLE_DEVICE=1\n"), ("d.py", PLAIN)):
        (tmp_path / name).write_text(text)
    (tmp_path / "n.ipynb").write_text(NOTEBOOK.replace("FIX", ".cuda()"))
    outputs = []
    for _ in range(2):
        out, err = process(tmp_path, "check", *options, program=LOADED).communicate(timeout=300)
        findings, _, modules = out.rpartition("\n{}".format("["))
        outputs.append((findings, err))
    assert outputs[0] == outputs[1] and "DEV101" in outputs[0][0]
    loaded = set(json.loads("[" + modules))
    unwanted = {
        "libcst",
        "hashlib",
        "devlint.engine.python_programs",
        "devlint.rules.base",
        "devlint.syntax.file_context",
        "devlint.analysis.names.scopes",
    }
    assert not loaded & unwanted


def test_clean_removes_caches_and_says_so(cached: Project) -> None:
    cached.write("a.py")
    cached.write("inner/pyproject.toml", "[tool.devlint]\n")
    cached.write("inner/b.py")
    cached.run("check")
    assert cached.run("clean").out == "Removed .devlint_cache\nRemoved inner/.devlint_cache\n"
    assert sorted(os.listdir()) == ["a.py", "inner"] and sorted(os.listdir("inner")) == ["b.py", "pyproject.toml"]
    result = cached.run("clean")
    assert (result.code, result.out) == (0, "No cache found.\n")
    cached.run("check")
    assert cached.run("clean", "inner").out == "Removed inner/.devlint_cache\n"
    assert cached.run("clean", ".devlint_cache").out == "Removed .devlint_cache\n"
    cached.run("check", "--cache-dir", "kept")
    assert cached.run("clean").out == "No cache found.\n"
    assert cached.run("clean", "--cache-dir", "kept").out == f"Removed {cached.root / 'kept'}\n"
    assert not Path("kept").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the paths would be too long")
def test_clean_goes_through_a_thousand_folders_and_no_links(cached: Project) -> None:
    cached.write("a/x.py")
    cached.run("check", "--cache-dir", "a/.devlint_cache")
    os.symlink("a", "link")
    os.symlink("circle", "circle")
    names = [*["d"] * 1100, ".devlint_cache"]
    try:
        for name in names:
            os.mkdir(name)
            os.chdir(name)
        Path("CACHEDIR.TAG").write_bytes(folder._SIGNATURE)
        os.chdir(cached.root)
        assert cached.run("clean").out.splitlines() == ["Removed a/.devlint_cache", f"Removed {'/'.join(names)}"]
    finally:  # pytest could not remove them
        for depth in range(len(names), 0, -1):
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(cached.root, *names[:depth]))
    assert not Path("d").exists()


def test_what_says_whose_a_cache_is_is_removed_last(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is ended in between leaves a cache that the next one knows."""
    cached.write("a.py")
    cached.run("check")
    removed: list[str] = []
    unlink = os.unlink

    def note(path: str) -> None:
        removed.append(os.path.basename(path))
        unlink(path)

    monkeypatch.setattr(folder.os, "unlink", note)
    cached.run("clean")
    assert len(removed) == 3 and removed[-1] == "CACHEDIR.TAG"


def test_clean_never_touches_what_is_not_devlints(cached: Project) -> None:
    cached.write("a.py")
    cached.write(".devlint_cache/precious.json", "1")
    cached.write("other/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# of another program\n")
    result = cached.run("clean", "--cache-dir", "other")
    assert result.code == 2 and result.err.count("is no cache of devlint's, left alone") == 2 and result.out == ""
    assert cached.folder.joinpath("precious.json").exists() and Path("other/CACHEDIR.TAG").exists()
    cached.run("check", "--cache-dir", "kept")
    cached.write("kept/precious.txt", "1")
    (cached.root / "kept" / "folder").mkdir()
    assert cached.run("clean", "--cache-dir", "kept").code == 2
    assert sorted(os.listdir("kept")) == ["folder", "precious.txt"]
    assert cached.run("clean", "missing").code == 2
