from __future__ import annotations

import json
from pathlib import Path

import pytest

import devlint

FOUND = [
    ("a.yaml", "device: cuda\n", 1),
    ("a.yaml", "model:\n  device: 'cuda:0'  # the first\n", 2),
    ("a.yaml", "trainer:\n  accelerator: gpu\n", 2),
    ("a.yaml", "- torch_device: cuda\n", 1),
    ("a.yml", "run: python train.py --device cuda --epochs 3\n", 1),
    ("a.yml", 'args: ["--device", "cuda"]\n', 1),
    ("a.toml", 'device = "cuda"\n', 1),
    ("a.toml", '[run]\nmap_location = "cuda:1"\n', 2),
    ("a.ini", "device = cuda\n", 1),
    ("a.json", '{\n  "torch_device" : "cuda:0"\n}\n', 2),
    ("a.json", '{"trainer": {"max_epochs": 3, "accelerator": "gpu"}}\n', 1),
    ("a.json", '{"args": ["train.py", "--device", "cuda"]}\n', 1),
    ("run.sh", "python train.py \\\n  --device=cuda:0 \\\n  --amp\n", 2),
    ("run.sh", "lightning run --accelerator gpu\n", 1),
    ("run.sh", "python train.py --eval-device cuda\n", 1),
    ("Dockerfile", 'CMD ["python", "serve.py", "--device", "cuda"]\n', 1),
    ("Makefile", "train:\n\tpython train.py --device cuda\n", 2),
]
SILENT = [
    ("a.yaml", "device: auto\n"),
    ("a.yaml", "device: cpu\n"),
    ("a.yaml", "# device: cuda\n"),
    ("a.yaml", "device: ${oc.env:DEVICE,cuda}\n"),
    ("a.yaml", "device: cuda-11.8\n"),
    ("a.yaml", "image: nvidia/cuda:12.1\n"),
    ("a.yaml", "cuda: true\n"),
    ("a.yaml", "gpu: 1\n"),
    ("a.yaml", "device_name: cuda\n"),
    ("a.yaml", "description: runs with device: cuda\n"),
    ("a.toml", 'accelerator = "auto"\n'),
    ("a.json", '{"device": "auto", "text": "device: cuda", "name": "cuda", "device_name": "cuda"}\n'),
    ("a.json", '{"device": "cuda-11.8", "env": {"CUDA_VISIBLE_DEVICE": "0"}}\n'),
    ("run.sh", "# python train.py --device cuda\n"),
    ("run.sh", "python train.py --device $DEVICE\n"),
    ("run.sh", "pip install torch-cuda\n"),
    ("run.sh", "device=cuda\n"),
    ("a.md", "python train.py --device cuda\n"),
]


def _found(folder: Path, name: str, text: str) -> list[tuple[str, int]]:
    path = folder / name
    path.write_text(text)
    result = devlint.check(path, select="DEV109", isolated=True)
    assert not result.failures
    return [(one.code, one.location.row) for one in result.diagnostics]


@pytest.mark.parametrize(("name", "text", "row"), FOUND)
def test_found(tmp_path: Path, name: str, text: str, row: int) -> None:
    assert _found(tmp_path, name, text) == [("DEV109", row)]


@pytest.mark.parametrize(("name", "text"), SILENT)
def test_silent(tmp_path: Path, name: str, text: str) -> None:
    assert _found(tmp_path, name, text) == []


def test_the_place_is_the_device(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("device: cuda:0\n")
    (one,) = devlint.check(tmp_path, select="DEV109", isolated=True).diagnostics
    assert (one.location.column, one.end_location.column) == (9, 15)
    assert one.fix is None


def test_off_by_default_and_suppressed_by_a_comment(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("device: cuda\n")
    assert devlint.check(tmp_path, isolated=True).diagnostics == ()
    assert _found(tmp_path, "b.yaml", "device: cuda  # devlint: ignore[DEV109] our cluster has it\n") == []


def test_several_devices_in_a_row_of_json(tmp_path: Path) -> None:
    text = '{"a": {"device": "cuda"}, "b": {"map_location": "cuda:1"}}\n'
    (tmp_path / "a.json").write_text(text)
    found = devlint.check(tmp_path / "a.json", select="DEV109", isolated=True).diagnostics
    assert [text[one.span.start : one.span.end] for one in found] == ["cuda", "cuda:1"]


def test_no_other_rule_looks_at_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"env": {"CUDA_VISIBLE_DEVICE": "0"}, "device": "cuda"}\n')
    assert devlint.check(tmp_path / "a.json", isolated=True).diagnostics == ()
    found = devlint.check(tmp_path / "a.json", select="ALL", isolated=True).diagnostics
    assert [one.code for one in found] == ["DEV109"]


def test_json_is_looked_at_where_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"device": "cuda"}\n')
    assert devlint.check(tmp_path, select="DEV109", isolated=True).diagnostics == ()
    assert len(devlint.check(path, select="DEV109", isolated=True).diagnostics) == 1


def _notebook(path: Path, *cells: str) -> Path:
    code = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": one} for one in cells
    ]
    path.write_text(json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_commands_of_a_notebook_are_found_at_their_places(tmp_path: Path) -> None:
    commands = (
        "import torch\n!python train.py --device cuda --epochs 3\n",
        "%run train.py --accelerator gpu",
        "%%bash\ncd src\npython train.py \\\n  --device=cuda:0\n",
        "!python train.py --device cuda  # devlint: ignore[DEV109] ours has it",
        "!python train.py --device cpu\nprint('--device cuda')\n",
    )
    path = _notebook(tmp_path / "a.ipynb", *commands)
    found = devlint.check(path, select="DEV109", isolated=True).diagnostics
    places = [(one.location.cell, one.location.row, one.location.column) for one in found]
    assert places == [(1, 2, 27), (2, 1, 29), (3, 4, 12)]
    assert devlint.check(path, isolated=True).diagnostics == ()
