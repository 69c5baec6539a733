"""The configurations of docs/migrating.md are valid and do what the page says of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import devlint
from devlint.cli import main
from devlint.cli.commands import COMMANDS
from devlint.config.options import parse_options
from devlint.core.toml import load_toml
from tests.support.paths import ROOT

TEXT = ROOT.joinpath("docs/migrating.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\S+?):? .*?\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
HEAD = "import torch\n\n\n"


def check(monkeypatch: pytest.MonkeyPatch, folder: Path, project: str, text: str, path: str = "a.py") -> list[str]:
    """The codes that the configuration of a project finds in a program, with their rows."""
    monkeypatch.chdir(folder)
    (configuration,) = re.findall(r"^```toml\n(.*?)^```$", SECTIONS[project], re.DOTALL | re.MULTILINE)
    Path("pyproject.toml").write_text(configuration)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
    result = devlint.check(Path("."))
    assert result.failures == ()
    return [f"{one.code}:{one.location.row}" for one in result.diagnostics]


@pytest.mark.parametrize("text", re.findall(r"^```toml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE))
def test_the_configurations_are_valid(text: str) -> None:
    assert parse_options(load_toml(text)["tool"]["devlint"], "docs")


def test_deepspeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        HEAD
        + '"""About torch.cuda and x.cuda()."""\nx = torch.ones(2).cuda()\ntorch.cuda.synchronize()  #ignore-cuda\n'
    )
    assert check(monkeypatch, tmp_path, "DeepSpeed", text) == ["DEV101:5"]
    fixed = devlint.fix(Path("a.py")).text
    assert "from deepspeed.accelerator import get_accelerator\n" in fixed
    assert "torch.ones(2).to(get_accelerator().current_device_name())\n" in fixed
    Path("a.py").unlink()
    assert check(monkeypatch, tmp_path, "DeepSpeed", text, "op_builder/builder.py") == []


def test_vllm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + "torch.cuda.synchronize()\ntorch.cuda.empty_cache()\ntorch.cuda.manual_seed_all(1)\n"
    rows = [one.split(":")[1] for one in check(monkeypatch, tmp_path, "vLLM", text)]
    assert rows == ["4", "5", "6"]
    Path("a.py").unlink()
    assert check(monkeypatch, tmp_path, "vLLM", text, "vllm/platforms/cuda.py") == []


def test_llm_compressor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + "torch.cuda.synchronize()\ntorch.accelerator.synchronize()\nx = torch.ones(2, device='cuda')\n"
    found = check(monkeypatch, tmp_path, "llm-compressor", text)
    assert found == ["DEV501:4", "DEV703:5", "DEV102:6"]
    guarded = HEAD + "if torch.cuda.is_available():\n    graph = torch.cuda.CUDAGraph()\n"
    assert "5" not in [one.split(":")[1] for one in check(monkeypatch, tmp_path, "llm-compressor", guarded)]


def test_torchtitan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        HEAD + "x = torch.ones(2, device='cuda')  # allow-cuda: a kernel\n# allow-cuda: one more\n"
        "y = torch.ones(2).cuda()\nz = torch.ones(2).cuda()  # allow-cuda\n"
    )
    assert check(monkeypatch, tmp_path, "torchtitan", text) == ["DEV003:7"]


def test_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "import torch\nfrom torch.testing._internal.inductor_utils import requires_gpu\n\n\n@requires_gpu()\n"
        'def test_a():\n    x = torch.ones(2, device="cuda")\n    y = torch.ones(2, device=torch.device("cuda"))\n'
        "    return x, y, torch.ones(2).cuda()\n"
    )
    assert check(monkeypatch, tmp_path, "PyTorch", text) == ["DEV801:6"]
    text = text.replace("@requires_gpu()\n", "")
    assert check(monkeypatch, tmp_path, "PyTorch", text) == ["DEV102:6", "DEV102:7", "DEV101:8"]


def test_every_command_and_option_exists(capsys: Any) -> None:
    commands = [
        line
        for block in re.findall(r"^```bash\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert commands
    for words in map(str.split, commands):
        assert words[0] == "devlint"
        assert words[1] in COMMANDS
        with pytest.raises(SystemExit):
            main([words[1], "--help"])
        help_text = capsys.readouterr().out
        assert all(word in help_text for word in words if word.startswith("--"))


def test_the_rules_that_are_named_exist() -> None:
    from devlint.core.catalogue import RULES

    assert set(re.findall(r"\bDEV\d{3}\b", TEXT)) <= {rule.code for rule in RULES}
