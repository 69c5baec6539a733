"""Which files are found: sorted, once, without what is ignored, and with one line for what cannot be read."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Failure
from devlint.sources.discovery import Found, Skipped, discover


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(*paths: str, text: str = "") -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


def found(*paths: str, **options: Any) -> list[str]:
    """The files found, and failures as ``path: message``."""
    items = discover(paths or ["."], ConfigFinder(**options))
    return [item.path if isinstance(item, Found) else f"{item.path}: {item.message}" for item in items]


def test_python_files_sorted_and_once() -> None:
    make("b.py", "a/z.py", "a/b.pyi", "a.py", "a-b.py", "c.txt", "d.ipynb", "script")
    expected = ["a-b.py", "a.py", "a/b.pyi", "a/z.py", "b.py", "d.ipynb"]
    assert found() == expected == sorted(expected)
    assert found("a", ".", "a/z.py") == ["a/b.pyi", "a/z.py", "a-b.py", "a.py", "b.py", "d.ipynb"]


@pytest.mark.parametrize(("given", "shown"), [(".", "a/b.py"), ("./", "a/b.py"), ("a", "a/b.py"), ("./a/", "a/b.py")])
def test_paths_are_shown_as_they_were_given(given: str, shown: str, tmp_path: Path) -> None:
    make("a/b.py")
    assert found(given) == [shown]
    assert found("./a/b.py") == ["a/b.py"]
    assert found(str(tmp_path)) == [str(tmp_path / "a/b.py")]
    assert found("a/../a") == ["a/../a/b.py"]


def test_a_file_named_after_its_folder_counts_as_named() -> None:
    make("a.py", "b.py")
    explicit = {one.path: one.explicit for one in discover([".", "b.py"], ConfigFinder()) if isinstance(one, Found)}
    assert explicit == {"a.py": False, "b.py": True}


def test_the_walk_is_lazy(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a/b.py", "c/d.py")
    opened: list[str] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: opened.append(path) or scandir(path))
    walk = discover(["."], ConfigFinder())
    next(walk)
    assert opened == [".", "a"]


def test_named_files_are_always_taken(tmp_path: Path) -> None:
    make("node_modules/a.py", "script", "gen/b.py", ".gitignore", text="gen\n")
    assert found("node_modules/a.py", "script", "gen/b.py") == ["node_modules/a.py", "script", "gen/b.py"]
    options = {"overrides": {"force-exclude": True, "extend-exclude": ["gen/"]}}
    assert found("node_modules/a.py", "script", "gen/b.py", **options) == ["script"]


def test_default_and_configured_excludes() -> None:
    make("build/a.py", ".venv/lib/b.py", "src/build/c.py", "src/ok.py", "src/gen/d.py", "src/e_pb2.py", "gen/f.py")
    assert found() == ["gen/f.py", "src/e_pb2.py", "src/gen/d.py", "src/ok.py"]
    make("devlint.toml", text='extend-exclude = ["src/gen", "*_pb2.py"]')
    assert found() == ["gen/f.py", "src/ok.py"]
    make("devlint.toml", text='exclude = ["./src"]')
    assert found() == [".venv/lib/b.py", "build/a.py", "gen/f.py"]
    make("devlint.toml", text=f'exclude = ["{os.path.abspath("src/*.py")}"]')
    assert found()[-2:] == ["src/build/c.py", "src/gen/d.py"]
    make("devlint.toml", text='exclude = ["src/"]')
    assert "src/ok.py" not in found()


@pytest.mark.parametrize("pattern", ["gen", "gen/", "/gen", "g*", "src/gen"])
def test_a_folder_that_was_asked_for_is_walked_although_it_is_excluded(pattern: str) -> None:
    make("src/gen/a.py", "gen/a.py")
    for name in ("devlint.toml", ".gitignore"):
        make(name, text=f'exclude = ["{pattern}"]' if name == "devlint.toml" else pattern)
        assert found("gen", "src/gen") == ["gen/a.py", "src/gen/a.py"]
        assert len(found()) < 2
        os.unlink(name)


def test_gitignore_nested_negated_and_anchored() -> None:
    make(".gitignore", text="*_gen.py\n/top.py\ncache/\n!keep_gen.py\n")
    make("a_gen.py", "keep_gen.py", "top.py", "sub/top.py", "sub/cache/x.py", "sub/b_gen.py", "sub/c.py", "cache.py")
    make("sub/.gitignore", text="c.py\n!b_gen.py\n# comment\n!\n")
    assert found() == ["cache.py", "keep_gen.py", "sub/b_gen.py", "sub/top.py"]
    assert found(overrides={"respect-gitignore": False})[0] == "a_gen.py"


def test_gitignore_of_the_repository_above_counts_but_not_beyond() -> None:
    make(".gitignore", text="*.py\n")
    make("repo/.gitignore", text="x.py\n")
    make("repo/.git/info/exclude", text="y.py\n/sub/z.py\n")
    make("repo/sub/x.py", "repo/sub/y.py", "repo/sub/z.py", "repo/sub/sub/z.py")
    assert found("repo/sub") == ["repo/sub/sub/z.py"]


def test_a_work_tree_finds_the_exclude_file_of_its_repository() -> None:
    make("main/.git/info/exclude", text="x.py\n")
    make("main/.git/worktrees/w/commondir", text="../..\n")
    make("w/.git", text="gitdir: ../main/.git/worktrees/w\n")
    make("w/x.py", "w/y.py")
    assert found("w") == ["w/y.py"]


def test_links_to_folders_are_not_followed_and_loops_do_no_harm() -> None:
    make("a/b.py")
    os.symlink("..", "a/loop")
    os.symlink("a", "z")
    assert found() == ["a/b.py"]
    assert found("z") == ["z/b.py"]
    assert found("a", "z") == ["a/b.py"]


def test_a_linked_file_is_taken_once() -> None:
    make("other/real.py")
    make("setup.cfg")
    os.makedirs("src")
    os.symlink("../other/real.py", "src/link.py")
    assert found("src") == ["src/link.py"]
    assert found("src", "other") == ["src/link.py"]


def test_a_link_out_of_the_project_is_skipped_unless_it_is_named() -> None:
    make("elsewhere/real.py", "elsewhere/deep/other.py", "src/a.py", "src/b/inner.py", "src-b.py")
    os.symlink("../elsewhere/real.py", "src/link.py")
    os.symlink("../src-b.py", "src/sibling.py")
    os.symlink("../a.py", "src/b/up.py")
    real = os.path.realpath("elsewhere/real.py")
    skipped = [
        f"src/link.py: is a symbolic link out of the project, to {real}; skipped",
        f"src/sibling.py: is a symbolic link out of the project, to {os.path.realpath('src-b.py')}; skipped",
    ]
    assert found("src") == ["src/a.py", "src/b/inner.py", *skipped]
    assert all(isinstance(one, Skipped) for one in list(discover(["src"], ConfigFinder()))[2:])
    assert found("src/b") == [
        "src/b/inner.py",
        f"src/b/up.py: {skipped[0].split(': ')[1].replace(real, os.path.realpath('src/a.py'))}",
    ]
    assert found("src/link.py") == ["src/link.py"]
    assert found("src", "elsewhere/real.py")[2] == "src/link.py"
    assert found("src", "elsewhere")[2] == "src/link.py"
    assert found(".") == ["elsewhere/deep/other.py", "elsewhere/real.py", "src-b.py", "src/a.py", "src/b/inner.py"]
    make("src/.git/config")
    assert found("src/b") == ["src/b/inner.py", "src/b/up.py"]


def test_broken_and_circular_links_are_one_line_each() -> None:
    make("ok.py")
    os.symlink("nowhere.py", "broken.py")
    os.symlink("circle.py", "circle.py")
    os.symlink("user@host.123", ".#ok.py")
    lines = found()
    assert [line.partition(":")[0] for line in lines] == ["broken.py", "circle.py", "ok.py"]
    assert lines[0] == "broken.py: No such file or directory"
    assert found("broken.py") == lines[:1]


def test_a_link_that_may_not_be_read_is_one_line_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``/proc/1/root`` for most users, in some containers for root, too."""
    make("a.py")
    os.symlink("a.py", "link.py")
    readlink, secret = os.readlink, os.path.abspath("link.py")

    def guarded(path: Any, *arguments: Any, **keywords: Any) -> Any:
        if os.path.abspath(path) == secret:
            raise PermissionError(13, "Permission denied", path)
        return readlink(path, *arguments, **keywords)

    monkeypatch.setattr(os, "readlink", guarded)
    assert found() == ["a.py", "link.py: Permission denied"]
    assert found("link.py", "a.py") == ["link.py: Permission denied", "a.py"]


def test_a_folder_named_like_a_file_is_a_folder() -> None:
    make("x.py/inner.py", "y.py/text.txt")
    assert found() == found("x.py", "y.py") == ["x.py/inner.py"]


def test_what_is_not_there_is_one_line_and_the_rest_goes_on() -> None:
    make("a.py")
    assert found("none.py", "a.py", "none.py") == ["none.py: No such file or directory", "a.py"]
    assert re.match("a\0.py: (stat: )?embedded null", found("a\0.py")[0])  # Python 3.13 says which call


def test_what_is_no_regular_file_is_left_alone() -> None:
    os.mkfifo("pipe.py")
    assert found() == []
    assert found("pipe.py") == ["pipe.py: is neither a file nor a folder"]


def test_a_folder_without_permission_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a/b.py", "c.py")
    scandir = os.scandir

    def guarded(path: str) -> Any:
        if path == "a":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert found() == ["a: Permission denied", "c.py"]


def test_a_wrong_configuration_is_one_line_and_other_folders_go_on() -> None:
    make("a/x.py", "a/sub/y.py", "b.py")
    make("a/devlint.toml", text="nonsense = 1\n")
    line = f"{os.path.abspath('a/devlint.toml')}: unknown key 'nonsense'"
    assert found() == [line, "b.py"]
    assert found("a/x.py", "a/sub/y.py", "b.py") == [line, "b.py"]


def test_settings_come_with_every_file() -> None:
    make("a/x.py", "b.py")
    make("a/devlint.toml", text="unsafe-fixes = true\n")
    items = {item.path: item for item in discover(["a", "b.py"], ConfigFinder()) if isinstance(item, Found)}
    assert items["a/x.py"].settings.unsafe_fixes
    assert not items["b.py"].settings.unsafe_fixes
    assert (items["a/x.py"].explicit, items["b.py"].explicit) == (False, True)


def test_failures_are_values() -> None:
    assert list(discover(["none"], ConfigFinder())) == [Failure("none", "No such file or directory")]


def test_a_folder_is_asked_for_only_the_configurations_that_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a/b/c.py", "a/b/d.py", "a/.gitignore", "a/pyproject.toml", "e/f.py")
    opened: list[str] = []
    monkeypatch.setattr(
        "devlint.core.file_reading.open",
        lambda path, *more, **named: opened.append(path) or open(path, *more, **named),  # noqa: SIM115 -- they close it
        raising=False,
    )
    assert found() == ["a/b/c.py", "a/b/d.py", "e/f.py"]
    inside = [os.path.relpath(path) for path in opened if path.startswith(os.getcwd() + os.sep)]
    assert inside == [os.path.join("a", name) for name in ("pyproject.toml", ".gitignore")]


def test_what_is_wrong_with_the_configuration_of_a_folder_is_said_under_each_of_its_names() -> None:
    make("real/devlint.toml", text="nonsense = 1\n")
    make("real/a.py")
    os.symlink("real", "link")
    line = "devlint.toml: unknown key 'nonsense'"
    assert found("real", "link") == [os.path.abspath(f"{name}/{line}") for name in ("real", "link")]
