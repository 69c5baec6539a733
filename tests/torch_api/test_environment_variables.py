"""Which names are misspellings: how many real ones are found, and how many legitimate ones are left alone."""

from __future__ import annotations

import pytest

from devlint.sources.environment_mentions import mentions
from devlint.sources.text_kinds import Syntax
from devlint.torch_api.environment_variables import LITERALS, is_far, meant
from tests.support.paths import DATA, ROOT

NAMES = DATA / "variable_names"


def rows(name: str) -> list[list[str]]:
    lines = (NAMES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


MISSPELLED = [(row[0], row[-1], "!" not in row) for row in rows("misspelled")]
LEGITIMATE = [(row[0], "!" not in row) for row in rows("legitimate")]


@pytest.mark.parametrize(("name", "known", "expected"), MISSPELLED)
def test_misspelled(name: str, known: str, expected: bool) -> None:
    assert meant(name) == (known if expected else None)
    assert any(literal in name.encode() for literal in LITERALS) or not expected


@pytest.mark.parametrize(("name", "expected"), LEGITIMATE)
def test_legitimate(name: str, expected: bool) -> None:
    assert (meant(name) is None) is expected


def test_rates() -> None:
    """The rates that docs/environment.md tells."""
    found = sum(meant(name) == known for name, known, _ in MISSPELLED)
    spared = sum(meant(name) is None for name, _ in LEGITIMATE)
    assert len(MISSPELLED) >= 60 and len(LEGITIMATE) >= 60
    assert len({name for name, *_ in MISSPELLED}) == len(MISSPELLED)
    assert found / len(MISSPELLED) >= 0.94
    assert spared / len(LEGITIMATE) >= 0.99
    text = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    assert f"{found} of {len(MISSPELLED)}" in text
    assert f"{spared} of {len(LEGITIMATE)}" in text


IN_TEXT = [
    "CUDA_VISIBLE_DEVICE=0 python x.py",
    "env CUDA_VISIBLE_DEVICE=0 python x.py",
    "nohup env A=1 CUDA_VISIBLE_DEVICE=0 python x.py &",
    "cd x && CUDA_VISIBLE_DEVICE=0 python x.py",
    "(CUDA_VISIBLE_DEVICE=0 python x.py)",
    "!CUDA_VISIBLE_DEVICE=0 python x.py",
    "$ CUDA_VISIBLE_DEVICE=0 python x.py",
    "export CUDA_VISIBLE_DEVICE=0",
    "export CUDA_VISIBLE_DEVICE",
    "unset CUDA_VISIBLE_DEVICE",
    "setenv CUDA_VISIBLE_DEVICE 0",
    "declare -x CUDA_VISIBLE_DEVICE=0",
    "set -x CUDA_VISIBLE_DEVICE 0",
    "set CUDA_VISIBLE_DEVICE=0",
    'set "CUDA_VISIBLE_DEVICE=0"',
    '$env:CUDA_VISIBLE_DEVICE = "0"',
    "echo $CUDA_VISIBLE_DEVICE",
    "echo ${CUDA_VISIBLE_DEVICE:-0} ",
    "echo ${CUDA_VISIBLE_DEVICE-0} ",
    "echo %CUDA_VISIBLE_DEVICE%",
    "docker run -e NVIDIA_VISIBLE_DEVICE=0 image",
    "docker run --env=NVIDIA_VISIBLE_DEVICE=0 image",
    "docker run --env NVIDIA_VISIBLE_DEVICE image",
    "mpirun -x NCCL_P2P_DISABLED=1 -np 2 python x.py",
    "ENV CUDA_VISIBLE_DEVICE 0",
    "ENV A=1 CUDA_VISIBLE_DEVICE=0",
    "%env CUDA_VISIBLE_DEVICE=0",
    "%env CUDA_VISIBLE_DEVICE 0",
    "%set_env CUDA_VISIBLE_DEVICE=0",
    "Environment=CUDA_VISIBLE_DEVICE=0",
    "os.environ['CUDA_VISIBLE_DEVICE'] = '0'",
    "os.environ.get('CUDA_VISIBLE_DEVICE')",
    'setenv("CUDA_VISIBLE_DEVICE", "0", 1);',
    "- name: CUDA_VISIBLE_DEVICE",
    "  - CUDA_VISIBLE_DEVICE=0",
    "export CUDA_VISIBLE_GPUS=1",
]


@pytest.mark.parametrize("text", IN_TEXT)
def test_found_in_text(text: str) -> None:
    (one,) = mentions(f"first\n{text}\nlast\n")
    assert text[one.start - 6 : one.end - 6] == one.name
    assert one.correct_name == meant(one.name)


NOT_IN_TEXT = [
    "python x.py --CUDA_VISIBLE_DEVICE=0",
    "python x.py CUDA_VISIBLE_DEVICE 0",
    "if CUDA_VISIBLE_DEVICE == 0",
    "we set CUDA_VISIBLE_DEVICE and go on",
    "cuda_visible_device=0",
    "MY_CUDA_VISIBLE_DEVICE=0 python x.py",
    "-DCUDA_VISIBLE_DEVICE=0",
    "CUDA_VISIBLE_DEVICE=0 CUDA_VISIBLE_DEVICES=0 python x.py",
    "CUDA_VISIBLE_DEVICE=0 \\\n  CUDA_VISIBLE_DEVICES=0 \\\n  python x.py",
    "CUDA_VISIBLE_DEVICE=0 \\\r\n  CUDA_VISIBLE_DEVICES=0 \\\r\n  python x.py",
    "CUDA_VISIBLE_DEVICE=0\nCUDA_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICE python x.py",
    "CUDA_VISIBLE_DEVICE=0\npython x.py --gpu $CUDA_VISIBLE_DEVICE",
    "fix the typo CUDA_VISIBLE_DEVICE=0",
    "echo $CUDA_VISIBLE_GPUS",
    "$CUDA_VISIBLE_DEVICES_LIST",
    "%CUDA_VISIBLE_DEVICE",
]


@pytest.mark.parametrize("text", NOT_IN_TEXT)
def test_not_found_in_text(text: str) -> None:
    assert mentions(text) == []
    assert mentions(f"first\n{text}\nlast\n") == []


BLOCKS = [
    ("env:\n  CUDA_VISIBLE_DEVICE: 0\n", 1),
    ('env:\n  # cards\n\n  "CUDA_VISIBLE_DEVICE": 0\n', 1),
    ("job:\n  variables:\n    A: 1\n    CUDA_VISIBLE_DEVICE: 0\n", 1),
    ("    environment:\n      - A=1\n      - CUDA_VISIBLE_DEVICE=0\n", 1),
    ('[env]\nA = 1\nCUDA_VISIBLE_DEVICE = "0"\n', 1),
    ("[testenv]\nsetenv =\n    CUDA_VISIBLE_DEVICE = 0\n", 1),
    ("model:\n  CUDA_VISIBLE_DEVICE: 0\n", 0),
    ("CUDA_VISIBLE_DEVICE: 0\n", 0),
    ("env: conda\nmodel:\n  CUDA_VISIBLE_DEVICE: 0\n", 0),
    ('[train]\nCUDA_VISIBLE_DEVICE = "0"\n', 0),
    ("environments_seen:\n  CUDA_VISIBLE_DEVICE: 0\n", 0),
    ("env:\n  CUDA_VISIBLE_GPUS: 0\n", 0),
]


@pytest.mark.parametrize(("text", "count"), BLOCKS)
def test_blocks(text: str, count: int) -> None:
    assert len(mentions(text, Syntax.BLOCKS)) == count


def test_assignments() -> None:
    assert len(mentions("CUDA_VISIBLE_DEVICE = 0\n", Syntax.ASSIGNMENTS)) == 1
    assert len(mentions("CUDA_VISIBLE_DEVICE ?= 0\nrun:\n\tpython x.py\n", Syntax.ASSIGNMENTS)) == 1
    assert mentions("CUDA_VISIBLE_DEVICE ?= 0\nrun:\n\tpython $(CUDA_VISIBLE_DEVICE)\n", Syntax.ASSIGNMENTS) == []
    assert mentions("CUDA_VISIBLE_DEVICE = 0\n") == []


def test_prose() -> None:
    assert len(mentions("Set `CUDA_VISIBLE_DEVICE` first.", Syntax.PROSE)) == 1
    assert mentions("Set `CUDA_VISIBLE_DEVICE`, which becomes `CUDA_VISIBLE_DEVICES`.", Syntax.PROSE) == []
    assert mentions("Set `CUDA_VISIBLE_GPUS` first.", Syntax.PROSE) == []
    assert mentions("Set `CUDA_VISIBLE_DEVICE` first.") == []


def test_far_names() -> None:
    assert is_far("CUDA_VISIBLE_GPUS") and not is_far("CUDA_VISIBLE_DEVICE")
