from __future__ import annotations

import pytest

from tests.support.rule_cases import found, places

CODE = "DEV305"

SILENT = [
    'os.environ["CUDA_VISIBLE_DEVICES"] = ""',
    'os.environ["CUDA_VISIBLE_DEVICES"] = "-1"',
    'os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu',
    'os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)',
    'os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"',
    'os.environ["OMP_NUM_THREADS"] = "1"',
    'os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")',
    'if "CUDA_VISIBLE_DEVICES" not in os.environ:\n    os.environ["CUDA_VISIBLE_DEVICES"] = "0"',
    'run(x, env={**os.environ, "CUDA_VISIBLE_DEVICES": "0"})',
    'config["CUDA_VISIBLE_DEVICES"] = "0"',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import os\n{text}\n") == ()


FOUND = [
    'os.environ["CUDA_VISIBLE_DEVICES"] = "0"',
    'os.environ["CUDA_VISIBLE_DEVICES"] = "0, 1"',
    'os.environ["CUDA_VISIBLE_DEVICES"] = "0,1,"',
    'os.environ["CUDA_VISIBLE_DEVICES"] = "GPU-8932f937-d72c"',
    'os.environ["CUDA_VISIBLE_DEVICES"] = 1',
    'os.environ["HIP_VISIBLE_DEVICES"] = "1"',
    'os.environ.update({"CUDA_VISIBLE_DEVICES": "1"})',
    'os.putenv("CUDA_VISIBLE_DEVICES", "1")',
]


@pytest.mark.parametrize("text", FOUND)
def test_found(text: str) -> None:
    assert places(CODE, f"import os\n{text}\n") == [(2, "none")]


PROGRAMS = [f"import os\n{text}" for text in FOUND]
