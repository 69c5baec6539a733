"""One run of ``devlint fix`` does what running again would do, where its fixes change what other files go by."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

import pytest

from devlint import analysis
from devlint.analysis.project.search_kinds import HOMES, search_of
from devlint.analysis.project.searches import Search
from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Diagnostic, Failure, Location, Span
from devlint.engine import settling, writing
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.sources.discovery import Found, discover, is_looked_at
from devlint.sources.source import Source
from tests.support.cached import Project, cached

__all__ = ["cached"]

BASE = """\
import torch


class Engine:
    def __init__(self, use_gpu):
        self.use_gpu = use_gpu and torch.cuda.is_available()

    def train(self, images):
        if self.use_gpu:
            images = images.cuda()
        return images

    def test(self, images):
        if self.use_gpu:
            images = images.cuda()
        return images
"""
HEIR = """\
from engine import Engine


class Pairs(Engine):
    def train(self, images):
        if self.use_gpu:
            images = images.cuda()
        return images
"""
"""Nothing of torch is imported here: only a device that the base class has can be written."""
MISSPELLED = 'import os\n\nos.environ["CUDA_VISIBLE_DEVICE"] = "0"\n\n'
GUARDED = "        if self.use_gpu:\n            images = images.cuda()\n"
SETTLED = HEIR.replace(GUARDED, "        images = images.to(self.device)\n")


def _project(cached: Project, **files: str) -> None:
    (cached.root / ".git").mkdir(exist_ok=True)
    for name, text in {"engine": BASE, "pairs": HEIR, **files}.items():
        cached.write(f"{name}.py", text)


def test_a_file_is_fixed_by_what_the_run_has_made_of_another(cached: Project) -> None:
    _project(cached, after="x = 1\n")
    first = cached.run("fix")
    # The base asks what those that import it move, which has changed then.
    assert first.looked == ["after.py", "engine.py", "pairs.py", "pairs.py", "engine.py"]
    assert (cached.root / "pairs.py").read_text() == SETTLED
    assert (first.code, first.err) == (0, "") and "Found 3 errors (3 fixed, 0 remaining)" in first.out
    assert "All checks passed" in cached.run("fix").out


@pytest.mark.parametrize("options", [("--no-cache",), ("--jobs=2",)])
def test_a_diff_is_what_is_written(cached: Project, options: tuple[str, ...]) -> None:
    _project(cached, pairs=MISSPELLED + HEIR)
    shown = cached.run("fix", "--diff", *options)
    assert (cached.root / "engine.py").read_text() == BASE
    assert "+        images = images.to(self.device)\n" in shown.out and "Would fix 4 errors." in shown.err
    assert '-os.environ["CUDA_VISIBLE_DEVICE"]' in shown.out and shown.out.count("--- pairs.py") == 1
    cached.run("fix", *options)
    assert (cached.root / "pairs.py").read_text() == MISSPELLED.replace("DEVICE", "DEVICES") + SETTLED


def test_what_the_cache_knows_of_a_file_changes_with_others(cached: Project) -> None:
    """A clean file that asked about another is known before the run, which changes what it asked about."""
    uses = "import torch\nfrom engine import Engine\n\nengine = Engine(torch.cuda.is_available())\nengine.cuda()\n"
    _project(cached, uses=uses)
    cached.run("fix")
    cached.write("engine.py", BASE)
    known = cached.run("fix", "--diff")
    assert known == cached.run("fix", "--diff", "--no-cache")


def test_a_notebook_goes_by_what_a_file_becomes(cached: Project) -> None:
    _project(cached)
    cells = ["%pip install torch\n!nvidia-smi", MISSPELLED.rstrip(), HEIR.rstrip()]
    listed = [{"cell_type": "code", "source": one, "metadata": {}, "outputs": []} for one in cells]
    kernel = {"kernelspec": {"language": "python"}}
    cached.write("n.ipynb", json.dumps({"cells": listed, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}))
    shown = cached.run("fix", "--diff").out
    cached.run("fix")
    done = [cell["source"] for cell in json.loads((cached.root / "n.ipynb").read_text())["cells"]]
    assert done == [cells[0], cells[1].replace("DEVICE", "DEVICES"), SETTLED.rstrip()]
    assert "+++ n.ipynb:cell 2" in shown and "+++ n.ipynb:cell 3" in shown


def test_where_nothing_else_changes_nothing_is_looked_at_again(cached: Project) -> None:
    _project(cached, engine=BASE.replace("images.cuda()", "images.to(self.device)"), pairs=MISSPELLED + HEIR)
    assert cached.run("fix").looked == ["engine.py", "pairs.py"]


GIVER = 'def get_device():\n    return torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
MOVES = """

def {0}(x):
    return torch.zeros(3).cuda() + x


def {1}(x):
    a = torch.zeros(3).cuda()
    b = torch.ones(3).cuda()
    return a + b + x
"""


def test_a_function_that_an_imported_file_has_got_is_not_written_again(cached: Project) -> None:
    made = {
        "helpers": f"import torch\n{MOVES.format('one', 'two')}",
        "losses": f"import torch\nfrom helpers import one\n{MOVES.format('three', 'four')}",
        "metrics": f"import torch\nimport losses\n{MOVES.format('five', 'six')}\n\ndef seven(x):\n    return losses.three(x)\n",
    }
    _project(cached, **made)
    for name in ("engine", "pairs"):
        (cached.root / f"{name}.py").unlink()
    for jobs in ("--jobs=1", "--jobs=2"):
        for name, text in made.items():
            cached.write(f"{name}.py", text)
        shown = cached.run("fix", "--diff", "--no-cache", jobs).out
        done = cached.run("fix", "--no-cache", jobs)
        texts = {name: (cached.root / f"{name}.py").read_text() for name in made}
        assert GIVER in texts["helpers"] and shown.count("+def get_device") == 1
        assert "from helpers import get_device, one\n" in texts["losses"] and "device = get_device()" in texts["losses"]
        assert "device = losses.get_device()" in texts["metrics"]
        assert (done.code, done.err) == (0, "") and "Found 9 errors (9 fixed, 0 remaining)" in done.out
        assert "All checks passed" in cached.run("fix", "--no-cache").out


def test_files_that_import_each_other_each_write_the_function(cached: Project) -> None:
    _project(cached, engine=f"import torch\nimport pairs\n{MOVES.format('one', 'two')}\n\nprint(pairs.three)\n")
    cached.write("pairs.py", f"import torch\nimport engine\n{MOVES.format('three', 'four')}\n\nprint(engine.one)\n")
    assert cached.run("fix", "--diff").out.count("+def get_device") == 2


@pytest.mark.parametrize("package", ["from .Engine import *\n", "from .Engine import Engine\n"])
def test_an_heir_that_has_a_device_of_its_own_takes_that_of_its_base(cached: Project, package: str) -> None:
    move = "        images = images.cuda()\n        others = images.cuda()\n        return images + others\n"
    methods = f"    def train(self, images):\n{move}\n    def test(self, images):\n{move}"
    base = f"import torch\n\n\nclass Engine:\n    def __init__(self, net):\n        self.net = net.cuda()\n\n{methods}"
    heir = f"import torch\nfrom . import Engine\n\n\nclass Pairs(Engine):\n{methods}"
    (cached.root / "setup.py").write_text("")
    (cached.root / "parts").mkdir()
    for name, text in {"__init__": package, "Engine": base, "Pairs": heir}.items():
        (cached.root / "parts" / f"{name}.py").write_text(text)
    shown = cached.run("fix", "--diff").out
    assert shown.count("device = ") == 1 and "self.device = " in shown and "def get_device" not in shown


def _refusing(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    """Let a file be written so many times."""
    write = writing.write_fixed
    left = [times]

    def refusing(report: FileReport) -> FileReport:
        left[0] -= report.path == name
        if report.path == name and left[0] < 0:
            raise PermissionError(13, "Permission denied", name)
        return write(report)

    monkeypatch.setattr(writing, "write_fixed", refusing)


def test_what_another_file_should_have_become_is_not_used(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _project(cached, pairs=MISSPELLED + HEIR)
    _refusing(monkeypatch, "engine.py", 0)
    done = cached.run("fix")
    assert (cached.root / "engine.py").read_text() == BASE
    assert (cached.root / "pairs.py").read_text() == MISSPELLED.replace("DEVICE", "DEVICES") + HEIR
    assert done.code == 2 and "error: engine.py: " in done.err and "warning: pairs.py: other files" in done.err
    assert "pairs.py:11" in done.out  # the finding that is left is told, at its place


def test_a_file_that_cannot_be_written_again_is_as_the_round_before_left_it(
    cached: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    _project(cached, pairs=MISSPELLED + HEIR)
    _refusing(monkeypatch, "pairs.py", 1)
    done = cached.run("fix")
    assert (cached.root / "pairs.py").read_text() == MISSPELLED.replace("DEVICE", "DEVICES") + HEIR
    assert "(self.device)" in (cached.root / "engine.py").read_text()
    assert done.code == 2 and "error: pairs.py: " in done.err and "pairs.py:11" in done.out


def test_what_does_not_settle_is_said(cached: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    _project(cached)
    monkeypatch.setattr(settling, "MOST_ROUNDS", 1)
    done = cached.run("fix")
    assert "warning: pairs.py: other files that it uses have changed" in done.err
    assert (cached.root / "pairs.py").read_text() == HEIR
    cached.run("fix")
    assert (cached.root / "pairs.py").read_text() == SETTLED


def test_which_files_become_something_else_once_others_are_written(cached: Project) -> None:
    """As a run asks that has chosen some of the fixes."""
    _project(cached, after="x = 1\n")
    finder = ConfigFinder()
    runner = Runner(finder, Mode.DIFF)
    found = [one for one in discover(["."], finder, is_looked_at) if isinstance(one, Found)]
    looks = [(one, runner.analyze(one)) for one in found]
    assert settling.unsettled(runner, looks) == {"pairs.py"}
    assert (
        settling.unsettled(runner, [(one if one.path != "engine.py" else None, look) for one, look in looks]) == set()
    )


def test_two_looks_at_a_file_are_one_report() -> None:
    text = Source.from_text("a.py", "b\n")
    left = Diagnostic("a.py", "DEV101", "m", Span(0, 1), Location(1, 1), Location(1, 2))
    failure = Failure("a.py", "why")
    earlier = FileReport("a.py", (left,), (), (left,), text, "a\n", "b\n")
    both = settling.of_both_looks
    assert both(earlier, FileReport("a.py")) == earlier.replace(diagnostics=())
    assert both(earlier, FileReport("a.py", source=text)) == earlier.replace(diagnostics=())
    assert both(earlier, FileReport("a.py", failures=(failure,))) == earlier.replace(failures=(failure,))
    again = both(earlier, FileReport("a.py", (left,), source=text, before_text="b\n", after_text="b\n"))
    assert (again.before_text, again.after_text, again.diagnostics) == ("a\n", "b\n", (left,))
    assert (again.applied, again.first) == ((left,), ("DEV101", "DEV101"))
    more = both(earlier, FileReport("a.py", (), (failure,), (left,), text, "b\n", "c\n"))
    assert (more.before_text, more.after_text, more.source) == ("a\n", "c\n", text.replace(text="c\n"))
    assert (more.applied, more.first, more.failures) == ((left, left), ("DEV101", "DEV101"), (failure,))


def test_every_kind_of_search_is_known_by_its_name() -> None:
    """A recorded question about a kind that is not can never be answered again."""
    found: dict[str, Any] = {}
    for one in pkgutil.walk_packages(analysis.__path__, f"{analysis.__name__}."):
        module = importlib.import_module(one.name)
        found |= {value.kind: value for value in vars(module).values() if isinstance(value, Search)}
    assert found == {kind: search_of(kind) for kind in HOMES}
