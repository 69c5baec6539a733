"""Where other files give an attribute a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.project.attributes import SET_BY_SELF, set_in
from devlint.analysis.project.project import Index
from tests.support.projects import fix_files, write_files

CASES = [
    ("opt.gpu = 1", "opt"),
    ("opt.gpu: int = 1", "opt"),
    ("opt.gpu: int", ""),
    ("opt.gpu += 1", "opt"),
    ("opt.gpu = torch.cuda.is_available()", "opt asks"),
    ("a.b.gpu = 1", "a.b"),
    ("f().gpu = 1", "?"),
    ("x = opt.gpu = 1", "opt"),
    ("x, opt.gpu = 1, 2", "opt"),
    ("opt['gpu'] = 1", "opt"),
    ("opt['other'] = 'gpu'", ""),
    ("opt['gpu']['x'] = 1", ""),
    ("opt[gpu] = 1", ""),
    ("opt.gpu.x = 1", ""),
    ("opt.gpu == 1", ""),
    ("x = opt.gpu", ""),
    ("gpu = 1", ""),
    ("self.gpu = 1", ""),
    ("setattr(opt, 'gpu', 1)", "opt"),
    ("setattr(opt, 'other', 'gpu')", ""),
    ("setattr(opt, name, 'gpu')", ""),
    ("setattr(opt, 'gpu')", ""),
    ("getattr(opt, 'gpu', 1); opt.gpu == 1", ""),
    ("class A:\n    def f(self, opt):\n        opt.gpu = 1", "opt in A"),
    ("class A:\n    class B:\n        opt.gpu = 1", "opt in B"),
    ("class A:\n    pass\nopt.gpu = 1", "opt"),
    ("if x: opt.gpu = 1", "opt"),
    ("if x:\n    pass\nelse: opt.gpu = 1", "opt"),
    ("(\n    opt.gpu, x\n) = 1, 2; y = 3", ""),  # no line has both the name and a sign behind it
    ("(a,\n opt.gpu) = 1, 2", "opt"),
    ("opt['gpu'\n] = 1", "opt"),
    ("setattr(opt, 'gpu',\n    1)", "opt"),
    ("f(\n    opt.gpu, x=1)", ""),
    ('"""\nopt.gpu = 1\n"""', ""),
    ("# opt.gpu = 1", ""),
    ("@f(setattr(opt, 'gpu', 1))\ndef g():\n    pass", "opt"),
    ("x = 1\r\nopt.gpu = 1\r\n", "opt"),
]


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "other.py"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_set_from_outside(tmp_path: Path, text: str, expected: str) -> None:
    found = set_in(Index(), [written(tmp_path, text)], "gpu")
    words = [
        (one.owner or "?") + (f" in {one.in_class}" if one.in_class else "") + (" asks" if one.asks else "")
        for one in found
    ]
    assert words == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("text", "count"), [("self.gpu = 1", 1), ("opt.gpu = 1", 0), ("self.gpu == 1", 0), ("self.a = self.gpu = 1", 1)]
)
def test_set_by_self(tmp_path: Path, text: str, count: int) -> None:
    assert len(list(SET_BY_SELF.find(Index(), [written(tmp_path, text)], "gpu"))) == count


BUFFER = """import torch


class Buffer:
    def __init__(self, cfg):
        self.device = torch.device(cfg.device)
        self.data = torch.zeros(3, device=self.device)

    def sample(self, x):
        return self.data + x.cuda()
"""


@pytest.mark.parametrize(
    ("value", "is_device"),
    [
        ('"cuda" if cfg.state else "cpu"', False),
        ('"cuda" if torch.cuda.is_available() else "cpu"', True),
        ('"cuda" if cfg.use_gpu else "cpu"', True),
        ('"cuda"', True),
    ],
)
def test_a_device_of_options_that_may_be_the_cpu_beside_cuda(tmp_path: Path, value: str, is_device: bool) -> None:
    files = {"buffer.py": BUFFER, "config.py": f"import torch\n\n\ndef parse(cfg):\n    cfg.device = {value}\n"}
    fixed = fix_files(write_files(tmp_path / "p", files), unsafe=False)["buffer.py"]
    assert ("+ x.to(self.device)" in fixed) is is_device
    assert ("+ x.to(device)" in fixed) is not is_device
