"""The safe fixes of the examples in the rules' manuals, on the CPU and on the simulated GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.rules.base import Rule
from devlint.rules.generate import all_rules
from devlint.sources.source import Source
from devlint.verify.matrix import Task, verify
from devlint.verify.observer import Observer
from devlint.verify.program import Program
from tests.support import engine
from tests.support.manual import examples
from tests.support.sampling import some
from tests.support.targets import target_for

DIFFERENT = {
    "DEV301": "the program says which cards it wants, and now gets them",
    "DEV507": "to seed twice with the same number is recorded twice",
}
"""The rules whose safe fixes may be called different, and why."""

CHECKPOINTS = {"DEV102": "state.pt", "DEV404": "model.pt"}
"""The files that the examples load; each is written first."""

STAND_INS = {
    "DEV108": {
        "lightning.py": """\
import torch

class Trainer:
    def __init__(self, accelerator, devices):
        if accelerator == "gpu" and not torch.cuda.is_available():
            raise RuntimeError("No supported gpu backend found!")
""",
        "transformers.py": """\
import torch

class AutoModel:
    @classmethod
    def from_pretrained(cls, name, device_map):
        return torch.nn.Linear(2, 2).to(torch.device(device_map))

def pipeline(task, model, device):
    return torch.ones(2, device=torch.device(device))
""",
    }
}
"""Modules in place of libraries that the tests do not install; they put things where the libraries do."""

EXAMPLES = [
    (rule, example.before)
    for rule in all_rules()
    if issubclass(rule, Rule) and rule.code not in DIFFERENT
    for example in examples(rule)
]


@pytest.mark.parametrize("part", range(6))
def test_a_safe_fix_changes_nothing(observer: Observer, tmp_path: Path, part: int) -> None:
    for rule, before in some(EXAMPLES[part::6], 4):
        changes_nothing(observer, tmp_path, rule, before)


def changes_nothing(observer: Observer, tmp_path: Path, rule: type[Rule], before: str) -> None:
    result = engine.fix(Source.from_text("example.py", before), [rule], target_for(rule), unsafe=False)
    if result.text == before:
        return
    original, rewritten = tmp_path / "original.py", tmp_path / "rewritten.py"
    file = CHECKPOINTS.get(rule.code)
    saved = f"import torch\ntorch.save(torch.nn.Linear(3, 1).state_dict(), {file!r})\n" if file else ""
    for name, text in STAND_INS.get(rule.code, {}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    original.write_text(saved + before, encoding="utf-8")
    rewritten.write_text(saved + result.text, encoding="utf-8")
    task = Task(rule.code, Program(str(original)), Program(str(rewritten)))
    verdict = verify(observer, task, ("cpu", "simulated"))
    observer.forget()
    assert verdict.holds, verdict
