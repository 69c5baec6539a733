"""What a report says of a project: files, folders, blockers, torch, work."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.config.finder import ConfigFinder
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from devlint.report.estimate import duration, time_range
from devlint.report.model import BlockerKind, MigrationReport, ReportedFile
from devlint.report.tally import Portability, Remedy
from tests.support.report_project import report_on, write_project


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> MigrationReport:
    return report_on(write_project(tmp_path_factory.mktemp("project") / "shop"))


@pytest.fixture(scope="module")
def files(report: MigrationReport) -> dict[str, ReportedFile]:
    return {one.name: one for one in report.files}


def test_each_file_is_as_portable_as_the_hardest_thing_in_it(files: dict[str, ReportedFile]) -> None:
    assert {name: one.portability for name, one in files.items()} == {
        "train.py": Portability.SAFE,
        "net/model.py": Portability.PORTABLE,
        "net/check.py": Portability.UNSAFE,
        "net/late.py": Portability.HAND,
        "kernels/fast.py": Portability.BLOCKED,
        "kernels/maybe.py": Portability.PORTABLE,
        "kernels/ops.cu": Portability.BLOCKED,
        "setup.py": Portability.BLOCKED,
        "stops.py": Portability.BLOCKED,
        "tools/text.py": Portability.NO_TORCH,
        "tools/broken.py": Portability.UNKNOWN,
        "try.ipynb": Portability.SAFE,
    }


def test_files_are_in_order_and_count_their_lines(report: MigrationReport, files: dict[str, ReportedFile]) -> None:
    assert list(files) == sorted(files)
    assert files["train.py"].lines == 3
    assert files["try.ipynb"].lines == 4
    assert report.tally.file_count == len(files)
    assert report.tally.line_count == sum(one.lines for one in report.files)


def test_shares_are_of_the_lines_in_files_with_torch(report: MigrationReport, files: dict[str, ReportedFile]) -> None:
    tally = report.tally
    counted = sum(one.lines for one in report.files) - files["tools/text.py"].lines
    portable = files["net/model.py"].lines + files["kernels/maybe.py"].lines
    safe = portable + files["train.py"].lines + files["try.ipynb"].lines
    assert tally.counted_lines == counted
    assert tally.portable_share == pytest.approx(portable / counted)
    assert tally.safe_share == pytest.approx(safe / counted)
    assert tally.unsafe_share == pytest.approx((safe + files["net/check.py"].lines) / counted)
    assert sum(part.width for part in tally.bar) == pytest.approx(1000, abs=1)


def test_folders_hold_all_below_them(report: MigrationReport) -> None:
    folders = {one.name: one.tally for one in report.folders}
    assert list(folders) == ["", "kernels/", "net/", "tools/"]
    assert folders[""] == report.tally
    assert folders["net/"].file_count == 3
    assert folders["kernels/"].blockers == 2


def test_what_blocks_is_told_from_what_is_optional(report: MigrationReport) -> None:
    found = {(Path(one.path).name, one.row, one.kind, one.is_optional) for one in report.blockers}
    assert found == {
        ("fast.py", 7, BlockerKind.TRITON, False),
        ("fast.py", 3, BlockerKind.LIBRARY, False),
        ("maybe.py", 4, BlockerKind.LIBRARY, True),
        ("ops.cu", 1, BlockerKind.KERNEL, False),
        ("setup.py", 4, BlockerKind.EXTENSION, False),
        ("stops.py", 3, BlockerKind.REQUIREMENT, False),
    } - {("fast.py", 3, BlockerKind.LIBRARY, False)}
    assert report.blockers[-1].is_optional
    (extension,) = (one for one in report.blockers if one.kind is BlockerKind.EXTENSION)
    assert extension.detail == "builds `ops` from 1 CUDA file"


def test_a_finding_has_its_fix_beside_it(files: dict[str, ReportedFile]) -> None:
    (finding,) = files["train.py"].findings
    assert (finding.code, finding.row, finding.remedy, finding.excerpt) == ("DEV101", 3, Remedy.SAFE, ())
    (place,) = finding.diff
    changed = [(pair.before and pair.before.text, pair.after and pair.after.text) for pair in place if pair.is_changed]
    assert changed == [
        (None, 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'),
        (None, ""),
        ("model = torch.nn.Linear(2, 2).cuda()", "model = torch.nn.Linear(2, 2).to(device)"),
    ]
    (before,) = (pair.before for pair in place if pair.before and pair.before.number == 3)
    assert [before.text[start:end] for start, end in before.marks] == ["cuda"]


def test_a_finding_without_a_fix_has_its_rows(files: dict[str, ReportedFile]) -> None:
    (finding,) = (one for one in files["net/late.py"].findings if one.code == "DEV302")
    assert finding.remedy is Remedy.HAND and finding.diff == ()
    assert [row.number for row in finding.excerpt] == [5, 6, 7]
    (marks,) = (row.marks for row in finding.excerpt if row.number == 6)
    assert marks


def test_a_notebook_is_told_by_cells(files: dict[str, ReportedFile]) -> None:
    (finding,) = files["try.ipynb"].findings
    assert (finding.cell, finding.row, finding.place) == (3, 1, "cell 3:1:19")
    rows = [pair.before for place in finding.diff for pair in place if pair.before]
    assert {row.cell for row in rows} <= {2, 3}
    shown = [row.text for row in rows if row.text]
    assert shown == ["import torch", "%matplotlib inline", "y = torch.ones(2).cuda()", "print(y)"]


def test_what_does_not_parse_is_listed(report: MigrationReport) -> None:
    assert [Path(path).name for path, _ in report.not_analyzed] == ["broken.py"]
    assert report.failures == ()


def test_the_rules_are_counted(report: MigrationReport) -> None:
    assert sum(one.count for one in report.rules) == report.tally.finding_count == len(report.findings)
    assert [one.count for one in report.rules] == sorted((one.count for one in report.rules), reverse=True)
    assert all(one.address.endswith(f"/{one.code}/") and one.name for one in report.rules)


def test_the_work_is_counts_times_assumptions(report: MigrationReport) -> None:
    work = {one.key: one for one in report.work}
    assert work["kernels"].count == 3  # two files with kernels, and the build of one
    assert work["stops"].count == 1
    assert work["safe"].count == report.tally.findings[Remedy.SAFE]
    assert all(one.total_low == one.count * one.low <= one.total_high for one in report.work)


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (0.2, "1 min"),
        (59.4, "59 min"),
        (60, "1 h"),
        (90, "1.5 h"),
        (480, "1 day"),
        (720, "1.5 days"),
        (9000, "19 days"),
    ],
)
def test_times_are_said_as_people_do(minutes: float, said: str) -> None:
    assert duration(minutes) == said


def test_ranges_of_times() -> None:
    assert time_range(0, 0) == "nothing"
    assert time_range(10, 30) == "10 to 30 min"
    assert time_range(30, 90) == "30 min to 1.5 h"
    assert time_range(480, 960) == "1 to 2 days"


def test_the_least_torch_is_that_of_the_code_and_of_its_fixes(tmp_path: Path) -> None:
    tmp_path.joinpath("a.py").write_text("import torch\n\nx = torch.accelerator.current_accelerator()\n")
    tmp_path.joinpath("b.py").write_text(
        "import torch\n\nif hasattr(torch.accelerator, 'empty_cache'):\n    torch.accelerator.empty_cache()\n"
    )
    tmp_path.joinpath("c.py").write_text(
        "import torch\n\ntry:\n    pass\nexcept torch.OutOfMemoryError:\n    pass\n\n\nscaler = torch.amp.GradScaler('cuda')\n"
    )
    need = report_on(tmp_path).torch
    assert (need.now, need.required) == ((2, 6), "")
    assert {one.name for one in need.reasons} >= {"torch.accelerator.current_accelerator", "torch.amp.GradScaler"}
    assert "torch.accelerator.empty_cache" not in {one.name for one in need.reasons}


def test_fixes_may_need_a_newer_torch(tmp_path: Path) -> None:
    tmp_path.joinpath("a.py").write_text("import torch as t\n\nmodel = t.nn.Linear(2, 2).cuda()\n")
    need = report_on(tmp_path, target="accelerator", **{"torch-min-version": "2.6"}).torch
    assert (need.now, need.fixed, need.required) == ((2, 0), (2, 6), "2.6")
    assert all(one.by_fixes for one in need.reasons)


def test_paths_that_are_not_there_fail(tmp_path: Path) -> None:
    report = report_on(tmp_path / "none.py", write_project(tmp_path / "project"))
    assert [Path(path).name for path, _ in report.failures] == ["none.py"]
    assert "none.py" not in {one.name for one in report.files}


def test_a_notebook_that_is_none_is_listed_and_no_failure(tmp_path: Path) -> None:
    tmp_path.joinpath("a.ipynb").write_text("version https://git-lfs.github.com/spec/v1\n")
    report = report_on(tmp_path)
    assert report.failures == () and len(report.not_analyzed) == 1


def test_comments_that_suppress_nothing_keep_no_file_from_being_portable(tmp_path: Path) -> None:
    tmp_path.joinpath("a.py").write_text("import torch\n\nx = 1  # noqa: DEV101\n")
    (file,) = report_on(tmp_path).files
    assert [one.code for one in file.findings] == ["DEV002"]
    assert file.portability is Portability.PORTABLE


def test_an_empty_folder_has_a_report(tmp_path: Path) -> None:
    report = report_on(tmp_path)
    assert report.files == () and report.tally.portable_share == 1 and report.work == ()


def test_what_the_report_says_of_fixes_is_what_they_do(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "shop")
    before = {one.name: one.portability for one in report_on(folder).files}
    finder = ConfigFinder(isolated=True)
    for _ in Runner(finder, Mode.FIX).run([str(folder)]):
        pass
    after = {one.name: one.portability for one in report_on(folder).files}
    fixed = {Portability.SAFE: Portability.PORTABLE}
    assert after == {name: fixed.get(portability, portability) for name, portability in before.items()}
