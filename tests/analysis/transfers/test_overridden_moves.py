"""Classes of other files with a `cuda` of their own, which a program uses without saying that it makes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

OWN_CUDA = "class Trainer:\n    def cuda(self):\n        return self\n    def fit(self):\n        pass\n"
OWN_TO = OWN_CUDA + "    def to(self, device):\n        self.device = device\n"


@pytest.mark.parametrize(
    ("trainer", "line", "is_safe"),
    [
        (OWN_CUDA, "trainer.cuda()\n    trainer.fit()", False),
        (OWN_CUDA, "trainer.cuda().fit()", False),
        (OWN_TO, "trainer.cuda().fit()", False),
        (OWN_TO, "trainer.cuda()\n    trainer.fit()", True),
        (OWN_TO, "trainer.cuda().eval()", True),
    ],
)
def test_a_receiver_that_has_the_methods_of_such_a_class(
    tmp_path: Path, trainer: str, line: str, is_safe: bool
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "trainers.py").write_text(trainer)
    program = tmp_path / "main.py"
    program.write_text(f"import torch\n\n\ndef run(config):\n    trainer = config.make().build()\n    {line}\n")
    assert (".cuda()" not in fix(program, isolated=True).text) is is_safe
    assert ".cuda()" not in fix(program, isolated=True, unsafe=True).text
