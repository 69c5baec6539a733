"""Only what changed: findings on lines added since a branch left another one, in repositories of real git."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import main
from devlint.core.errors import DevlintError
from devlint.sources.changed_lines import EVERYTHING, Changes
from devlint.sources.patches import added_by_patch, added_rows, line_of_file

HEAD = "import torch\n\n"
OLD = "x = torch.zeros(2).cuda()\n"
NEW = "y = torch.nn.Linear(3, 3).cuda()\n"
Run = Callable[..., "Result"]


@dataclass
class Result:
    code: Any
    out: str
    err: str

    @property
    def places(self) -> list[tuple[str, int]]:
        """File and row of each finding, of JSON output."""
        return [(os.path.relpath(one["filename"]), one["location"]["row"]) for one in json.loads(self.out)]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Any) -> Run:
    """devlint in an empty repository, with no configuration of git but its own."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "devlint")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "devlint@example.com")
    monkeypatch.chdir(folder)
    git("init", "-q", "-b", "main")

    def call(*arguments: str, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsysbinary.readouterr()
        return Result(left.value.code or 0, out.decode(), err.decode())

    return call


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def make(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode())


def commit(**files: str) -> None:
    """Commit everything, after writing ``a="…"`` to a.py and so on."""
    for name, text in files.items():
        make(f"{name}.py", text)
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", "a change")


def since(run: Run, *arguments: str, base: str = "main", err: str = "") -> list[tuple[str, int]]:
    """The places of the findings on lines that changed."""
    result = run("check", "--diff-base", base, "--output-format", "json", *arguments)
    assert (result.code, result.err) == (int(result.out != "[]\n"), err)
    return result.places


def test_committed_staged_unstaged_and_untracked_lines_count(run: Run) -> None:
    commit(a=HEAD + OLD, b=HEAD + OLD, c=HEAD + OLD)
    git("switch", "-q", "-c", "topic")
    commit(a=HEAD + OLD + NEW)
    assert since(run) == [("a.py", 4)]
    make("b.py", HEAD + NEW + OLD)
    git("add", "b.py")
    make("c.py", OLD + HEAD + OLD)
    make("d.py", HEAD + OLD)
    assert since(run) == [("a.py", 4), ("b.py", 3), ("c.py", 1), ("d.py", 3)]
    assert run("check").out.count("DEV101") == 7


def test_what_happened_on_the_other_branch_does_not_count(run: Run) -> None:
    commit(a=HEAD + OLD)
    git("switch", "-q", "-c", "topic")
    commit(b=HEAD + NEW)
    git("switch", "-q", "main")
    commit(a=HEAD + NEW, c=HEAD + NEW)
    git("switch", "-q", "topic")
    assert since(run) == [("b.py", 3)]


def test_a_clean_tree_has_no_findings_and_reads_no_file(run: Run) -> None:
    commit(a=HEAD + OLD, b="torch.cuda (\n")
    assert since(run) == []
    assert since(run, "a.py", "b.py", base="HEAD") == []


def test_a_finding_counts_when_one_of_its_rows_changed(run: Run) -> None:
    call = "y = torch.ones(3).cuda(\n    non_blocking={}\n)  # end{}\nz = 1{}\n"
    commit(a=HEAD + call.format("True", "", ""))
    for changed, places in (
        (("False", "", ""), [("a.py", 3)]),
        (("True", ".", ""), [("a.py", 3)]),
        (("True", "", "2"), []),
    ):
        make("a.py", HEAD + call.format(*changed))
        assert since(run) == places
    make("a.py", HEAD + call.format("True", "", "").replace("z = 1\n", ""))
    assert since(run) == []  # a line that went away is not a line that came


def test_renamed_files_are_followed(run: Run) -> None:
    rest = "".join(f"print({number})\n" for number in range(20))
    commit(a=HEAD + OLD + rest, b=HEAD + OLD + rest)
    git("mv", "a.py", "other.py")
    os.rename("b.py", "c.py")
    git("add", "-A")
    assert since(run) == []
    make("other.py", HEAD + OLD + rest + NEW)
    assert since(run) == [("other.py", 24)]
    text = Path("other.py").read_text()
    named = ("-", "--stdin-filename", "other.py", "--diff-base", "main", "--output-format", "json")
    assert run("check", *named, stdin=OLD + text).places == [("other.py", 1), ("other.py", 25)]
    git("commit", "-q", "-m", "renamed")
    assert run("check", *named, stdin=Path("c.py").read_text()).places == []


@pytest.mark.parametrize(
    "name", ["a b.py", "é.py", "tab\t.py", 'quote".py', "back\\slash.py", "new\nline.py", " and b.py"]
)
def test_names(run: Run, name: str) -> None:
    make(name, HEAD + OLD)
    commit()
    make(name, HEAD + NEW + OLD)
    assert since(run) == [(name, 3)]


def test_lines_that_look_like_those_of_a_patch(run: Run) -> None:
    text = "'''\n-- a/b.py\n++ b/b.py\n@@ -1 +1 @@\ndiff --git a/b.py b/b.py\n'''\n"
    commit(a=HEAD, b=HEAD + OLD)
    make("a.py", HEAD + text + NEW)
    assert since(run) == [("a.py", 9)]


def test_configuration_of_git_does_not_matter(run: Run) -> None:
    commit(a=HEAD + OLD + "\n" * 3 + "z = 1\n")
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.external": "false",
        "diff.context": "10",
        "diff.interHunkContext": "10",
        "diff.relative": "true",
        "diff.renames": "false",
        "diff.submodule": "diff",
        "color.ui": "always",
        "core.quotePath": "false",
    }.items():
        git("config", key, value)
    git("mv", "a.py", "b.py")
    make("b.py", HEAD + OLD + "\n" * 3 + "z = 2\n" + NEW)
    assert since(run) == [("b.py", 8)]
    os.environ["GIT_DIFF_OPTS"] = "-u20"
    try:
        assert since(run) == [("b.py", 8)]
    finally:
        del os.environ["GIT_DIFF_OPTS"]


def test_below_the_top_of_the_repository(run: Run) -> None:
    make("sub/a.py", HEAD + OLD)
    commit(b=HEAD + OLD)
    make("sub/a.py", HEAD + OLD + NEW)
    make("b.py", HEAD + OLD + NEW)
    os.chdir("sub")
    assert since(run) == [("a.py", 4)]
    assert since(run, "..") == [("../b.py", 4), ("a.py", 4)]


def test_a_worktree(run: Run, tmp_path: Path) -> None:
    commit(a=HEAD + OLD)
    git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "tree"))
    os.chdir(tmp_path / "tree")
    make("a.py", HEAD + NEW + OLD)
    assert since(run) == [("a.py", 3)]


def test_files_that_git_ignores_count_when_they_are_named(run: Run) -> None:
    make(".gitignore", "a.py\n")
    commit()
    make("a.py", HEAD + OLD)
    assert since(run) == []
    assert since(run, "a.py") == [("a.py", 3)]


def test_what_git_takes_for_no_text_counts_as_a_whole(run: Run) -> None:
    make(".gitattributes", "a.py binary\nb.py -diff\n")
    commit(a=HEAD + OLD, b=HEAD + OLD, c=HEAD + OLD)
    make("a.py", HEAD + OLD + "z = 1\n")
    assert since(run) == [("a.py", 3)]


def test_files_in_a_conflict(run: Run) -> None:
    commit(a=HEAD + OLD, b=HEAD + OLD)
    git("switch", "-q", "-c", "topic")
    commit(a=HEAD + OLD + NEW)
    git("switch", "-q", "main")
    commit(a=HEAD + OLD + "z = 1\n")
    assert subprocess.run(["git", "merge", "-q", "topic"], check=False, capture_output=True).returncode
    make("a.py", HEAD + OLD + NEW)  # solved, and not yet told to git
    assert ("a.py", 4) in since(run)


def test_submodules_are_repositories_of_their_own(run: Run, tmp_path: Path) -> None:
    commit(a=HEAD + OLD)
    git("init", "-q", "-b", "main", str(tmp_path / "other"))
    os.chdir(tmp_path / "other")
    commit(b=HEAD + OLD)
    os.chdir(tmp_path / "repository")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "other"), "sub")
    commit()
    make("sub/b.py", HEAD + OLD + NEW)
    assert since(run) == []
    assert since(run, base="HEAD~") == []
    os.chdir("sub")
    assert since(run) == [("b.py", 4)]


def test_links(run: Run, tmp_path: Path) -> None:
    make("sub/a.py", HEAD + OLD)
    tmp_path.joinpath("outside.py").write_text(HEAD + OLD)
    os.symlink("sub/a.py", "link.py")
    os.symlink(tmp_path / "outside.py", "far.py")
    commit()
    far = f"warning: far.py: is a symbolic link out of the project, to {os.path.realpath('far.py')}; skipped\n"
    assert since(run, err=far) == []
    make("sub/a.py", HEAD + OLD + NEW)
    assert since(run, err=far) == [("link.py", 4)]
    assert since(run, "sub") == [("sub/a.py", 4)]


def test_notebooks_by_the_rows_of_their_file(run: Run) -> None:
    def notebook(*cells: str) -> str:
        code = [{"cell_type": "code", "source": cell.splitlines(True), "metadata": {}, "outputs": []} for cell in cells]
        return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)

    make("a.ipynb", notebook("import torch", OLD))
    commit()
    make("a.ipynb", notebook("import torch", "1", OLD + NEW))
    found = run("check", "--diff-base", "main", "--output-format", "json")
    assert [(one["cell"], one["location"]["row"]) for one in json.loads(found.out)] == [(3, 2)]
    named = ("-", "--stdin-filename", "a.ipynb", "--diff-base", "main", "--output-format", "json")
    found = run("check", *named, stdin=notebook("import torch", OLD + "1", NEW).replace("\n", "\r\n"))
    assert [(one["cell"], one["location"]["row"]) for one in json.loads(found.out)] == [(3, 1)]
    assert run("fix", "--diff-base", "main").code == 0
    sources = ["".join(cell["source"]) for cell in json.loads(Path("a.ipynb").read_text())["cells"]]
    assert sources[2].splitlines() == [OLD.strip(), "y = torch.nn.Linear(3, 3).to(device)"]


def test_standard_input(run: Run) -> None:
    commit(a=HEAD + OLD, b=HEAD + OLD)
    make("a.py", HEAD + OLD + NEW)
    git("add", "a.py")
    named = ("--stdin-filename", "a.py", "--diff-base", "main", "--output-format", "json")
    assert run("check", "-", *named, stdin=HEAD + NEW + OLD).places == [("a.py", 3)]
    assert run("check", *named, stdin=HEAD.replace("\n", "\r\n") + OLD + NEW).places == [("a.py", 4)]
    assert run("check", *named, stdin=HEAD + OLD).places == []
    new = ("--stdin-filename", "new.py", "--diff-base", "main", "--output-format", "json")
    assert run("check", *new, stdin=HEAD + OLD).places == [("new.py", 3)]
    make("new.py", HEAD)
    git("add", "new.py")
    assert run("check", *new, stdin=HEAD + OLD).places == [("new.py", 3)]
    fixed = run("fix", "-", "--stdin-filename", "b.py", "--diff-base", "main", stdin=HEAD + OLD + NEW)
    assert OLD in fixed.out
    assert "y = torch.nn.Linear(3, 3).to(device)\n" in fixed.out
    nameless = run("check", "-", "--diff-base", "main", stdin=NEW)
    assert (nameless.code, "--diff-base needs --stdin-filename" in nameless.err) == (2, True)


def test_fixes_are_made_where_something_changed_and_whole(run: Run) -> None:
    commit(a=HEAD + "def f():\n    x = torch.zeros(2).cuda()\n    return x\n\n\nprint(f())\n")
    text = (
        HEAD
        + "def f():\n    x = torch.zeros(2).cuda()\n    return x\n\n\ny = torch.nn.Linear(3, 3).cuda()\nprint(f())\n"
    )
    make("a.py", text)
    result = run("fix", "--diff-base", "main")
    assert (result.code, result.err) == (0, "")
    assert Path("a.py").read_text() == text.replace("(3, 3).cuda()", "(3, 3).to(device)").replace(
        HEAD, HEAD + 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n'
    )


def test_the_rows_of_a_file_that_grew_above_them(run: Run) -> None:
    commit(a=HEAD + OLD)
    make("a.py", "import os\n" * 5 + HEAD + OLD.replace("\n", "\r\n"))
    git("config", "core.autocrlf", "input")
    assert since(run) == []


def test_with_a_baseline_a_finding_must_be_new_to_both(run: Run) -> None:
    commit(a=HEAD + OLD)
    run("baseline")
    known = ("--baseline", "devlint-baseline.json")
    make("a.py", HEAD + NEW + OLD)
    assert since(run, *known) == [("a.py", 3)]
    make("a.py", HEAD + OLD + OLD)  # one is known: that of the line that was there
    assert since(run, *known) == [("a.py", 4)]
    make("a.py", HEAD + OLD + "z = 1\n" + OLD)
    assert since(run, *known) == [("a.py", 5)]


def test_unused_suppressions_count_on_their_line(run: Run) -> None:
    commit(a=HEAD + "z = 1  # noqa: DEV101\n")
    make("a.py", HEAD + "z = 1  # noqa: DEV101\nz = 2  # noqa: DEV101\n")
    assert since(run) == [("a.py", 4)]


def test_files_that_are_no_python(run: Run) -> None:
    commit(a="import torch\n.cuda(\n", b="import torch\n")
    assert since(run, "a.py") == []
    Path("a.py").write_bytes(b"import torch\n.cuda(\n# \xff\n")
    Path("b.py").write_bytes(b"import torch\n.cuda(\n")
    assert [name for name, _ in since(run)] == ["a.py", "b.py"]


def error(run: Run, *arguments: str) -> str:
    """The one line that a run ends with."""
    result = run("check", *arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    return result.err.strip()


def test_no_repository(run: Run, tmp_path: Path) -> None:
    os.chdir(tmp_path)
    make("a.py", HEAD + OLD)
    assert error(run, "--diff-base", "main").startswith("error: --diff-base: git says: fatal: not a git repository")


def test_a_repository_without_files(run: Run, tmp_path: Path) -> None:
    git("init", "-q", "--bare", str(tmp_path / "bare"))
    os.chdir(tmp_path / "bare")
    assert "must be run in a work tree" in error(run, "--diff-base", "main")


@pytest.mark.parametrize("revision", ["mian", "", "-x", "--help", "main:a.py", "main..topic", "\0", "HEAD\n"])
def test_no_commit(run: Run, revision: str) -> None:
    commit(a=HEAD + OLD)
    assert f"--diff-base: {revision!r} is no commit of the git repository" in error(run, "--diff-base", revision)


def test_a_repository_without_commits(run: Run) -> None:
    make("a.py", HEAD + OLD)
    assert "'HEAD' is no commit" in error(run, "--diff-base", "HEAD")


def test_no_common_commit(run: Run) -> None:
    commit(a=HEAD)
    git("switch", "-q", "--orphan", "topic")
    commit(b=HEAD)
    assert error(run, "--diff-base", "main") == "error: --diff-base: 'main' and HEAD have no commit in common"


def test_a_shallow_clone(run: Run, tmp_path: Path) -> None:
    commit(a=HEAD)
    git("switch", "-q", "-c", "topic")
    commit(b=HEAD)
    git("switch", "-q", "main")
    commit(a=HEAD + OLD)
    url = Path.cwd().as_uri()
    git("clone", "-q", "--depth", "1", "--branch", "topic", url, str(tmp_path / "clone"))
    os.chdir(tmp_path / "clone")
    assert "'origin/main' is no commit" in error(run, "--diff-base", "origin/main")
    assert "fetch it first, this clone is shallow" in error(run, "--diff-base", "origin/main")
    git("fetch", "-q", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    assert error(run, "--diff-base", "origin/main").endswith("`git fetch --unshallow` brings the rest")
    git("fetch", "-q", "--unshallow")
    assert since(run, base="origin/main") == []


def test_paths_outside_the_repository(run: Run, tmp_path: Path) -> None:
    commit(a=HEAD)
    tmp_path.joinpath("b.py").write_text(HEAD + OLD)
    for paths in (("../b.py",), ("..",), ("a.py", "../b.py")):
        assert "is outside the git repository" in error(run, "--diff-base", "main", *paths)


def test_git_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/none")
    assert error(run, "--diff-base", "main") == "error: --diff-base needs git, which cannot be run"


def test_git_is_not_asked_without_need(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    make("a.py", HEAD)
    monkeypatch.setenv("PATH", "/none")
    assert run("check").code == 0


def test_changes_of_a_library(run: Run) -> None:
    commit(a=HEAD)
    make("a.py", HEAD + NEW)
    make("b.py", HEAD)
    changes = Changes("main")
    assert changes.rows(os.path.abspath("a.py")) == {3}
    assert changes.rows(os.path.abspath("b.py")) is EVERYTHING
    with pytest.raises(DevlintError, match="outside the git repository"):
        changes.check(["/"])


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        (b"", b"", set()),
        (b"a\nb\n", b"a\nb\n", set()),
        (b"a\nb\n", b"a\r\nb\r\n", set()),
        (b"a\nb\n", b"a\nx\nb\n", {2}),
        (b"a\nb\n", b"a\n", set()),
        (b"a\na\n", b"a\na\na\n", {3}),
        (b"a\nb\nc\n", b"x\nb\ny\n", {1, 3}),
        (b"a", b"a\n", {2}),
    ],
)
def test_added_rows(old: bytes, new: bytes, rows: set[int]) -> None:
    assert added_rows(old, new, line_of_file(b"a.py")) == rows


@pytest.mark.parametrize("lines", [[b"pass"] * 20_000, [b"%d" % number for number in range(20_000)]])
def test_long_texts_are_compared_roughly(lines: list[bytes]) -> None:
    start = time.process_time()
    changed = [b"new" if number % 2 else line for number, line in enumerate([b"first", *lines, b"last"])]
    rows = added_rows(b"\n".join(lines), b"\n".join(changed), line_of_file(b"a.py"))
    assert {1, 2, len(changed)} <= rows
    assert time.process_time() - start < 5


def test_patches_with_context_are_read_too() -> None:
    patch = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@ def f\n a\n-b\n+c\n+d\n e\n\\ No newline at end of file\n"
    assert list(added_by_patch(patch.splitlines(keepends=True))) == [(b"x", b"x", {2, 3})]
