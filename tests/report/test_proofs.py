"""What runs have shown, as a report says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devlint.config.observed import content_digest, write_observed
from devlint.core.errors import DevlintError
from devlint.core.observed_tensors import ObservedTensor
from devlint.report import proofs
from devlint.report.formats import REPORT_FORMATS, rendered_report
from devlint.report.model import ProvenRun
from devlint.verify.comparing.verdict import Outcome, Verdict, Word
from devlint.verify.reports import as_json
from tests.report.test_formats import run
from tests.support.report_project import report_on, write_project

VERDICTS = [
    Verdict("a.py", (Outcome("cpu", Word.NEWLY_WORKS), Outcome("simulated", Word.SAME)), changed=3),
    Verdict("b.py", (Outcome("cpu", Word.VALUE, "loss by 0.5"),), changed=2, not_run=("b.py:1",)),
]


def test_verdicts_are_read_from_what_verify_prints(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.json"
    path.write_text(as_json(VERDICTS))
    assert proofs.read_verdicts(str(path)) == [
        ProvenRun("devlint verify a.py", True, ("cpu: newly works on CPU", "simulated: same")),
        ProvenRun("devlint verify b.py", False, ("cpu: value differs (loss by 0.5)", "1 of 2 changed lines ran")),
    ]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"program": 1}]', '"a"'])
def test_other_files_are_no_verdicts(text: str, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.json"
    path.write_text(text)
    with pytest.raises(DevlintError, match="is not what `devlint verify"):
        proofs.read_verdicts(str(path))


def test_what_was_observed_is_told_of_files_as_they_are(tmp_path: Path) -> None:
    assert proofs.observed_run(str(tmp_path), []) == []
    file = tmp_path / "a.py"
    file.write_text("import torch\n\nx = torch.ones(2)\n")
    tensor = ObservedTensor("factory", "ones", 3, 4, 3, 17, ("x",), "cuda:0", "a.py:9", 2)
    write_observed(str(tmp_path), {content_digest(file.read_bytes()): ("a.py", (tensor,))})
    (seen,) = proofs.observed_run(str(tmp_path), [str(file)])
    assert (seen.holds, seen.details) == (None, (f"{file}:3: {tensor.message}",))
    file.write_text("import torch\n")
    (seen,) = proofs.observed_run(str(tmp_path), [str(file)])
    assert seen.details == ("no tensors on the wrong device are known in these files as they are now",)


@pytest.mark.parametrize("name", REPORT_FORMATS)
def test_every_format_but_the_table_says_what_was_proven(name: str, tmp_path: Path) -> None:
    made = (ProvenRun("pytest <b>tests", True, ("cpu: same",)), ProvenRun("run.py", False), ProvenRun("observe", None))
    text = rendered_report(name, report_on(tmp_path).replace(proofs=made))
    if name != "csv":
        assert "cpu: same" in text and ("<b>tests" in text) is (name != "html")


@pytest.mark.slow
def test_a_command_is_run_with_and_without_the_fixes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    folder = write_project(tmp_path / "shop")
    folder.joinpath("run.py").write_text("import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\nprint(2)\n")
    monkeypatch.chdir(folder)
    result = run("-o", "out.json", "--verify", "python run.py", "run.py")
    assert result.return_value == 0, result.output
    (proof,) = json.loads(Path("out.json").read_text())["proofs"]
    assert (proof["run"], proof["holds"]) == ("python run.py", True)
    assert any("newly works" in one for one in proof["details"])
    assert "--verify needs a command" in str(run("--verify", " ", "run.py").exception)
