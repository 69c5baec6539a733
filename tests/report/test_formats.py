"""Every format of a report: what it holds, that it is the same each time, and that hostile names and texts are inert."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from devlint.cli.commands import command_line
from devlint.report.formats import REPORT_FORMATS, format_of, rendered_report
from devlint.report.markdown import code, inert_markdown
from devlint.report.model import MigrationReport
from devlint.report.pages import rendered_page
from devlint.report.tally import Portability, Tally
from devlint.report.treemap import TreeNode, tiles
from tests.support.report_project import report_on, write_project

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> MigrationReport:
    return report_on(write_project(tmp_path_factory.mktemp("project") / "shop"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> MigrationReport:
    """A project whose names and texts try to be something else: markup, formulas, tables, directions."""
    folder = tmp_path_factory.mktemp("hostile") / "=cmd|' <b>x"
    folder.mkdir()
    call = f'print("{HOSTILE}", "\u202e|`", torch.ones(2).cuda())  # ``` </style> &amp; {{{{ 7 * 7 }}}}\n'
    text = "import torch\n\n" + call
    for name in ("<img src=x onerror=alert(3)>.py", "a|b`c.py", "=1+1.py", "new\nline.py"):
        folder.joinpath(name).write_text(text, encoding="utf-8")
    if sys.platform == "linux":  # other systems have no such names
        Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.py")).write_text(text, encoding="utf-8")
    folder.joinpath("late.py").write_text(
        f'import os\nimport torch\n\ntorch.cuda.init()\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"  # {HOSTILE}\n',
    )
    return report_on(folder)


class Page(HTMLParser):
    """The elements of a page, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.scripts: list[tuple[dict[str, Any], str]] = []
        self._script: dict[str, Any] | None = None
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "script":
            self._script = dict(attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts.append((self._script, data))
        else:
            self.text += data


@pytest.mark.parametrize("name", REPORT_FORMATS)
def test_the_same_report_is_the_same_bytes(name: str, report: MigrationReport, tmp_path: Path) -> None:
    assert rendered_report(name, report) == rendered_report(name, report)
    assert rendered_report(name, report_on(tmp_path))


def test_the_page_has_all_in_it_and_nothing_from_elsewhere(report: MigrationReport) -> None:
    text = rendered_report("html", report)
    page = Page(text)
    assert not {"iframe", "object", "embed"} & set(page.tags)
    loaded = [value for name, value in page.attributes if name in ("src", "srcset", "action", "poster", "data")]
    assert loaded == []
    assert all(value in ("data:,",) or value.startswith("#") for name, value in page.attributes if name == "href")
    assert "@import" not in text and "url(http" not in text
    policy = next(value for name, value in page.attributes if value.startswith("default-src"))
    ((_, script),) = [one for one in page.scripts if not one[0]]
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy
    assert "unsafe-eval" not in policy and "script-src 'unsafe" not in policy


def test_the_page_shows_every_part(report: MigrationReport) -> None:
    page = Page(rendered_report("html", report))
    for said in (
        "What blocks",
        "The least torch",
        "An estimate of the work",
        "Not analyzed",
        "broken.py",
        "kernel",
    ):
        assert said in page.text, said
    ((_, text),) = [one for one in page.scripts if one[0]]
    data = json.loads(text)
    assert len(data["findings"]) == report.tally.finding_count
    assert data["files"] == [one.name for one in report.files]


def test_hostile_names_and_texts_are_text(hostile: MigrationReport) -> None:
    text = rendered_report("html", hostile)
    page = Page(text)
    assert "img" not in page.tags and "b" in page.tags
    assert page.tags.count("script") == 2 and page.tags.count("style") == 1
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "\u202e" not in text and "{{ 7 * 7 }}" in text.replace("\\u007b", "{")
    assert "<img src=x onerror=alert(3)>.py" in page.text
    ((_, data),) = [one for one in page.scripts if one[0]]
    assert any(HOSTILE in str(one) for one in json.loads(data)["findings"])


def test_hostile_names_and_texts_are_inert_in_markdown(hostile: MigrationReport) -> None:
    text = rendered_report("md", hostile)
    outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    assert not re.search(r"(?<!\\)<(?:img|script|b)\b", outside)
    rows = [line for line in outside.splitlines() if line.startswith("|")]
    assert rows and all(line.endswith("|") for line in rows)


@pytest.mark.parametrize("text", ["", "a", "`", "``", "a`b", "`a``b`", "|", "<b>"])
def test_code_in_markdown_is_closed_by_its_own_fence(text: str) -> None:
    shown = code(text)
    (fence,) = re.findall(r"^`+", shown)
    assert shown.endswith(fence) and f"`{text}`".count(fence) <= 1 or fence not in text


def test_plain_text_in_markdown_keeps_its_code() -> None:
    assert inert_markdown("use `a_b` <here>") == "use `a_b` \\<here\\>"
    assert inert_markdown("half `open") == "half \\`open"


def test_no_cell_of_the_table_is_a_formula(hostile: MigrationReport) -> None:
    rows = list(csv.reader(io.StringIO(rendered_report("csv", hostile))))
    assert len({len(row) for row in rows}) == 1
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]


def test_the_table_has_a_row_for_everything(report: MigrationReport) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered_report("csv", report))))
    kinds = [row["kind"] for row in rows]
    assert kinds.count("finding") == report.tally.finding_count
    assert kinds.count("blocker") == report.tally.blockers and kinds.count("optional blocker") == 1


def test_the_object_has_everything(report: MigrationReport) -> None:
    document = json.loads(rendered_report("json", report))
    assert (document["format"], document["version"]) == ("devlint-report", 1)
    assert sum(len(one["findings"]) for one in document["files"]) == report.tally.finding_count
    assert document["summary"]["portable_after_safe_fixes"] == round(report.tally.safe_share, 4)
    assert [Path(one["path"]).name for one in document["not_analyzed"]] == ["broken.py"]


def test_the_format_is_that_of_the_name() -> None:
    assert [format_of(one) for one in ("a.html", "a.HTM", "b.md", "c.csv", "d.json", "e.txt", "html")] == [
        *("html", "html", "md", "csv", "json"),
        None,
        "html",
    ]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["report", "--isolated", "--no-cache", *arguments], standalone_mode=False)


def test_the_command_writes_a_file_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_project(tmp_path / "shop"))
    result = run("-o", "out.md")
    assert (result.return_value, result.stderr) == (0, "")
    assert re.fullmatch(
        r"Wrote out\.md: \d+ findings in 12 files; \d+% portable, \d+% after safe fixes\.\n", result.stdout
    )
    first = Path("out.md").read_bytes()
    assert first.startswith(b"# shop: how portable is it?\n")
    assert run("-q", "-o", "out.md", ".").stdout == ""
    assert Path("out.md").read_bytes() == first, "an older report is no part of the project"
    assert run("--format", "md").stdout_bytes == first
    assert run("--title", "Mine", "-o", "out.md", "train.py").return_value == 0
    assert Path("out.md").read_bytes().startswith(b"# Mine: ")


def test_what_cannot_be_done_is_told_and_the_rest_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_project(tmp_path / "shop"))
    result = run("-o", "out.json", "none.py", "train.py")
    assert result.return_value == 2 and "none.py" in result.stderr
    assert len(json.loads(Path("out.json").read_text())["files"]) == 1
    assert "there is no report on standard input" in str(run("-").exception)
    assert "cannot be written" in str(run("-o", "no/out.md", "train.py").exception)


def test_without_jinja_the_page_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['jinja2'] = None; from devlint.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, "report", "--isolated", "--no-cache", "-q", str(tmp_path), "-o"]
    page = subprocess.run([*command, str(tmp_path / "a.html")], capture_output=True, text=True)
    assert page.returncode == 2 and page.stderr.count("\n") == 1 and "devlint[report]" in page.stderr
    assert subprocess.run([*command, str(tmp_path / "a.md")], capture_output=True).returncode == 0


def test_other_pages_can_be_made_of_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package's template, with our styles, script and parts."""
    folder = tmp_path / "other_pages_of_devlint"
    folder.joinpath("templates").mkdir(parents=True)
    folder.joinpath("__init__.py").write_text("")
    folder.joinpath("templates/own.html").write_text(
        '{% extends "base.html" %}{% from "macros.html" import share_bar, treemap, card with context %}'
        "{% block title %}{{ name }}{% endblock %}"
        '{% block main %}{{ share_bar(tally) }}{{ treemap(tiles, 300, 100, "all") }}{{ card(3, name) }}{% endblock %}'
    )
    monkeypatch.syspath_prepend(tmp_path)
    root = TreeNode("", 3, "folder", "", "", (TreeNode("a", 2, "safe", "a", "<a>"), TreeNode("b", 1, "blocked")))
    tally = Tally({Portability.SAFE: 1}, {Portability.SAFE: 3}, {})
    values = {"name": "<i>", "tally": tally, "tiles": tiles(root, 300, 100)}
    page = Page(rendered_page("own.html", values, "other_pages_of_devlint"))
    assert page.tags.count("g") == 3 and "i" not in page.tags and page.tags.count("script") == 1
    assert ("data-label", "<a>") in page.attributes
