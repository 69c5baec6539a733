"""The commands of docs/verify.md and docs/gpu-runs/README.md, run as they stand."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import gpu_run
from devlint.verify import interpreter
from devlint.verify.comparing.verdict import Word
from devlint.verify.program import Limits
from tests.support.paths import ROOT
from tests.verify.test_verdicts import ORIGINAL

TEXT = ROOT.joinpath("docs/verify.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = [command for language, block in BLOCKS if language == "bash" for command in block.splitlines()]
CSV = ORIGINAL + (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int, required=True)\n"
    "p.add_argument('--csv', required=True)\nargs = p.parse_args()\nprint(open(args.csv).read())\n"
)
LIBRARY = "import torch\n\n\ndef double(x):\n    return x.cuda() * 2\n"
TEST = "from pathlib import Path\n\n\ndef test_it():\n    assert '.cuda()' in Path('lib.py').read_text()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "train.py": ORIGINAL,
        "train_csv.py": CSV,
        "data.csv": "1,2\n",
        "lib.py": LIBRARY,
        "tests/test_lib.py": TEST,
        "old/train.py": ORIGINAL,
        "new/train.py": ORIGINAL.replace(".cuda()", ".to('cuda')"),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    shutil.copytree(ROOT / "fixtures" / "vae_eps_cuda", tmp_path / "fixtures" / "vae_eps_cuda")
    return tmp_path


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    assert words[0] == "devlint"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    arguments = [sys.executable, "-m", *words]
    return subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(command: str, project: Path) -> None:
    done = shell(command, project)
    assert done.returncode == int("--bisect" in command), done.stdout + done.stderr
    if command == "devlint verify train.py":
        assert done.stdout == next(block for language, block in BLOCKS if language == "text")
    if "--bisect" in command:
        assert "DEV101 dropped: cpu: newly fails" in done.stderr
        assert (project / "lib.py").read_text() == LIBRARY


def test_the_page_says_what_is() -> None:
    table = TEXT.partition("## The verdicts")[2].partition("\n## ")[0]
    told = {row.split("|")[1].strip() for row in table.splitlines() if row.startswith("| ")} - {"verdict", "---"}
    assert told == {word.value for word in Word} - {"slower"} | {"slower by N extra copies"}
    limits = Limits()
    for number in (
        f"{limits.seconds:g} s",
        f"{limits.memory >> 30} GiB",
        f"{limits.file_size >> 30} GiB",
        f"{limits.processes}",
    ):
        assert f"| {number}" in TEXT


@pytest.mark.slow
def test_no_gpu_is_no_gpu_run() -> None:
    page = ROOT.joinpath("docs/gpu-runs/README.md").read_text("utf-8")
    (command,) = re.findall(r"^```bash\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert "No run on a real GPU has been made yet" in page or list(ROOT.joinpath("docs/gpu-runs").glob("2*.md"))
    words = [sys.executable, *shlex.split(command)[1:]]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: there is no GPU here that torch can use\n")


def test_a_gpu_run_without_torch_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(interpreter, "_has_torch", lambda python: False)
    assert gpu_run.main([]) == 2
    assert re.fullmatch("error: .*: this Python .* has no torch\n", capsys.readouterr().err)


@pytest.mark.slow
def test_a_rehearsal_writes_a_report_that_says_so(tmp_path: Path) -> None:
    words = "-m benchmarks.gpu_run --rehearse --only vae_eps_cuda --output".split()
    done = subprocess.run(
        [sys.executable, *words, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (report,) = tmp_path.iterdir()
    text = report.read_text("utf-8")
    assert text.startswith("# Rehearsal without a GPU") and "| simulated cuda | same | 1 |" in text
    assert "| cuda | same | 1 |" in text and "| cuda and cpu | same | 1 |" in text
    assert "| all of them | works: 128.0 |" in text and "on cuda: exit code 0, 4.0" in text
    assert "| `torch.cuda.is_available()` | False |" in text
