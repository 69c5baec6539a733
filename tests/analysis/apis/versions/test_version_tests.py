"""Which torch the tests of torch's version say is supported, and what follows for fixes."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.apis.versions.version_tests import oldest_tested
from tests.support.projects import fix_files, write_files


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ('if version.parse(torch.__version__) >= version.parse("1.6"):', (1, 5)),
        ('if version.parse(torch.__version__) > version.parse("1.6.0"):', (1, 6)),
        ("if torch.__version__ < '1.10.1':", (1, 9)),
        ("if torch.__version__ <= '1.10':", (1, 10)),
        ("NEW = LooseVersion(torch.__version__) >= LooseVersion('1.8.0')", (1, 7)),
        ("NEW = Version(torch.version.__version__) >= Version('2.0')", (1, 99)),
        ("if tuple(int(one) for one in torch.__version__.split('.')[:2]) >= (1, 6):", (1, 5)),
        ("if list(map(int, torch.__version__.split('.', 1)[:2])) < [1, 6]:", (1, 5)),
        ("if float(torch.__version__[:3]) < 1.7:", (1, 6)),
        ('if torch.__version__[:3] == "1.5":', (1, 5)),
        ('if Version("1.6") <= Version(torch.__version__):', (1, 5)),
        ('if "1.6" > torch.__version__:', (1, 5)),
        ("if TORCH_VERSION >= (1, 7):", (1, 6)),
        ("if digit_version(TORCH_VERSION) >= digit_version('1.6.0') and x < 1.2:", (1, 5)),
        ("if TORCH_MAJOR == 1 and TORCH_MINOR < 8:", (1, 7)),
        ('if is_torch_greater_or_equal("1.6"):', (1, 5)),
        ('if is_torch_version(">=", "1.9.0"):', (1, 8)),
        ("if is_torch_greater_or_equal_than_1_10:", (1, 9)),
        ("if _TORCH_GREATER_EQUAL_1_6:", (1, 5)),
        ("if torch_ge((1, 6)):", (1, 5)),
        ('assert torch.__version__ >= "1.12", "too old"', (1, 12)),
        ('if torch.__version__ >= "0.4.0":', (0, 3)),
        ("# if torch.__version__ < '1.6':", None),
        ("print(torch.__version__, '1.6')", None),
        ('if torch.version.cuda >= "9.2":', None),
        ('if torchvision.__version__ >= "0.9":', None),
        ('if numpy.__version__ < "1.20" and torch.__version__:', None),
        ("if torch.__version__ and rate < 0.5:", None),
        ("from torch_geometric_1_6 import x", None),
        ("torch_version_of = 3", None),
    ],
)
def test_what_a_line_leaves_room_for(line: str, version: tuple[int, int] | None) -> None:
    assert oldest_tested(line.encode()) == version


HEAD = "import torch\nfrom packaging import version\n"
CAST = "from torch.cuda.amp import autocast\n\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
CAST += "with autocast():\n    print(torch.ones(2, device=device))\n"
ASKED = 'if version.parse(torch.__version__) >= version.parse("{}"):\n    print("newer")\n'


@pytest.mark.parametrize(("release", "is_written"), [("1.6", False), ("1.12", False), ("1.13", True), ("2.1", True)])
@pytest.mark.parametrize("name", ["main.py", "tools.py"])
def test_no_fix_writes_what_a_torch_lacks_for_which_the_project_asks(
    tmp_path: Path, name: str, release: str, is_written: bool
) -> None:
    asked = ASKED.format(release)
    files = {"main.py": HEAD + CAST, "tools.py": HEAD}
    files[name] += asked
    assert ("main.py" in fix_files(write_files(tmp_path / "p", files), unsafe=True)) is is_written


def test_a_required_or_configured_torch_counts_more(tmp_path: Path) -> None:
    project = write_files(tmp_path / "p", {"main.py": HEAD + CAST + ASKED.format("1.6")})
    assert "torch.amp" in fix_files(project, **{"torch-min-version": "1.12"})["main.py"]


def test_the_target_accelerator_needs_a_newer_torch_anyway(tmp_path: Path) -> None:
    project = write_files(tmp_path / "p", {"main.py": HEAD + CAST + ASKED.format("1.6")})
    assert "torch.amp" in fix_files(project, target="accelerator", unsafe=True)["main.py"]
