"""Fixes are chosen, made, checked and settled; a rule that breaks a file is named, and the file keeps its text."""

from __future__ import annotations

import codecs
import gc
import weakref
from collections.abc import Iterable
from typing import Any

import libcst as cst
import pytest

from devlint.core.diagnostic import Diagnostic, Edit, Failure, Span
from devlint.core.target import Target
from devlint.engine import python_programs
from devlint.engine.analyze import analyzed
from devlint.engine.finding_filter import FindingFilter
from devlint.engine.fixpoint import Analysis, apply_fixes
from devlint.engine.python_programs import ProgramAnalysis
from devlint.engine.report import FileReport
from devlint.engine.request import Request, Result
from devlint.engine.tool_findings import syntax_diagnostic
from devlint.rules.base import Rule
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.syntax import edits, parse_cache
from devlint.syntax.file_context import FileContext
from tests.support import engine
from tests.support.rule_cases import found, rule, source

CUDA = Target()
HEAD = 'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


def rewrite(code: str, wanted: str, text: str, line: str = "", caveat: str | None = None) -> type[Rule]:
    """A rule that replaces the name ``wanted`` by a text, and adds a line to the top of the file."""

    def visit_Name(self: Rule, node: cst.Name) -> None:
        if node.value == wanted:
            changes = [edits.replace(self.ctx, node, text), *([Edit(Span(0, 0), line)] if line else [])]
            self.report(node, f"{wanted} to {text}", edits.as_fix("Rewrite", changes, caveat))

    return type("Rewrite", (Rule,), {"code": code, "name": code.lower(), "visit_Name": visit_Name})


def fix(text: str, *rules: type[Rule], unsafe: bool = False) -> Result:
    return engine.fix(source(text), rules, CUDA, unsafe)


GOOD = rewrite("DEV901", "a", "b")
UNSAFE = rewrite("DEV902", "c", "d", caveat="it may not be")
NEEDS_IMPORT = rewrite("DEV903", "x", "os.sep", "import os\n")
NEEDS_IMPORT_TOO = rewrite("DEV904", "y", "os.path", "import os\n")


def test_all_fixes_of_all_rules_are_made() -> None:
    result = fix("a = 0\na = a\nc = 1\n", GOOD, UNSAFE, unsafe=True)
    assert (result.text, result.diagnostics, result.failure) == ("b = 0\nb = b\nd = 1\n", (), None)
    assert [(one.code, one.location.row, one.location.column) for one in result.applied] == [
        ("DEV901", 1, 1),
        ("DEV901", 2, 1),
        ("DEV901", 2, 5),
        ("DEV902", 3, 1),
    ]


def test_unsafe_fixes_are_made_when_asked_for() -> None:
    result = fix("a = c\n", GOOD, UNSAFE)
    assert result.text == "b = c\n"
    assert [one.code for one in result.applied] == ["DEV901"]
    assert [one.code for one in result.diagnostics] == ["DEV902"]


def test_a_fix_that_is_not_chosen_is_left_out_in_every_pass() -> None:
    rule = rewrite("DEV906", "a", "abs")
    asked = []

    def chooses(diagnostic: Diagnostic, origin: Span) -> bool:
        asked.append(origin)
        return origin != Span(9, 10)

    result = engine.fix(source("print(a, a, a)\n"), [rule], CUDA, chooses_fix=chooses)
    assert result.text == "print(abs, a, abs)\n"
    assert asked == [Span(6, 7), Span(9, 10), Span(12, 13), Span(9, 10)]
    assert [one.span for one in result.diagnostics] == [Span(11, 12)]


def test_a_file_with_nothing_to_fix() -> None:
    result = fix("z = 1\n", GOOD)
    assert result == Result("z = 1\n")


def test_nested_fixes_are_all_made() -> None:
    text = f"{HEAD}y = net(net(x.cuda(None, True)).cuda(), z.cuda()).cuda()\n"
    result = fix(text, rule("DEV101"))
    assert result.text == f"{HEAD}y = net(net(x.to(device, non_blocking=True)).to(device), z.to(device)).to(device)\n"
    assert (len(result.applied), result.diagnostics) == (4, ())


def test_equal_edits_merge() -> None:
    result = fix("# first\nx = y = 1\n", NEEDS_IMPORT, NEEDS_IMPORT_TOO)
    assert result.text == "import os\n# first\nos.sep = os.path = 1\n"
    assert len(result.applied) == 2


def test_touching_edits_wait_for_the_next_pass() -> None:
    def visit_Name(self: Rule, node: cst.Name) -> None:
        if node.value in ("a", "b"):
            self.report(
                node,
                f"after {node.value}",
                edits.as_fix("Append", [edits.insert_after(self.ctx, node, "_1")]),
            )

    append = type("Append", (Rule,), {"code": "DEV905", "name": "append", "visit_Name": visit_Name})
    result = fix("a = 1\n", GOOD, append)
    assert result.text == "b_1 = 1\n"
    assert [one.message for one in result.applied] == ["a to b", "after b"]


def test_a_fix_is_made_whole_or_not_at_all() -> None:
    def visit_Assign(self: Rule, node: cst.Assign) -> None:
        if self.ctx.text_of(node.value) == "z":
            changes = [
                edits.replace(self.ctx, node.targets[0].target, "w"),
                edits.replace(self.ctx, node.value, "1"),
            ]
            self.report(node.targets[0].target, "both sides", edits.as_fix("Rewrite", changes))

    both = type("Both", (Rule,), {"code": "DEV906", "name": "both", "visit_Assign": visit_Assign})
    result = fix("z = 0\na = z\n", GOOD, both)
    assert result.text == "z = 0\nw = 1\n"
    assert [one.message for one in result.applied] == ["a to b", "both sides"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(", "does not parse"),
        ("(yield)", "does not compile"),
        ("nowhere", "uses undefined names: nowhere"),
        (f"{'(' * 300}x{')' * 300}", "does not parse"),
        ("(x)", "did not settle in 10 passes"),
    ],
)
def test_a_rule_that_makes_a_file_worse_is_named_and_the_others_go_on(text: str, reason: str) -> None:
    result = fix("a = 0\ny = x\n", GOOD, rewrite("DEV911", "x", text))
    assert result.text == "b = 0\ny = x\n"
    assert result.failure is not None
    assert "fix of DEV911 not applied" in result.failure.message and reason in result.failure.message
    assert [one.code for one in result.applied] == ["DEV901"]
    assert {one.code for one in result.diagnostics} == {"DEV911"}


def test_a_rule_that_changes_what_its_edits_do_not_touch_is_named() -> None:
    result = fix("a = 0\nx; y = 1\n", GOOD, rewrite("DEV911", "x", "if 1: x"))
    assert result.text == "b = 0\nx; y = 1\n"
    assert result.failure is not None
    assert result.failure.message.endswith(": the result changes what the fix does not touch, in line 2")


def rename(code: str, row: int, name: str = "q") -> type[Rule]:
    """A rule that calls ``p`` by another name in one row."""

    def visit_Name(self: Rule, node: cst.Name) -> None:
        if node.value == "p" and self.ctx.source.location(self.ctx.span(node).start).row == row:
            self.report(node, "p to q", edits.as_fix("Rename", [edits.replace(self.ctx, node, name)]))

    return type("Rename", (Rule,), {"code": code, "name": "rename", "visit_Name": visit_Name})


def test_fixes_that_only_break_a_file_together() -> None:
    text = "p = 1\np = 2\na = p\n"
    assert fix(text, rename("DEV911", 1)).text == "q = 1\np = 2\na = p\n"
    result = fix(text, GOOD, rename("DEV911", 1), rename("DEV912", 2))
    assert result.failure is not None
    assert result.failure.message == "fix of DEV912 not applied, please report it: the result uses undefined names: p"
    assert result.text == "q = 1\np = 2\nb = p\n"


TOGETHER = """\
import torch


def f(use_cuda):
    x = torch.ones(2)
    if use_cuda:
        x = x.cuda()
    use_cuda = not use_cuda
    y = torch.ones(2)
    if use_cuda:
        y = y.cuda()
    return x, y


print(f(True))
"""


def test_fixes_that_define_the_same_name_follow_each_other() -> None:
    """The first defines ``device`` for the module; the second would have one of the function, which hides that."""
    result = fix(TOGETHER, rule("DEV105"))
    assert result.failure is None and len(result.applied) == 2
    assert result.text.count("device = ") == 1 and ".cuda()" not in result.text


def test_no_fix_defines_a_name_that_another_one_hides() -> None:
    """The backend would ask a device of the module, of which nothing would be left but the card in the function."""
    text = """
    import torch

    def f(rank):
        x = torch.ones(2).cuda(rank)
        torch.distributed.init_process_group("nccl")
        return x

    print(f(1))
    """
    result = engine.fix(
        source(text), [rule("DEV106"), rule("DEV505")], Target("accelerator", torch_min_version=(2, 6)), True
    )
    assert len(result.applied) == 2 and result.text.count("device = ") == 1


def test_several_bad_rules_are_all_left_out() -> None:
    result = fix("a = x\nx = y = 0\n", GOOD, rewrite("DEV911", "x", "("), rewrite("DEV912", "y", ")"))
    assert result.text == "b = x\nx = y = 0\n"
    assert result.failure is not None and "not applied" in result.failure.message


def test_what_was_wrong_before_is_not_held_against_a_fix() -> None:
    assert fix("a = nowhere\nreturn a\n", GOOD).text == "b = nowhere\nreturn b\n"


SUPPRESSED = [
    ("DEV101", f"{HEAD}y = x.cuda()  # noqa: DEV101\n"),
    ("DEV101", f"{HEAD}y = x.cuda()  # devlint: ignore[DEV101] why\n"),
    ("DEV105", f"{HEAD}if torch.cuda.is_available():\n    x = x.cuda()  # noqa: DEV105\n"),
    ("DEV105", f"{HEAD}if torch.cuda.is_available():\n    x = x.cuda()  # noqa: DEV105\n    y = y.cuda()\n"),
    ("DEV105", f"{HEAD}if torch.cuda.is_available():  # noqa: DEV105\n    x = x.cuda()\n"),
    ("DEV205", "import torch\n\ncuda = torch.cuda.is_available()\nTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\nx = Tensor(3)  # noqa: DEV205\n"),
    ("DEV205", "import torch\n\ncuda = torch.cuda.is_available()\nTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor  # noqa: DEV205\nx = Tensor(3)\n"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), SUPPRESSED)
def test_suppressed_lines_are_never_rewritten(code: str, text: str) -> None:
    bare = text.replace("  # noqa: " + code, "").replace(f"  # devlint: ignore[{code}] why", "")
    changed = fix(bare, rule(code), unsafe=True).text
    assert changed != bare
    result = fix(text, rule(code), unsafe=True)
    kept = [line for line in text.splitlines() if code in line]
    assert [line for line in result.text.splitlines() if code in line] == kept
    assert result.failure is None


def test_a_suppressed_line_is_not_moved_under_a_test_of_its_neighbours() -> None:
    text = "import torch\ntorch.cuda.reset_peak_memory_stats()  # noqa: DEV501\ntorch.cuda.synchronize()\n"
    assert fix(text, rule("DEV501")).text == text


def test_a_line_beside_a_suppressed_one_is_rewritten() -> None:
    text = f"{HEAD}y = x.cuda()  # noqa: DEV101\nz = x.cuda()\n"
    assert fix(text, rule("DEV101")).text == f"{HEAD}y = x.cuda()  # noqa: DEV101\nz = x.to(device)\n"


def test_async_is_renamed_and_the_rest_fixed_afterwards() -> None:
    text = "import torch\n\nx = torch.ones(1).cuda(async=True)\nasync def f(): pass\ny = x.cuda(async = False)\n"
    (finding,) = engine.lint(source(text), [rule("DEV101")], CUDA).diagnostics
    assert finding.code == "DEV001" and finding.fix is not None and "non_blocking" in finding.message
    assert finding.location.row == 3
    result = fix(text, rule("DEV101"))
    assert result.text == (
        'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n'
        "x = torch.ones(1).to(device, non_blocking=True)\nasync def f(): pass\n"
        "y = x.to(device, non_blocking = False)\n"
    )
    assert [one.code for one in result.applied] == ["DEV001", "DEV101", "DEV101"]


def test_async_is_renamed_in_the_innermost_call_alone() -> None:
    text = "y = f(x.cuda(len(x), async=True), x[0].to((1), async=False))\n"
    assert fix(text, GOOD).text == text.replace("async", "non_blocking")


@pytest.mark.parametrize(
    "text",
    [
        "Pool(x.cuda(), async=True)\n",
        "def f(:\n",
        'print "x"\n',
        "x = (\n",
        "if x:\ny\n",
        "x = 'a\n",
        "f(async=True\n",
        "f(async=True)\n",
        "Pool(async=x.cuda(async=1))\n",
    ],
)
def test_a_file_that_does_not_parse_is_reported_and_left(text: str) -> None:
    result = fix(text, GOOD)
    assert (result.text, result.applied, result.failure) == (text, (), None)
    assert [one.code for one in result.diagnostics] == ["DEV001"]


@pytest.mark.parametrize("text", [f"x = {'(' * 300}1{')' * 300}\n", f"x = a{'.b' * 600}\n"])
def test_a_file_that_is_too_much_is_a_failure_and_left(text: str) -> None:
    result = fix(text, GOOD)
    assert (result.text, result.applied, result.diagnostics) == (text, (), ())
    assert result.failure is not None and result.failure.message.endswith("left alone")


BYTES = [
    b"import torch\ny = x.cuda()\n",
    b"import torch\r\ny = x.cuda()\r\n",
    b"import torch\r\ny = x.cuda()",
    b"import torch\r\ny = x.cuda()\nz = 1\r\n",
    codecs.BOM_UTF8 + b"import torch\ny = x.cuda()\n",
    codecs.BOM_UTF8 + "import torch\r\ny = x.cuda()  # é\r\n".encode(),
    "# -*- coding: latin-1 -*-\nimport torch\ns = 'é'; y = x.cuda()  # ü\n".encode("latin-1"),
    "s = '漢😀'; import torch\ny = x.names('é') or x.cuda()\n".encode(),
    b"import torch\n\x0c\ny = x.cuda()\n",
    b"import torch\n\x0cy = x.cuda()\n",
    b"import torch\n\x0c\x0cs = 1\n\x0cy = x.cuda()\n",
    b"import torch\ny = x.cuda() \x0c # a\x0cb\n",
    b"import torch\nif x:\n\ty = x.cuda()  \n\n\n",
    b"import torch\nif x:\n    y = x.cuda()\n    y = x.cuda()\n\n\n  # why\n\n\n",
    b"import torch\nif x:\n    y = x.cuda()\n    y = x.cuda()\n  # why\n   ",
    b"import torch\nif x:\n  y = x.cuda() \\\n    .float()\n",
]


@pytest.mark.parametrize("data", BYTES)
def test_bytes_outside_a_fix_stay(data: bytes) -> None:
    text = b'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    newline = b"\r\n" if b"\r\n" in data else b"\r" if b"\r" in data else b"\n"
    data = data.replace(b"import torch" + newline, b"import torch" + newline + text + newline, 1)
    before = Source.from_bytes("case.py", data)
    result = engine.fix(before, [rule("DEV101")], CUDA)
    assert result.failure is None
    assert before.to_bytes(result.text) == data.replace(b".cuda()", b".to(device)")


def test_lines_that_are_added_end_as_the_file_does() -> None:
    before = Source.from_bytes("case.py", codecs.BOM_UTF8 + b"import torch\r\n\r\ny = torch.ones(1).cuda()\r\n")
    result = engine.fix(before, [rule("DEV101")], CUDA)
    assert before.to_bytes(result.text) == codecs.BOM_UTF8 + (
        b'import torch\r\n\r\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\r\n\r\n'
        b"y = torch.ones(1).to(device)\r\n"
    )


def test_what_cannot_be_encoded_is_not_written() -> None:
    text = "# coding: latin-1\na = 1\n"
    data = Source.from_bytes("case.py", text.encode("latin-1"))
    result = engine.fix(data, [rewrite("DEV911", "a", "漢")], CUDA)
    assert result.text == text
    assert result.failure is not None and "cannot be encoded" in result.failure.message


def test_findings_come_in_the_order_of_the_file() -> None:
    text = f"{HEAD}y = x.cuda()\nif torch.cuda.is_available():\n    y = x.cuda()\nz = x.cuda()\n"
    result = engine.lint(source(text), [rule("DEV105"), rule("DEV101")], CUDA)
    assert [(one.location.row, one.code) for one in result.diagnostics] == [(4, "DEV101"), (6, "DEV105"), (7, "DEV101")]
    assert found("DEV101", text) == tuple(one for one in result.diagnostics if one.code == "DEV101")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("a\n", "b = 1\n", None),
        ("a\n", "b\n", "undefined names: b"),
        ("import a\na\n", "a\n", "undefined names: a"),
        ("a = 1\n", "return\n", "does not compile"),
        ("return\n", "return 1\n", None),
        ("a = 1\n", "a = \n", "does not parse"),
        ("a()\nimport a\n", "b()\nimport b\n", None),
        ("import a\n", "b = a.c\nimport a\n", "may read names before they are bound: a"),
        ("def f():\n    a = 1\n", "def f():\n    print(a)\n    a = 1\n", "may read names before they are bound: a"),
        ("a = 1  # why\n", "a = 2\n", "lacks a comment: # why"),
        ("a = 1  # why\n", "# why\na = 2\n", None),
        ("from a import *\nb\n", "from a import *\nb.c\n", None),
        ("from a import *\nb\n", "from a import *\nc\n", "undefined names: c"),
    ],
)
def test_worse(before: str, after: str, complaint: str | None) -> None:
    with ProgramAnalysis(Request(FindingFilter())) as analysis:
        answer = analysis.complaint(source(before), after)
    assert answer is None if complaint is None else answer is not None and complaint in answer


def test_a_text_that_libcst_does_not_give_back(monkeypatch: pytest.MonkeyPatch) -> None:
    code = cst.Module.code.fget
    assert code is not None
    monkeypatch.setattr(cst.Module, "code", property(lambda module: code(module).replace("lost", "")))
    with ProgramAnalysis(Request(FindingFilter())) as analysis:
        assert analysis.complaint(source("a\n"), "a.lost\n") == "LibCST does not give back the result"
        assert analysis.complaint(source("a.lost\n"), "(a.lost)\n") is None
        assert analysis.complaint(source("a.\n"), "a.lost\n") is None


@pytest.mark.parametrize(("most", "fixes"), [(9, 3), (8, 1)])
def test_a_fix_with_very_many_edits_is_kept_once(monkeypatch: pytest.MonkeyPatch, most: int, fixes: int) -> None:
    def visit_Module(self: Rule, node: cst.Module) -> None:
        shared = edits.as_fix("Rewrite", [Edit(Span(at, at + 1), "b") for at in (0, 4, 8)])
        for assignment in node.body:
            self.report(assignment, "a to b", shared)

    sharing = type("Sharing", (Rule,), {"code": "DEV907", "name": "sharing", "visit_Module": visit_Module})
    monkeypatch.setattr(python_programs, "_MOST_EDITS", most)
    found = engine.lint(source("a=0\na=0\na=0\n"), [sharing], CUDA).diagnostics
    assert [one.fix is not None for one in found] == [True] * fixes + [False] * (3 - fixes)


def test_what_is_left_to_say_is_said_once_in_lines_that_nothing_else_is_about() -> None:
    rest = rewrite("DEV908", "r", "s")
    rest.remainder = True
    text = "c = [r,\n     r]\na = r\nr = r\nx = (r,\n     r, r)\n"

    def visit_List(self: Rule, node: cst.List) -> None:
        self.report(node, "a list", None)

    lists = type("Lists", (Rule,), {"code": "DEV909", "name": "lists", "visit_List": visit_List})
    found = engine.lint(source(text), [rest, lists, GOOD], CUDA).diagnostics
    assert [(one.code, one.location.row, one.location.column) for one in found] == [
        ("DEV909", 1, 5),
        ("DEV901", 3, 1),
        ("DEV908", 4, 1),
        ("DEV908", 5, 6),
        ("DEV908", 6, 6),
    ]


def test_of_what_was_found_first_only_what_is_asked_for_counts() -> None:
    request = Request(FindingFilter(), [GOOD, UNSAFE], CUDA, frozenset({"DEV902"}), fix=True)
    report = analyzed(source("a = 0\nc = 1\n"), request)
    assert (report.after_text, report.first) == ("b = 0\nc = 1\n", ("DEV902",))
    assert ([one.code for one in report.diagnostics], report.new) == (["DEV902"], {})


def test_a_file_that_no_fix_changes_has_no_parts_to_show() -> None:
    text = source("a = 0\n")
    report = FileReport("case.py", source=text, before_text="a = 0\n", after_text="a = 0\n")
    assert (report.parts(), report.replace(after_text="b\n").parts()) == ([], [("case.py", "a = 0\n", "b\n")])


class Failing(Analysis):
    """Finds two names, and fails in what their fixes make."""

    def findings(self, source: Source) -> Result:
        if "b" in source.text:
            return Result(source.text, failure=Failure(source.path, "is too much"))
        with ProgramAnalysis(self.request) as analysis:
            return analysis.findings(source)

    def complaint(self, source: Source, text: str, comment_edits: Iterable[Edit] = ()) -> str | None:
        return None


def test_what_cannot_be_looked_at_once_it_is_fixed_is_left() -> None:
    text = source("a = 0\nc = 1\n")
    with Failing(Request(FindingFilter(), [GOOD, UNSAFE], CUDA, unsafe_fixes=True)) as analysis:
        result = apply_fixes(text, analysis)
    assert result.text == text.text and result.applied == ()
    assert result.failure is not None
    assert result.failure.message == "fix of DEV901, DEV902 not applied, please report it: is too much"


def test_what_no_edit_may_touch_stays() -> None:
    class Guarded(Source):
        def protects(self, span: Span) -> bool:
            return span.start < 6

    result = engine.fix(Guarded.from_text("case.py", "a = 0\na = 1\n"), [GOOD], CUDA)
    assert result.text == "a = 0\nb = 1\n"
    assert [(one.location.row, one.fix) for one in result.diagnostics] == [(1, None)]


def test_a_misspelled_suppression_is_corrected() -> None:
    text = source("a = 0  # devlint: ignroe[DEV101]\n")
    request = Request(FindingFilter(), (), CUDA, frozenset({"DEV004"}), fix=True)
    (one,) = analyzed(text, request.replace(fix=False)).diagnostics
    assert one.fix is not None and one.fix.message == "Correct the suppression"
    assert analyzed(text, request).after_text == "a = 0  # devlint: ignore[DEV101]\n"


@pytest.mark.parametrize(
    ("row", "column", "place", "end"),
    [(1, 1, "1:1", "1:2"), (1, 5, "1:5", "2:1"), (1, 99, "1:5", "2:1"), (9, 9, "3:1", "3:1")],
)
def test_where_a_syntax_error_is_shown(row: int, column: int, place: str, end: str) -> None:
    one = syntax_diagnostic(source("x = \ny\n"), SourceError("why", row, column))
    assert (str(one.location), str(one.end_location), one.message) == (place, end, "why")


def test_a_tree_is_gone_when_its_findings_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    trees: list[weakref.ref[FileContext]] = []

    class Watched(FileContext):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            trees.append(weakref.ref(self))

    monkeypatch.setattr(parse_cache, "FileContext", Watched)
    text = f"{HEAD}x = torch.ones(2)\nif x.sum():\n    x = x.cuda()\ny = x.cuda()\n"
    gc.disable()
    try:
        assert len(engine.lint(source(text), [rule("DEV101")], CUDA).diagnostics) == 2
        fixed = engine.fix(source(text), [rule("DEV101")], CUDA)
        assert (len(fixed.applied), len(trees)) == (2, 3)
        assert [one() for one in trees if one() is not None] == []
    finally:
        gc.enable()


def test_no_garbage_is_looked_for_while_rules_run() -> None:
    looked: list[bool] = []

    def visit_Module(self: Rule, node: cst.Module) -> None:
        looked.append(gc.isenabled())

    watching = type("Watching", (Rule,), {"code": "DEV905", "name": "watching", "visit_Module": visit_Module})
    engine.lint(source("x = 1\n"), [watching], CUDA)
    assert (looked, gc.isenabled()) == ([False], True)


def test_a_program_that_is_too_deep_for_a_rule_is_one_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_: object) -> tuple[Diagnostic, ...]:
        raise RecursionError

    monkeypatch.setattr(ProgramAnalysis, "_found", too_deep)
    result = engine.lint(source("x = 1\n"), (), CUDA)
    assert (result.diagnostics, result.failure) == ((), Failure(source("").path, "is nested too deeply, left alone"))
