from __future__ import annotations

import pytest

from tests.support.rule_cases import check, found, places

CODE = "DEV303"
NAME = "CUDA_VISIBLE_DEVICES"

SILENT = [
    'os.environ["CUDA_VISIBLE_DEVICES"] = "0"',
    'os.environ["CUDA_VISIBLE_DEVICES"] = f"{0}"',
    'os.environ["CUDA_VISIBLE_DEVICES"] = str(0)',
    'os.environ["CUDA_VISIBLE_DEVICES"] = gpu',
    'os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu',
    'os.environ["CUDA_VISIBLE_DEVICES"] = "0" if x else ""',
    'def f(gpu=0):\n    os.environ["CUDA_VISIBLE_DEVICES"] = gpu',
    'for gpu in gpus:\n    os.environ["CUDA_VISIBLE_DEVICES"] = gpu',
    'for gpu in "01":\n    os.environ["CUDA_VISIBLE_DEVICES"] = gpu',
    'gpu = 0\nif x: gpu = "1"\nos.environ["CUDA_VISIBLE_DEVICES"] = gpu',
    'from x import range\nfor i in range(8):\n    os.environ["A"] = i',
    'x = os.environ.get("CUDA_VISIBLE_DEVICES", 0)',
    'x = os.getenv("CUDA_VISIBLE_DEVICES", 0)',
    'environ["CUDA_VISIBLE_DEVICES"] = 0',
    'config["CUDA_VISIBLE_DEVICES"] = 0',
    'env = os.environ.copy()\nenv["CUDA_VISIBLE_DEVICES"] = 0',
    'env = {}\nenv["CUDA_VISIBLE_DEVICES"] = 0\nrun(env=env)',
    'monkeypatch.setenv("CUDA_VISIBLE_DEVICES", 0)',
    'run(env={"CUDA_VISIBLE_DEVICES": 0})',
    'os.environ["A"] = "1" * 3',
    'mock.patch.dict(os.environ, {"A": "0"}, clear=True)',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import os\n{text}\n") == ()


FIXED = [
    ('os.environ["CUDA_VISIBLE_DEVICES"] = 0', 'os.environ["CUDA_VISIBLE_DEVICES"] = "0"'),
    ("os.environ['CUDA_VISIBLE_DEVICES'] = -1", "os.environ['CUDA_VISIBLE_DEVICES'] = '-1'"),
    ('os.environ["CUDA_VISIBLE_DEVICES"] = (0)', 'os.environ["CUDA_VISIBLE_DEVICES"] = "0"'),
    ('os.environ["CUDA_VISIBLE_DEVICES"] = [0, 1]', 'os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"'),
    ('os.environ["CUDA_VISIBLE_DEVICES"] = 0, 1', 'os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"'),
    ('os.environ["OMP_NUM_THREADS"] = 8', 'os.environ["OMP_NUM_THREADS"] = "8"'),
    ('os.environ["A"] = 0x10', 'os.environ["A"] = str(0x10)'),
    ('os.environ["A"] = 1_000', 'os.environ["A"] = str(1_000)'),
    ('os.environ["A"] = 0.5', 'os.environ["A"] = str(0.5)'),
    ('os.environ["A"] = len(x)', 'os.environ["A"] = str(len(x))'),
    ('os.environ["A"] = int(x) + 1', 'os.environ["A"] = str(int(x) + 1)'),
    ("os.environ[name] = 0", 'os.environ[name] = "0"'),
    ('os.environ["CUDA_LAUNCH_BLOCKING"] = True', 'os.environ["CUDA_LAUNCH_BLOCKING"] = "1"'),
    ('os.environ["NCCL_P2P_DISABLE"] = False', 'os.environ["NCCL_P2P_DISABLE"] = "0"'),
    ('gpu = 1\nos.environ["A"] = gpu', 'gpu = 1\nos.environ["A"] = str(gpu)'),
    ('for i in range(8):\n    os.environ["A"] = i % 4', 'for i in range(8):\n    os.environ["A"] = str(i % 4)'),
    ('os.environ.setdefault("A", 0)', 'os.environ.setdefault("A", "0")'),
    ('os.environ.update({"A": 0, "B": "1"})', 'os.environ.update({"A": "0", "B": "1"})'),
    ("os.environ.update(A=0)", 'os.environ.update(A="0")'),
    ('os.putenv("A", 0)', 'os.putenv("A", "0")'),
    ('with mock.patch.dict(os.environ, {"A": 0}): pass', 'with mock.patch.dict(os.environ, {"A": "0"}): pass'),
    ('run(x, env={**os.environ, "A": 0})', 'run(x, env={**os.environ, "A": "0"})'),
    ("run(x, env=dict(os.environ, A=0))", 'run(x, env=dict(os.environ, A="0"))'),
    (
        'env = os.environ.copy()\nenv["A"] = 0\nrun(x, env=env)',
        'env = os.environ.copy()\nenv["A"] = "0"\nrun(x, env=env)',
    ),
    ('a = os.environ["A"] = 0', 'a = os.environ["A"] = "0"'),
    ('if x: os.environ["A"] = 0', 'if x: os.environ["A"] = "0"'),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_fixed(before: str, after: str) -> None:
    if before.startswith("a = "):
        assert places(CODE, f"import os\n{before}\n") == [(2, "none")]
    else:
        check(CODE, f"import os\n{before}\n", f"import os\n{after}\n", "safe")


REPORTED = [
    'os.environ["CUDA_VISIBLE_DEVICES"] = None',
    'os.environ["TOKENIZERS_PARALLELISM"] = False',
    'os.environ["CUDA_VISIBLE_DEVICES"] = [gpu]',
    'os.environ["A"] = [0, 1]',
    'os.environ["A"] = (  # why\n    0)',
    'def f(str):\n    os.environ["A"] = len(str)',
]


@pytest.mark.parametrize("text", REPORTED)
def test_reported(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import os\n{text}\n")] == ["none"]


def test_other_names_of_os() -> None:
    check(CODE, 'from os import environ\nenviron["A"] = 0\n', 'from os import environ\nenviron["A"] = "0"\n', "safe")
    check(CODE, 'import os as o\no.environ["A"] = 0\n', 'import os as o\no.environ["A"] = "0"\n', "safe")


PROGRAMS = [f"import os\n{before}" for before, _ in FIXED]
