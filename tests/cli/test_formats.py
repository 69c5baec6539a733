"""The formats of other programs: exactly what they read, whatever names and messages hold."""

from __future__ import annotations

import json
import ntpath
import posixpath
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.formats import renderer
from devlint.cli.output.paths import portable, uri
from devlint.cli.output.style import Style
from devlint.config.option_table import FORMATS
from devlint.core.addresses import DOCUMENTATION, rule_address
from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Failure, Fix, Span
from devlint.sources.source import Source
from tests.support.paths import DATA, ROOT

SCHEMA = json.loads((DATA / "sarif/sarif-2.1.0.json").read_text(encoding="utf-8"))
ODD_NAME = "a b/é:%,;].py"
ODD_MESSAGE = '100%\r\n<b> ]]> & "q": é漢, a;b]\x1b\x00'
TEXT = "import torch\nx = y.cuda()\nf(\n  1)\n"


def context(root: Path, style: Style | None = None) -> RenderContext:
    names = {"DEV101": "cuda-method", "DEV102": "cuda-argument"}
    return RenderContext(style or Style(), names, lambda code: f"What {code} finds.\n\nMore.", "1.2", str(root))


def file(path: str = "a.py", message: str = "It is bad", text: str = TEXT) -> FileFindings:
    """A file with a safe fix on row 2, and a finding over rows 3 and 4."""
    source = Source.from_text(path, text)
    start = text.index(".cuda()")
    edits = (Edit(Span(0, 0), "import os\n"), Edit(Span(start, start + 7), ".to(device)"))
    fix = Fix(edits, Applicability.SAFE, "Replace it")
    rows = text.index("f("), text.index(")\n", start + 7) + 1
    found = [("DEV101", Span(start, start + 7), message, fix), ("DEV102", Span(*rows), "Over rows", None)]
    diagnostics = tuple(
        Diagnostic(path, code, words, span, source.location(span.start), source.location(span.end), how)
        for code, span, words, how in found
    )
    return FileFindings(path, diagnostics, (), source.line, source.location)


def failed(path: str = "none.py", message: str = "No such file") -> FileFindings:
    return FileFindings(path, (), (Failure(path, message),))


def render(name: str, *files: FileFindings, root: Path | None = None) -> str:
    return "".join(renderer(name)(files, context(root or Path.cwd())))


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_module_of_the_package_that_renders_is_in_the_table() -> None:
    package = ROOT / "devlint/cli/output"
    modules = {path.stem for path in package.glob("*.py") if "\ndef stream(" in path.read_text(encoding="utf-8")}
    assert modules == {one.module for one in FORMATS.values()}


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("json", "sarif", "gitlab", "junit")])
def test_lines_come_as_soon_as_their_file_is_done(name: str) -> None:
    def files() -> Any:
        yield file("a.py")
        pytest.fail("the first file is not shown yet")

    assert "a.py" in next(iter(renderer(name)(files(), context(Path.cwd()))))


def test_text_concise_and_grouped_leave_failures_to_standard_error() -> None:
    for name in ("text", "concise", "grouped"):
        assert render(name, failed()) == ""


def test_grouped() -> None:
    text = "\n" * 9 + TEXT
    assert render("grouped", file(), failed(), file("b\nc.py", ODD_MESSAGE, text)) == (
        "a.py:\n"
        "  2:6  DEV101 [*] It is bad\n"
        "  3:1  DEV102 Over rows\n"
        "\n"
        "b\ufffdc.py:\n"
        '  11:6  DEV101 [*] 100%\ufffd\ufffd<b> ]]> & "q": é漢, a;b]\ufffd\ufffd\n'
        "  12:1  DEV102 Over rows\n"
        "\n"
    )


def test_pylint() -> None:
    assert render("pylint", file(), failed(), file(ODD_NAME, ODD_MESSAGE)) == (
        "a.py:2: [DEV101(cuda-method), ] It is bad\n"
        "a.py:3: [DEV102(cuda-argument), ] Over rows\n"
        "none.py:1: [F0001(failure), ] No such file\n"
        'a b/é:%,;].py:2: [DEV101(cuda-method), ] 100%\ufffd\ufffd<b> ]]> & "q": é漢, a;b]\ufffd\ufffd\n'
        "a b/é:%,;].py:3: [DEV102(cuda-argument), ] Over rows\n"
    )


def test_github() -> None:
    assert render("github", file(), failed("x,y.py", "50%\nno"), file(ODD_NAME, ODD_MESSAGE)) == (
        "::error title=devlint DEV101 cuda-method,file=a.py,line=2,col=6,endColumn=13::a.py:2:6: DEV101 It is bad\n"
        "::error title=devlint DEV102 cuda-argument,file=a.py,line=3,endLine=4::a.py:3:1: DEV102 Over rows\n"
        "::error title=devlint,file=x%2Cy.py::x,y.py: 50%25%0Ano\n"
        "::error title=devlint DEV101 cuda-method,file=a b/é%3A%25%2C;].py,line=2,col=6,endColumn=13::"
        'a b/é:%25,;].py:2:6: DEV101 100%25%0D%0A<b> ]]> & "q": é漢, a;b]\ufffd\ufffd\n'
        "::error title=devlint DEV102 cuda-argument,file=a b/é%3A%25%2C;].py,line=3,endLine=4::"
        "a b/é:%25,;].py:3:1: DEV102 Over rows\n"
    )


def test_azure() -> None:
    assert render("azure", file(), failed("x;y.py", "50%\nno"), file(ODD_NAME, ODD_MESSAGE)) == (
        "##vso[task.logissue type=error;sourcepath=a.py;linenumber=2;columnnumber=6;code=DEV101;]It is bad\n"
        "##vso[task.logissue type=error;sourcepath=a.py;linenumber=3;columnnumber=1;code=DEV102;]Over rows\n"
        "##vso[task.logissue type=error;sourcepath=x%3By.py;]50%AZP25%0Ano\n"
        "##vso[task.logissue type=error;sourcepath=a b/é:%AZP25,%3B%5D.py;linenumber=2;columnnumber=6;code=DEV101;]"
        '100%AZP25%0D%0A<b> ]]> & "q": é漢, a;b]\ufffd\ufffd\n'
        "##vso[task.logissue type=error;sourcepath=a b/é:%AZP25,%3B%5D.py;linenumber=3;columnnumber=1;code=DEV102;]"
        "Over rows\n"
    )


def test_json_lines_are_the_objects_of_json(tmp_path: Path) -> None:
    lines = render("json-lines", file(ODD_NAME, ODD_MESSAGE), failed()).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(render("json", file(ODD_NAME, ODD_MESSAGE), failed()))
    first, _, last = map(json.loads, lines)
    assert (first["message"], first["filename"]) == (ODD_MESSAGE, str(tmp_path / ODD_NAME))
    assert last == {
        "cell": None,
        "code": None,
        "name": "failure",
        "message": "No such file",
        "filename": str(tmp_path / "none.py"),
        "location": {"row": 1, "column": 1},
        "end_location": {"row": 1, "column": 1},
        "fix": None,
        "noqa_row": None,
        "url": None,
    }
    assert render("json-lines") == ""


def test_gitlab() -> None:
    first, second, third, _ = json.loads(render("gitlab", failed("none.py", ODD_MESSAGE), file(), file(ODD_NAME)))[:4]
    assert first == {
        "description": ODD_MESSAGE,
        "check_name": "failure",
        "fingerprint": first["fingerprint"],
        "severity": "blocker",
        "location": {"path": "none.py", "lines": {"begin": 1, "end": 1}},
    }
    assert second == {
        "description": "DEV101: It is bad",
        "check_name": "DEV101",
        "fingerprint": "f270c249b21f0838fb9351555afb201e",
        "severity": "major",
        "location": {"path": "a.py", "lines": {"begin": 2, "end": 2}},
    }
    assert third["location"]["lines"] == {"begin": 3, "end": 4}
    assert render("gitlab") == "[]\n"


def prints(*files: FileFindings) -> list[str]:
    return [issue["fingerprint"] for issue in json.loads(render("gitlab", *files))]


def test_fingerprints_stay_where_lines_above_change_and_are_unique() -> None:
    assert prints(file()) == prints(file(text="# a\n\n" + TEXT))
    assert prints(file()) == prints(file(text=TEXT.replace("x = ", "    x = ")))
    assert prints(file()) == prints(file(message="Said in other words"))
    assert prints(file())[0] != prints(file(text=TEXT.replace("x = ", "z = ")))[0]
    twice = prints(file(), file())
    assert len(set(twice)) == 4
    assert twice[:2] == prints(file())
    assert not set(prints(file())) & set(prints(file("b.py")))


def test_junit() -> None:
    assert render("junit", file(message="a < b"), failed()) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="devlint" tests="3" failures="2" errors="1">\n'
        '  <testsuite name="a.py" tests="2" failures="2" errors="0">\n'
        '    <testcase name="DEV101 at 2:6" classname="a.py" file="a.py" line="2">\n'
        '      <failure type="DEV101" message="a &lt; b">a.py:2:6: DEV101 a &lt; b</failure>\n'
        "    </testcase>\n"
        '    <testcase name="DEV102 at 3:1" classname="a.py" file="a.py" line="3">\n'
        '      <failure type="DEV102" message="Over rows">a.py:3:1: DEV102 Over rows</failure>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        '  <testsuite name="none.py" tests="1" failures="0" errors="1">\n'
        '    <testcase name="devlint" classname="none.py" file="none.py">\n'
        '      <error message="No such file"/>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_junit_holds_what_xml_can() -> None:
    surrogate = "b\udcff.py"
    rendered = render("junit", file(ODD_NAME, ODD_MESSAGE), failed(surrogate, ODD_MESSAGE))
    suites = ElementTree.fromstring(rendered.encode())
    failure = suites.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message") == ODD_MESSAGE.replace("\x1b\x00", "\ufffd\ufffd")
    assert "]]>" not in rendered
    assert suites[0].get("name") == ODD_NAME
    assert suites[1].get("name") == "b\ufffd.py"


def test_junit_does_not_turn_text_around() -> None:
    rendered = render("junit", file("a\u202egnp.py", "b\u2066\x9bc\u2028"), failed("d\u200f.py", "\ufeffe"))
    assert not set(rendered) & set("\u202e\u2066\x9b\u2028\u200f\ufeff")
    assert ElementTree.fromstring(rendered)[0].get("name") == "a\ufffdgnp.py"


def test_junit_keeps_carriage_returns() -> None:
    rendered = render("junit", file("a\rb.py", "c\rd"))
    failure = ElementTree.fromstring(rendered).find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.text == "a\rb.py:2:6: DEV101 c\rd"
    assert "\r" not in rendered


def test_a_clean_run_is_a_passed_test() -> None:
    suites = ElementTree.fromstring(render("junit"))
    assert (suites.get("tests"), suites.get("failures"), len(suites.findall("testsuite/testcase"))) == ("1", "0", 1)


def sarif(*files: FileFindings, root: Path | None = None) -> Any:
    log = json.loads(render("sarif", *files, root=root))
    jsonschema.validate(log, SCHEMA)
    return log["runs"][0]


def test_sarif() -> None:
    run = sarif(file(), failed())
    result, other = run.pop("results")
    fingerprint = result.pop("partialFingerprints")["devlint/v1"]
    assert fingerprint == prints(file())[0]
    region = {"startLine": 2, "startColumn": 6, "endLine": 2, "endColumn": 13}
    start = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}
    assert result == {
        "ruleId": "DEV101",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "It is bad"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": region}}],
        "fixes": [
            {
                "description": {"text": "Replace it (safe fix)"},
                "artifactChanges": [
                    {
                        "artifactLocation": {"uri": "a.py"},
                        "replacements": [
                            {"deletedRegion": start, "insertedContent": {"text": "import os\n"}},
                            {"deletedRegion": region, "insertedContent": {"text": ".to(device)"}},
                        ],
                    }
                ],
            }
        ],
    }
    assert (other["ruleIndex"], "fixes" in other) == (1, False)
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["semanticVersion"]) == ("devlint", "1.2")
    assert driver["informationUri"] == DOCUMENTATION
    assert driver["rules"][0] == {
        "id": "DEV101",
        "name": "CudaMethod",
        "shortDescription": {"text": "What DEV101 finds."},
        "fullDescription": {"text": "What DEV101 finds."},
        "helpUri": rule_address("DEV101"),
        "help": {"text": "What DEV101 finds.\n\nMore.", "markdown": "What DEV101 finds.\n\nMore."},
        "defaultConfiguration": {"level": "error"},
    }
    assert run["columnKind"] == "unicodeCodePoints"
    notification = {
        "level": "error",
        "message": {"text": "No such file"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "none.py"}}}],
    }
    assert run["invocations"] == [{"executionSuccessful": False, "toolExecutionNotifications": [notification]}]


def test_sarif_of_a_clean_run() -> None:
    run = sarif()
    assert (run["results"], run["invocations"]) == ([], [{"executionSuccessful": True}])


def artifact(run: Any) -> Any:
    return run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def test_sarif_of_odd_names_and_messages(tmp_path: Path) -> None:
    run = sarif(file(ODD_NAME, ODD_MESSAGE))
    assert artifact(run) == "a%20b/%C3%A9%3A%25%2C%3B%5D.py"
    assert run["results"][0]["message"]["text"] == ODD_MESSAGE
    assert artifact(sarif(file("b\udcff.py"))) == "b%FF.py"
    assert artifact(sarif(file("a.py"), root=tmp_path.parent)) == f"{tmp_path.name}/a.py"
    assert artifact(sarif(file("a.py"), root=tmp_path / "elsewhere")) == (tmp_path / "a.py").as_uri()
    assert artifact(sarif(file("-"))) == "-"


def test_the_schema_is_strict_enough_to_trust() -> None:
    log = json.loads(render("sarif", file()))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, SCHEMA)


@pytest.mark.parametrize(
    ("path", "root", "shown", "as_uri"),
    [
        ("C:\\code\\a b\\c.py", "C:\\code", "a b/c.py", "a%20b/c.py"),
        ("C:\\other\\c.py", "C:\\code", "C:/other/c.py", "file:///C:/other/c.py"),
        ("D:\\c.py", "C:\\code", "D:/c.py", "file:///D:/c.py"),
        ("\\\\host\\share\\c.py", "C:\\code", "//host/share/c.py", "file:////host/share/c.py"),
        ("-", "C:\\code", "-", "-"),
    ],
)
def test_windows_paths(path: str, root: str, shown: str, as_uri: str) -> None:
    assert portable(path, root, ntpath) == shown
    assert uri(shown) == as_uri


def test_paths_stay_below_the_root() -> None:
    assert portable("/code/..a/b.py", "/code", posixpath) == "..a/b.py"
    assert portable("/other/b.py", "/code", posixpath) == "/other/b.py"
    assert portable("/code/a\\b.py", "/code", posixpath) == "a\\b.py"


def test_places_and_codes_are_links_where_the_terminal_shows_them(tmp_path: Path) -> None:
    linked = context(tmp_path, Style(linked=True))
    (line,) = renderer("concise")([FileFindings("a b.py", file("a b.py").diagnostics[:1])], linked)
    start, target, middle, end = "\x1b]8;;", (tmp_path / "a b.py").as_uri(), "#2\x1b\\", "\x1b]8;;\x1b\\"
    assert line.startswith(start + "file://")
    assert line.partition(middle)[0].endswith(target.removeprefix("file://"))
    code = f"{start}{rule_address('DEV101')}\x1b\\DEV101{end}"
    assert line.partition(middle)[2] == f"a b.py:2:6{end}: {code} [*] It is bad\n"
    (line,) = renderer("concise")([FileFindings("-", file("-").diagnostics[:1])], linked)
    assert line == f"-:2:6: {code} [*] It is bad\n"
    grouped = "".join(renderer("grouped")([FileFindings("-", file("-").diagnostics[:1])], linked))
    assert grouped == f"-:\n  2:6  {code} [*] It is bad\n\n"
