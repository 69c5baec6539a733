"""`devlint simulate`: the program runs as Python would run it, with devices."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_devlint(folder, "simulate", *arguments, **variables)


def run_devlint(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "devlint", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


def plain(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


PROGRAM = """\
import subprocess
import sys

import torch

print(__name__, __file__, sys.argv, sys.path[0])
x = torch.ones(2, device="cuda:1")
print(x.device, torch.cuda.device_count(), (x * 2).tolist())
child = "import torch; print('child', torch.cuda.device_count(), torch.zeros(1).cuda().device)"
subprocess.run([sys.executable, "-c", child])
"""


@pytest.mark.slow
def test_a_program_and_its_children_have_devices(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run(tmp_path, "--devices", "2", "program.py", "--devices", "7", "-x")
    assert result.stdout.splitlines() == [
        f"__main__ {tmp_path / 'program.py'} ['program.py', '--devices', '7', '-x'] {tmp_path}",
        "cuda:1 2 [2.0, 2.0]",
        "child 2 cuda:0",
    ]
    assert (result.returncode, result.stderr) == (0, "")


MIXES = """\
import torch

scale = torch.full((2,), 0.5).float().view(2)
x = torch.ones(2, device="cuda")
print(x * scale)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 11), reason="errors have no notes before Python 3.11")
def test_an_error_tells_where_the_tensor_on_the_cpu_was_made(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(MIXES)
    result = run(tmp_path, "--origins", "program.py")
    error, note = result.stderr.splitlines()[-2:]
    assert (result.returncode, error.partition(", ")[0]) == (
        1,
        "RuntimeError: Expected all tensors to be on the same device",
    )
    assert note == "devlint: on the CPU is what was made at program.py:3: torch.full((2,), 0.5)"


# Each of these ends as it does without devlint: the same code, the same last words.
ENDINGS = {
    "an exception": "def f():\n    raise ValueError('no')\n\nf()\n",
    "an exception with a cause": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
    "a syntax error": "x = 1\nx = = 2\n",
    "an exit code": "import sys\nsys.exit(3)\n",
    "an exit with a message": "raise SystemExit('goodbye')\n",
    "an exit without a code": "print('done')\nraise SystemExit\n",
    "a keyboard interrupt": "raise KeyboardInterrupt\n",
    "os._exit": "import os\nos._exit(7)\n",
    "a hook of its own": "import sys\nsys.excepthook = lambda *error: print('mine', error[0])\n1 / 0\n",
    "atexit": "import atexit\natexit.register(print, 'last')\nprint('first')\n",
    "an import of its neighbour": "import neighbour\nprint(neighbour.__name__)\n",
    "its own name": "import __main__\nprint(__main__.__file__, __main__.__spec__, __main__.__package__)\n",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_ends_as_python_ends_it(tmp_path: Path, ending: str) -> None:
    (tmp_path / "program.py").write_text(ENDINGS[ending])
    (tmp_path / "neighbour.py").write_text("")
    expected, result = plain(tmp_path, "program.py"), run(tmp_path, "program.py")
    assert (result.returncode, result.stdout, result.stderr) == (expected.returncode, expected.stdout, expected.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ("missing.py",),
        ("-m", "missing"),
        ("-m", "package.module", "--help"),
        ("-c", "import sys; print(sys.argv)", "-x"),
        (".",),
    ],
    ids=" ".join,
)
def test_what_is_run_is_found_as_python_finds_it(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text("import sys\nprint(__name__, __package__, sys.argv[1:])\n")
    expected, result = plain(tmp_path, *arguments), run(tmp_path, *arguments)
    assert (result.returncode, result.stdout, result.stderr) == (expected.returncode, expected.stdout, expected.stderr)


@pytest.mark.slow
def test_a_traceback_through_torch_names_the_programs_lines_first(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import torch\n\nx = torch.ones(2).cuda()\nx + torch.ones(2)\n")
    result = run(tmp_path, "program.py")
    lines = result.stderr.splitlines()
    assert result.returncode == 1
    assert lines[:2] == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path / "program.py"}", line 4, in <module>',
    ]
    assert lines[-1].startswith("RuntimeError: Expected all tensors to be on the same device, but found at least two")


def test_a_signal_reaches_the_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
    assert run(tmp_path, "program.py").returncode == -signal.SIGTERM


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PROGRAM...'"),
        (("--devices", "65", "program.py"), "65 is not in the range"),
        (("--devices", "two", "program.py"), "'two' is not a valid integer"),
        (("--rng", "none", "program.py"), "'none' is not one of"),
    ],
)
def test_bad_options_are_an_error_of_ours(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(tmp_path, *arguments)
    assert result.returncode == 2
    assert message in result.stderr


def without_torch(tmp_path: Path) -> str:
    """A folder whose sitecustomize makes the interpreter one without torch."""
    (tmp_path / "site").mkdir()
    hide = (
        "import sys\n\n\nclass Hide:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch':\n            raise ModuleNotFoundError(name=name)\n\n\n"
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if name == 'torch' else find(name, package)\n"
        "sys.meta_path.insert(0, Hide())\n"
    )
    (tmp_path / "site" / "sitecustomize.py").write_text(hide)
    return os.pathsep.join([str(tmp_path / "site"), str(ROOT)])


def test_without_torch_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n")
    result = run(tmp_path, "program.py", PYTHONPATH=without_torch(tmp_path))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "error: simulating needs PyTorch: pip install 'devlint[verify]'\n"


def test_a_torch_that_cannot_be_simulated_on_ends_the_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "try:\n    import torch\nexcept Exception:\n    pass\nprint('went on', torch.zeros(1).cuda())\n"
    )
    broken = tmp_path / "broken" / "torch"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("__version__ = '9.9'\n")
    result = run(tmp_path, "program.py", PYTHONPATH=os.pathsep.join([str(ROOT), str(broken.parent)]))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: CUDA cannot be simulated on torch 9.9: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_spec_asked_for_before_the_import_does_not_end_the_simulation(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import importlib.util\nassert importlib.util.find_spec('torch')\nimport torch\nprint(torch.cuda.is_available())\n"
    )
    assert run(tmp_path, "program.py").stdout == "True\n"


@pytest.mark.slow
def test_what_torch_imports_late_takes_the_default_tensor_type(tmp_path: Path) -> None:
    """An optimizer imports torch's compiler, which looks at how a tensor is made."""
    (tmp_path / "program.py").write_text(
        "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
        "layer = torch.nn.Linear(2, 2)\ntorch.optim.SGD(layer.parameters(), 0.1).step()\nprint(layer.weight.device)\n"
    )
    assert run(tmp_path, "program.py").stdout == "cuda:0\n"


def test_a_program_that_never_imports_torch_never_pays_for_it(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import sys\nprint([m for m in sys.modules if m.startswith(('torch', 'devlint'))])\n"
    )
    assert run(tmp_path, "program.py").stdout == "[]\n"


def test_the_sitecustomize_of_a_project_still_runs(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("print('theirs', __name__, __file__)\n")
    (tmp_path / "program.py").write_text("print('program')\n")
    result = run(tmp_path, "program.py", PYTHONPATH=os.pathsep.join([str(tmp_path / "site"), str(ROOT)]))
    assert result.stdout.splitlines()[-2:] == [
        f"theirs sitecustomize {tmp_path / 'site' / 'sitecustomize.py'}",
        "program",
    ]


@pytest.mark.slow
def test_cuda_visible_devices_set_by_the_program_counts(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\nimport torch\nprint(torch.cuda.device_count())\n"
    )
    assert run(tmp_path, "--devices", "4", "program.py").stdout == "1\n"


@pytest.mark.slow
def test_without_a_device_it_is_a_cuda_build_that_sees_no_gpu(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import torch\nprint(torch.version.cuda is not None, torch.cuda.is_available(), torch.cuda.device_count())\n"
        "torch.zeros(1).cuda()\n"
    )
    result = run(tmp_path, "--devices", "0", "program.py")
    assert result.stdout == "True False 0\n"
    assert result.stderr.splitlines()[-1] == "RuntimeError: No CUDA GPUs are available"
