"""Which lines count as changed, and which of them a program must run for a verdict to hold."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.verify import executed_lines
from devlint.verify.executed_lines import Spot
from devlint.verify.rewrites.changed_lines import changed_lines
from tests.verify.test_verify_command import devlint, project

__all__ = ["project"]

DEFINITIONS = """\
import torch


def half(x):
    return x.cuda() / 2


class Scale(torch.nn.Module):
    def forward(self, x, device="cuda"):
        \"\"\"Twice as much.\"\"\"
        return x.cuda() * 2
"""


def changed(before: str, after: str) -> list[tuple[int, str, list[Spot]]]:
    found = changed_lines("a.py", ("old", before), ("new", after))
    return [(one.row, one.file, sorted(one.spots, key=str)) for one in found]


def test_a_changed_line_counts_by_its_statement() -> None:
    before = "import torch\nx = f(\n    1,\n    y.cuda(),\n)\nz = 1\n"
    after = "import torch\ndevice = 0\nx = f(\n    1,\n    y.to(device),\n)\nz = 1\n"
    assert changed(before, after) == [(4, "new", [3, 4, 5])]


def test_added_definitions_count_only_if_nothing_else_changed() -> None:
    assert changed("a = 1\nb = a.cuda()\n", "a = 1\nd = 0\nb = a.to(d)\n") == [(2, "new", [3])]
    assert changed("a = 1\nb = 2\n", "a = 1\nc = 3\nb = 2\n") == [(1, "new", [2])]


def test_removed_lines_count_in_the_original() -> None:
    assert changed("a = 1\nset_device(0)\nb = 2\n", "a = 1\nb = 2\n") == [(2, "old", [2])]


def test_the_line_of_a_function_counts_when_its_body_runs() -> None:
    before = "def f(x, device='cuda'):\n    '''Doc.'''\n    return x\n"
    assert changed(before, before.replace("'cuda'", "None")) == [(1, "new", [3])]
    decorated = "@fwd\n@old\ndef f(x):\n    return x\n"
    assert changed(decorated, decorated.replace("old", "new")) == [(2, "new", [4])]


def test_the_head_of_a_block_counts_without_its_body() -> None:
    before = "with a():\n    if b.cuda():\n        c()\n"
    assert changed(before, before.replace("cuda", "cpu")) == [(2, "new", [2])]
    cases = "match x:\n    case 1:\n        y.cuda()\n    case _:\n        pass\n"
    assert changed(cases, cases.replace("cuda", "cpu")) == [(3, "new", [3])]


PARTS = {
    "if a.cuda(): b": [2],
    "if a: b.cuda()": [(2, 6, 2, 14)],
    "if a: b; c.cuda()": [(2, 9, 2, 17)],
    "if a: b = lambda: d.cuda()": [(2, 18, 2, 26)],
    "def f(x): return x.cuda()": [(2, 10, 2, 25)],
    "def f(x=a.cuda()): return x": [2],
    "b = a.cuda() if a else a": [(2, 4, 2, 12)],
    "b = 'ä', a and b.cuda() or c": [(2, 16, 2, 24)],
    "b = a.cuda() if (lambda: 1)() else a": [(2, 4, 2, 12)],
    "b = f(lambda: 1, a.cuda())": [2],
    "assert a, a.cuda()": [(2, 10, 2, 18)],
    "assert a.cuda(), a": [2],
    "b = [c.cuda() for c in a]": [(2, 5, 2, 13)],
    "b = [c for c in a.cuda()]": [2],
    "b = {c: d.cuda() for c in a}": [(2, 8, 2, 16)],
    "b = f(c for c in a if c.cuda())": [(2, 22, 2, 30)],
    "b = {d for c in a for d in c.cuda()}": [(2, 27, 2, 35)],
}
"""A line with a change of ``cuda``, and what of it must run: the line, or a part, with columns in UTF-8."""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="instructions have no columns before Python 3.11")
@pytest.mark.parametrize("line", PARTS)
def test_a_change_in_a_part_that_need_not_run_counts_by_the_part(line: str) -> None:
    before = f"a = 1\n{line}\n"
    ((_, _, spots),) = changed(before, before.replace("cuda", "xpu_"))
    assert spots == PARTS[line]


def test_comments_and_what_cannot_be_parsed_do_not_count() -> None:
    assert changed("# x.cuda()\na = 1\n", "# x.to(device)\na = 1\n") == []
    assert changed("a = 1\n", "a =\n") == []


NONE_RAN = "not proven: none of 2 changed lines ran: {0}:5, {0}:11"
MISSING = "the original needs a module that is missing: No module named 'gone_module_x'"
ONE_LINE = "2 of 3 changed lines ran; not run: {0}:13" if sys.version_info >= (3, 11) else None
MAINS = {
    "nothing.py": ("", "?", NONE_RAN),
    "module.py": ("import gone_module_x\n", "?", f"cpu: {MISSING}"),
    "option.py": ("if len(__import__('sys').argv) > 1:\n    half(torch.ones(2))\n", "?", NONE_RAN),
    "some.py": ("print(half(torch.ones(2)))\n", "ok", "1 of 2 changed lines ran; not run: {0}:9"),
    "all.py": ("print(half(Scale()(torch.ones(2))))\n", "ok", None),
    "one_line.py": ("print(half(Scale()(torch.ones(2))))\nif not half: y = torch.ones(2).cuda()\n", "ok", ONE_LINE),
    "assert.py": ("assert False\n", "?", NONE_RAN),
    "fails.py": ("half(torch.ones(2))\n[][0]\n", "?", "1 of 2 changed lines ran; not run: {0}:9"),
}
"""What a module does when it is run, whether that proves its fixes, and what is said of the changed lines."""


@pytest.mark.slow
def test_what_does_not_run_is_not_proven(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, (main, _, _) in MAINS.items():
        (project / name).write_text(DEFINITIONS + main)
    code, out, _ = devlint(capsys, "verify", "--isolated", *MAINS)
    assert (code, out.splitlines()[-1]) == (2, "3 of 8 hold, 4 are not proven, 1 cannot be compared.")
    for name, (_, word, said) in MAINS.items():
        of_file = out.partition(f" {name}: ")
        assert of_file[0].splitlines()[-1].strip() == word, out
        lines = [line.strip() for line in itertools.takewhile(is_indented, of_file[2].splitlines()[1:])]
        assert said.format(name) in lines if said else lines == [], out


def is_indented(line: str) -> bool:
    return line.startswith(" ")


@pytest.mark.slow
def test_lines_of_other_modules_threads_and_forks_count(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "lib.py").write_text(DEFINITIONS)
    (project / "train.py").write_text(
        "import os, threading, torch\nfrom lib import Scale, half\n"
        "if os.fork() == 0:\n    torch.ones(3).cuda()\n    os._exit(0)\nos.wait()\n"
        "thread = threading.Thread(target=half, args=(torch.ones(2),))\nthread.start()\nthread.join()\n"
    )
    code, out, _ = devlint(capsys, "verify", "--isolated", "--on", "simulated", "--output-format", "json", "train.py")
    (verdict,) = json.loads(out)
    assert (code, verdict["changed_lines"], verdict["lines_not_run"]) == (0, 3, ["lib.py:11"]), out


def test_pythons_that_a_program_starts_are_watched_from_the_environment(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\nif a > 1:\n    b = 2\nb = 3\nif a > 1: b = 2\nc = 5 if a else 6\n")
    parts = [[5, 10, 5, 15], [6, 4, 6, 5], [6, 16, 6, 17]]
    (tmp_path / "watched").write_text(json.dumps({str(tmp_path / "a.py"): [2, 3, 4, *parts]}))
    site = Path(executed_lines.__file__).parent / "site"
    environment = {"PYTHONPATH": str(site), executed_lines.VARIABLE: str(tmp_path / "watched")}
    subprocess.run([sys.executable, "a.py"], cwd=tmp_path, env=environment, check=True)
    lines = (tmp_path / "executed").read_text().splitlines()
    ran = ["2", "4", "6,4,6,5"] if sys.version_info >= (3, 11) else ["2", "4"]
    assert lines == [f"{spot} {tmp_path}/a.py" for spot in ran]


@pytest.mark.slow
def test_a_trace_function_of_the_program_is_left_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(
        "import sys, torch\nseen = []\nsys.settrace(lambda *a: seen.append(a[1]))\n"
        "x = torch.ones(2).cuda()\n(lambda: 0)()\nassert sys.gettrace() and 'call' in seen\nsys.settrace(None)\n"
    )
    assert devlint(capsys, "verify", "--isolated", "--on", "simulated", "a.py")[1].startswith("ok "), sys.version
