"""The page about a run: what it counts, how it ranks, and what has changed since an earlier run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from devlint.core.errors import DevlintError
from devlint.fleet.audit import AuditRequest, open_audit
from devlint.fleet.engines.local import run_local
from devlint.fleet.overview import overview
from devlint.fleet.page import overview_page
from devlint.report.tally import Portability, Remedy
from tests.fleet.repositories import CUDA, rows
from tests.fleet.test_command import call


def run(source: Path, output: Path) -> Path:
    """The tables of a run."""
    list(open_audit(AuditRequest(str(source), str(output), partition_size=3)).run(run_local, 1))
    return output


@pytest.fixture
def audited(repositories: Path, tmp_path: Path) -> Path:
    (repositories / "plain").mkdir()
    (repositories / "plain" / "a.py").write_bytes(b"import os\n")
    return run(repositories, tmp_path / "audit")


def test_the_counts_are_those_of_the_tables(audited: Path) -> None:
    found = overview(str(audited))
    by_name = {one.name: one for one in found.repositories}
    assert {name: one.portability for name, one in by_name.items()} == {
        "alpha": Portability.SAFE,
        "beta": Portability.SAFE,
        "gamma": Portability.SAFE,
        "plain": Portability.NO_TORCH,
    }
    assert by_name["gamma"].tally.files[Portability.UNKNOWN] == 3
    findings = rows(audited, "findings")
    assert found.tally.finding_count == len(findings)
    assert found.tally.findings[Remedy.HAND] == sum(row["applicability"] is None for row in findings)
    assert sum(count for _, _, count, _ in found.rules) == len(findings)
    assert found.tally.file_count == len(rows(audited, "files"))
    assert found.repositories[0].name == "gamma"
    assert {why: count for why, count, _ in found.errors if "nested" in why} != {}
    assert (found.undone, found.added, found.removed) == (0, (), ())


def test_what_has_changed(audited: Path, repositories: Path, tmp_path: Path) -> None:
    (repositories / "alpha" / "train.py").write_bytes(b"# moved\n\n" + CUDA)
    (repositories / "alpha" / "more.py").write_bytes(CUDA)
    (repositories / "beta" / "main.py").write_bytes(b"import os\n")
    shutil.rmtree(repositories / "plain")
    (repositories / "added").mkdir()
    (repositories / "added" / "a.py").write_bytes(CUDA)
    found = overview(str(run(repositories, tmp_path / "later")), str(audited))
    changes = {one.name: (one.new, one.gone) for one in found.repositories}
    assert changes == {"added": (0, 0), "alpha": (1, 0), "beta": (0, 1), "gamma": (0, 0)}
    assert (found.added, found.removed) == (("added",), ("plain",))
    page = overview_page(found, "Ours", "audit")
    assert "Change since audit" in page
    assert "1 repositories are only in this run" in page


def test_names_are_text_on_the_page(repositories: Path, tmp_path: Path) -> None:
    (repositories / "<script>alert(1)<script>").mkdir()
    (repositories / "<script>alert(1)<script>" / "a.py").write_bytes(CUDA)
    page = overview_page(overview(str(run(repositories, tmp_path / "audit"))), "<b>", "")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>:" not in page


def test_a_part_of_a_run_says_so(audited: Path, tmp_path: Path) -> None:
    shutil.rmtree(audited / "partition=000001")
    result = call("report", audited, "-o", tmp_path / "page.html")
    assert result.output.endswith("; 1 partitions are not done.\n")
    assert "1 partition is not done" in (tmp_path / "page.html").read_text()


def test_the_command_writes_one_page(audited: Path, tmp_path: Path) -> None:
    result = call("report", audited, "-o", tmp_path / "page.html", "--since", audited, "--title", "Ours")
    assert result.output.startswith(f"Wrote {tmp_path / 'page.html'}: ")
    page = (tmp_path / "page.html").read_text()
    assert "Nothing has changed." in page
    assert 'src="' not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(DevlintError, match="holds no run"):
        overview(str(tmp_path))
