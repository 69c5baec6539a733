"""A fix is unsafe where the program imports kernels of CUDA by another file, however far away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

SETUP = (
    "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n\n"
    "setup(ext_modules=[CUDAExtension('fold_cuda', ['fold.cu'])])\n"
)
MOVE = "import torch\nfrom {}\n\n\ndef train(x):\n    return f(x.cuda() * torch.ones(2).cuda())\n\n\n{}"
MAIN = 'if __name__ == "__main__":\n    train(torch.ones(2))\n'
FOLD = "import fold_cuda\n\n\ndef f(x):\n    return fold_cuda.fold(x)\n"
NET = "from ops.fold import f\n"
FILES = {
    "setup.py": SETUP,
    "ops/__init__.py": "",
    "ops/fold.py": FOLD,
    "net.py": NET,
    "train.py": MOVE.format("net import f", MAIN),
}


def _changed(tmp_path: Path, **others: str) -> set[str]:
    """The files that safe fixes change."""
    files = {**FILES, **{f"{name.replace('_', '.')}": text for name, text in others.items()}}
    return set(fix_files(write_files(tmp_path / "p", files)))


def test_what_the_files_import_that_a_file_imports(tmp_path: Path) -> None:
    assert _changed(tmp_path) == set()


@pytest.mark.parametrize(
    "others",
    [
        {"ops/fold_py": "try:\n    import fold_cuda\nexcept ImportError:\n    fold_cuda = None\n\nf = abs\n"},
        {"ops/fold_py": "def f(x):\n    import fold_cuda\n    return fold_cuda.fold(x)\n"},
        {"setup_py": SETUP.replace("CUDAExtension", "CppExtension").replace("fold.cu", "fold.cpp")},
    ],
)
def test_what_the_program_does_without(tmp_path: Path, others: dict[str, str]) -> None:
    assert _changed(tmp_path, **others) == {"train.py"}


def test_a_library_of_kernels(tmp_path: Path) -> None:
    fold = "from flash_attn import flash_attn_func as f\n"
    assert _changed(tmp_path, **{"ops/fold_py": fold, "setup_py": "x = 1\n"}) == set()


def test_a_file_that_only_such_programs_import(tmp_path: Path) -> None:
    steps = MOVE.format("plain import f", "")
    uses = {
        "train_py": f"import net\nimport steps\n\n{MAIN}".replace("train", "steps.train"),
        "steps_py": steps,
        "plain_py": "f = abs\n",
    }
    assert _changed(tmp_path, **uses) == set()
    unused = {"plots_py": "from steps import train\n\n\ndef plot(x):\n    return train(x)\n"}
    assert _changed(tmp_path, **uses, **unused) == set()
    other = {"other_py": "from steps import train\n\nprint(train(1))\n"}
    assert _changed(tmp_path, **uses, **other) == {"steps.py"}
