from __future__ import annotations

import pytest

from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV301"
OWN = "CUDA_VISIBLE_DEVICES"

SILENT = [
    'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"',
    'import os\nos.environ["CUDA_DEVICES"] = "0"',
    'import os\nos.environ["MY_CUDA_VISIBLE_DEVICES"] = "0"',
    'import os\nos.environ["MUSA_VISIBLE_DEVICES"] = "0"',
    'import os\nos.environ["HCCL_BUFFSIZE"] = "512"',
    'import os\nos.environ[name] = "CUDA_VISIBLE_DEVICE"',
    'config["CUDA_VISIBLE_DEVICE"] = "0"',
    'settings.get("CUDA_VISIBLE_DEVICE")',
    'CUDA_VISIBLE_DEVICE = "0"',
    'parser.add_argument("--CUDA_VISIBLE_DEVICE")',
    'run(cuda_visible_device="0")',
    "run(CUDA_VISIBLE_DEVICE=0)",
    'x = f"cuda_visible_device={x}"',
    'print("CUDA_VISIBLE_DEVICE=0 is not what you mean")',
    'raise ValueError("CUDA_VISIBLE_DEVICE=0")',
    'logger.info("CUDA_VISIBLE_DEVICE=%s", x)',
    'info = {"cuda_visible_devices": 1}',
    'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICE"]',
    'import os\nif "CUDA_VISIBLE_DEVICE" in os.environ:\n'
    '    os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICE"]',
    'cmd = "python run.py --CUDA_VISIBLE_DEVICE=0"',
    'cmd = "CUDA_VISIBLE_DEVICE=0; CUDA_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICE python run.py"',
    '"""The typo CUDA_VISIBLE_DEVICE=0 is found."""',
    'CUDA_VISIBLE_GPUS = "0"',
    'patched_env["nccl_p2p_disable"] = "1"',
    'run_env = {"nccl_p2p_disable": "1"}',
    'env = dict(cuda_visible_devices="1")',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{text}\n") == ()


FOUND = [
    'import os\nos.environ["CUDA_VISIBLE_DEVICE"] = "0"',
    "import os\nos.environ['CUDA_VISIBLE_DEVICE'] = '0'",
    'import os\nos.environ["cuda_visible_devices"] = "0"',
    'import os\nx = os.getenv("cuda_visible_devices")',
    'import os\nos.environ[r"CUDA_VISIBLE-DEVICES"] = "0"',
    'import os\nos.environ["CUDA_AVAILABLE_DEVICES"] = "0"',
    'import os as o\no.environ["CUDA_VISIABLE_DEVICES"] = "0"',
    'from os import environ\nenviron["CUDA_DEVICES_ORDER"] = "PCI_BUS_ID"',
    'from os import environ as e\ne["CUDA_VISABLE_DEVICES"] = "0"',
    'import os\nos.environb[b"CUDA_VISIBLE_DEVICE"] = b"0"',
    'import os\nx = os.environ.get("CUDA_VISIBLE_DEVICE", "")',
    'import os\nos.environ.setdefault("CUDA_LAUNCH_BLOCK", "1")',
    'import os\nx = os.environ["CUDA_VISIBLE_DEVICE"]',
    'import os\nos.environ.pop("CUDA_VISIBLE_DEVICE", None)',
    'import os\ndel os.environ["CUDA_VISIBLE_DEVICE"]',
    'import os\nif "CUDA_VISIBLE_DEVICE" in os.environ: pass',
    'import os\nif "CUDA_VISIBLE_DEVICE" not in os.environ: pass',
    'import os\nos.environ.update({"A": "1", "CUDA_VISIBLE_DEVICE": "0"})',
    'import os\nos.environ.update(CUDA_VISIBLE_DEVICE="0")',
    'import os\nos.environ |= {"CUDA_VISIBLE_DEVICE": "0"}',
    'import os\nx = os.getenv("CUDA_VISIBLE_DEVICE")',
    'from os import getenv\nx = getenv("CUDA_VISIBLE_DEVICE")',
    'import os\nos.putenv("NCCL_P2P_DISABLED", "1")',
    'import os\nos.unsetenv("CUDA_VISIBLE_DEVICE")',
    'def test(monkeypatch):\n    monkeypatch.setenv("CUDA_VISIBLE_DEVICE", "0")',
    'def test(monkeypatch):\n    monkeypatch.delenv("CUDA_VISIBLE_DEVICE")',
    'import os\nfrom unittest import mock\nmock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICE": "0"})',
    'from unittest import mock\n@mock.patch.dict("os.environ", {"CUDA_VISIBLE_DEVICE": "0"})\ndef test(): pass',
    'import os\nfrom unittest.mock import patch\nwith patch.dict(os.environ, CUDA_VISIBLE_DEVICE="0"): pass',
    'import subprocess\nsubprocess.run(["x"], env={"CUDA_VISIBLE_DEVICE": "0"})',
    'import os, subprocess\nsubprocess.run(["x"], env={**os.environ, "CUDA_VISIBLE_DEVICE": "0"})',
    'import os, subprocess\nsubprocess.run(["x"], env=dict(os.environ, CUDA_VISIBLE_DEVICE="0"))',
    'import os, subprocess\nsubprocess.run(["x"], env=os.environ | {"CUDA_VISIBLE_DEVICE": "0"})',
    'import os\nenv = os.environ.copy()\nenv["CUDA_VISIBLE_DEVICE"] = "0"',
    'import os\nmy_env = dict(os.environ)\nmy_env["CUDA_VISIBLE_DEVICE"] = "0"',
    'ray.init(runtime_env={"env_vars": {"CUDA_VISIBLE_DEIVCES": "-1"}})',
    'import os\nKEY = "CUDA_VISIBLE_DEVICE"\nos.environ[KEY] = "0"',
    '@click.option("--gpu", envvar="CUDA_VISIBLE_DEVICE")\ndef f(gpu): pass',
    'import os\nos.system("CUDA_VISIBLE_DEVICE=0 python x.py")',
    'cmd = f"CUDA_VISIBLE_DEVICE={gpu} python x.py"',
    'cmd = "CUDA_VISIBLE_DEVICE=%d python x.py" % gpu',
    'cmd = "CUDA_VISIBLE_DEVICE=" + str(gpu) + " python x.py"',
    'cmd = ["env", "CUDA_VISIBLE_DEVICE=0", "python", "x.py"]',
    'cmd = "set -e\\nexport CUDA_VISIBLE_DEVICE=0\\nCUDA_VISIABLE_DEVICES=0 python"',
    'cmd = "docker run -e NVIDIA_VISIBLE_DEVICE=all image"',
    'cmd = ("OMP_NUM_THREADS=1 "\n       "CUDA_VISIBLE_DEVICE=0 "\n       f"python {x}")',
    '"""Trains.\n\n    CUDA_VISIBLE_DEVICE=0 python train.py\n    CUDA_VISIBLE_DEVICE=1 python train.py\n"""',
    'parser.add_argument("--debug", help="like CUDA_LAUNCH_BLOCK=1")',
]


ASKS = (".get(", "getenv(", " in os.environ", "x = os.environ[", "envvar=")


@pytest.mark.parametrize("text", FOUND)
def test_found_and_fixed(text: str) -> None:
    kind = "unsafe" if any(one in text for one in ASKS) else "safe"
    assert {kind for _, kind in places(CODE, f"{text}\n")} == {kind}
    after = fixed(CODE, f"{text}\n")
    assert after != f"{text}\n"
    assert found(CODE, after) == ()


def test_places_and_words() -> None:
    (one,) = found(CODE, 'import os\nos.environ["CUDA_VISIBLE_DEVICE"] = "0"\n')
    assert (one.location.row, one.location.column, one.end_location.column) == (2, 13, 32)
    assert one.message == "`CUDA_VISIBLE_DEVICE` is no variable that anything reads: `CUDA_VISIBLE_DEVICES` was meant"


def test_only_the_name_changes() -> None:
    before = """
        import os
        os.environ['CUDA_VISIBLE_DEVICE'] = ( # cards
            "0")
        os.system(f"export NCCL_P2P_DISABLED=1; CUDA_VISABLE_DEVICES={1} python x.py --n={2:>4}")
    """
    after = before.replace("VISIBLE_DEVICE'", "VISIBLE_DEVICES'").replace("VISABLE", "VISIBLE")
    check(CODE, before, after.replace("DISABLED=", "DISABLE="), "safe", "safe", "safe")


def test_escapes_are_not_read() -> None:
    assert places(CODE, 'import os\nos.environ["CUDA_VISIBLE\\x5fDEVICE"] = "0"\n') == []


EFFECTS = [
    ("CUDA_VISIBLE_DEVICE", "`CUDA_VISIBLE_DEVICES`, which takes effect now, and may hide cards"),
    ("CUDA_LAUNCH_BLOCK", "`CUDA_LAUNCH_BLOCKING`, which takes effect now"),
]


@pytest.mark.parametrize(("name", "effect"), EFFECTS)
def test_the_message_says_what_takes_effect(name: str, effect: str) -> None:
    (finding,) = found(CODE, f'import os\nos.environ["{name}"] = "1"\n')
    assert finding.fix is not None
    assert finding.fix.message == f"Replace `{name}` by {effect}"


@pytest.mark.parametrize(
    ("value", "taken", "kind"),
    [
        ("args.gpu", "torch.cuda.set_device(int(args.gpu))", "unsafe"),
        ("str(args.gpu)", "torch.cuda.set_device(args.gpu)", "unsafe"),
        ("args.gpu", "net.cuda(args.gpu)", "unsafe"),
        ("'1'", "net.to('cuda:1')", "unsafe"),
        ("'0'", "net.to('cuda:0')", "safe"),
        ("args.gpu", "torch.cuda.set_device(0)", "safe"),
        ("args.gpu", "net.cuda()", "safe"),
    ],
)
def test_a_card_that_the_right_name_would_hide(value: str, taken: str, kind: str) -> None:
    """It is then the only one, and has the number 0."""
    text = f'import os\nimport torch\nos.environ["CUDA_VISOBLE_DEVICES"] = {value}\n{taken}\n'
    assert places(CODE, text) == [(3, kind)]
