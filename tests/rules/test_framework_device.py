from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV108"
HEAD = "import torch\nimport transformers as tf\nfrom lightning import Trainer\nfrom transformers import AutoModel, pipeline\n"
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'

SILENT = [
    '@RunIf(min_cuda_gpus=1)\ndef test():\n    Trainer(accelerator="gpu")',
    'def test(monkeypatch):\n    monkeypatch.setattr("a.num_cuda_devices", lambda: 2)\n    Trainer(accelerator="gpu")',
    '@mock.patch("torch.cuda.is_available", return_value=True)\ndef test(_):\n    Trainer(accelerator="gpu")',
    'def test():\n    with pytest.raises(MisconfigurationException, match="no CUDA"):\n        Trainer(accelerator="gpu")',
    'AutoModel.from_pretrained("m", device_map="auto")',
    'AutoModel.from_pretrained("m", device_map="balanced")',
    'AutoModel.from_pretrained("m", device_map="cpu")',
    'AutoModel.from_pretrained("m", device_map=device)',
    'AutoModel.from_pretrained("m", device_map={"": "cpu"})',
    'AutoModel.from_pretrained("m", device_map={"embed": 0, "head": 1})',
    'AutoModel.from_pretrained("m", device_map={"embed": "cuda"})',
    'AutoModel.from_pretrained("m", "cuda")',
    'AutoModel.from_pretrained("m", revision="cuda")',
    'Own.from_pretrained("m", device_map="cuda")',
    'pipeline("task", device=-1)',
    'pipeline("task", device="mps")',
    'pipeline("task", device="cuda" if torch.cuda.is_available() else "cpu")',
    'pipeline("task", device=0 if torch.cuda.is_available() else -1)',
    'if torch.cuda.is_available():\n    pipeline("task", device="cuda")',
    'if args.cuda:\n    m = AutoModel.from_pretrained("m", device_map="cuda")\nelse:\n    m = AutoModel.from_pretrained("m")',
    'Trainer(accelerator="auto")',
    'Trainer(accelerator="cpu")',
    "Trainer(accelerator=name)",
    'Trainer(strategy="gpu")',
    'tf.TrainingArguments("out", fp16=True)',
    'print("cuda", device_map="cuda")',
    'def pipeline(task, device):\n    pass\npipeline("task", device="cuda")',
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{HEAD}{text}\n") == ()


FIXED = [
    ('AutoModel.from_pretrained("m", device_map="cuda")', 'AutoModel.from_pretrained("m", device_map=device.type)'),
    (
        'tf.models.bert.BertModel.from_pretrained("m", device_map="cuda")',
        'tf.models.bert.BertModel.from_pretrained("m", device_map=device.type)',
    ),
    ('AutoModel.from_pretrained("m", device_map="cuda:0")', 'AutoModel.from_pretrained("m", device_map=device)'),
    (
        'AutoModel.from_pretrained("m", device_map={"": "cuda"})',
        'AutoModel.from_pretrained("m", device_map={"": device})',
    ),
    (
        'AutoModel.from_pretrained("m", device_map=torch.device("cuda"))',
        'AutoModel.from_pretrained("m", device_map=device)',
    ),
    ('pipeline("task", device="cuda")', 'pipeline("task", device=device)'),
    ('pipeline("task", device=("cuda"))', 'pipeline("task", device=device)'),
    (
        'pipeline(\n    "task",\n    device="cuda",  # the fast one\n)',
        'pipeline(\n    "task",\n    device=device,  # the fast one\n)',
    ),
    ("Trainer(accelerator='gpu', devices=2)", "Trainer(accelerator='auto', devices=2)"),
    ('Trainer(accelerator="cuda")', 'Trainer(accelerator="auto")'),
    ('Trainer(accelerator="gpu", devices="1")', 'Trainer(accelerator="auto", devices="1")'),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_safe_fix(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{DEVICE}{before}\n", f"{HEAD}{DEVICE}{after}\n", "safe")


UNSAFE = [
    ('pipeline("task", device=0)', 'pipeline("task", device=device)'),
    ('AutoModel.from_pretrained("m", device_map={"": 0})', 'AutoModel.from_pretrained("m", device_map={"": device})'),
    ('Trainer(accelerator="gpu", devices=-1)', 'Trainer(accelerator="auto", devices="auto")'),
    ("Trainer(accelerator='gpu', devices='-1')", "Trainer(accelerator='auto', devices='auto')"),
]


@pytest.mark.parametrize(("before", "after"), UNSAFE)
def test_unsafe_fix(before: str, after: str) -> None:
    check(CODE, f"{HEAD}{DEVICE}{before}\n", f"{HEAD}{DEVICE}{after}\n", "unsafe")


OTHERS = [
    (
        "from accelerate.utils import set_module_tensor_to_device as put",
        'put(m, "w", "cuda")',
        'put(m, "w", device)',
        "safe",
    ),
    ("import dgl", 'dgl.heterograph(g, None, None, "cuda")', "dgl.heterograph(g, None, None, device)", "safe"),
    (
        "from diffusers import FluxPipeline",
        'p = FluxPipeline.from_pretrained("m")\np.enable_model_cpu_offload(device="cuda")',
        'p = FluxPipeline.from_pretrained("m")\np.enable_model_cpu_offload(device=device)',
        "safe",
    ),
    (
        "from peft import PeftModel",
        'PeftModel.from_pretrained(m, "a", torch_device="cuda")',
        'PeftModel.from_pretrained(m, "a", torch_device=device.type)',
        "safe",
    ),
    (
        "from ray.train import ScalingConfig",
        "ScalingConfig(num_workers=2, use_gpu=True)",
        "ScalingConfig(num_workers=2, use_gpu=torch.cuda.is_available())",
        "unsafe",
    ),
]


@pytest.mark.parametrize(("imported", "before", "after", "kind"), OTHERS)
def test_more_libraries(imported: str, before: str, after: str, kind: str) -> None:
    head = f"import torch\n{imported}\n{DEVICE}"
    check(CODE, f"{head}{before}\n", f"{head}{after}\n", kind)


def test_no_gpu_is_asked_for() -> None:
    assert found(CODE, "import torch\nfrom ray.train import ScalingConfig\nScalingConfig(use_gpu=False)\n") == ()


NO_FIX = [
    'pipeline("task", device=1)',
    'Trainer(accelerator="gpu", devices=[0, 1])',
    'Trainer(accelerator="gpu", devices="0,1")',
    'cards = [0]\nTrainer(accelerator="gpu", devices=cards)',
    'p.add_argument("--gpus", type=int, nargs="+")\nargs = p.parse_args()\nTrainer(accelerator="gpu", devices=args.gpus)',
]


@pytest.mark.parametrize("text", NO_FIX)
def test_cards_are_for_a_person_to_decide(text: str) -> None:
    assert places(CODE, f"{HEAD}{text}\n") == [(5 + text.count("\n"), "none")]


def test_second_card_is_chosen_where_it_stands() -> None:
    before = HEAD + 'pipeline("task", device="cuda:1")\n'
    after = HEAD + 'pipeline("task", device="cuda:1" if torch.cuda.is_available() else "cpu")\n'
    check(CODE, before, after, "safe")


def test_string_that_the_program_has_is_a_device_map() -> None:
    head = HEAD + 'device = "cuda" if torch.cuda.is_available() else "cpu"\n'
    before = head + 'AutoModel.from_pretrained("m", device_map="cuda")\n'
    check(CODE, before, head + 'AutoModel.from_pretrained("m", device_map=device)\n', "safe")


def test_device_is_defined_where_the_program_has_none() -> None:
    before = HEAD + 'model = AutoModel.from_pretrained("m", device_map="cuda")\n'
    assert places(CODE, before) == [(5, "safe")]
    assert "device_map=device.type)" in fixed(CODE, before)
    assert DEVICE in fixed(CODE, before)


def test_file_without_torch_gets_no_safe_fix() -> None:
    before = 'from transformers import pipeline\n\npipe = pipeline("task", device="cuda")\n'
    assert places(CODE, before) == [(3, "unsafe")]
    assert fixed(CODE, before).startswith("from transformers import pipeline\nimport torch\n")


@pytest.mark.parametrize("package", ["lightning", "pytorch_lightning", "lightning.pytorch"])
def test_trainer_of_every_lightning(package: str) -> None:
    before = f'import {package} as pl\n\ntrainer = pl.Trainer(accelerator="gpu")\n'
    check(CODE, before, before.replace("gpu", "auto"), "safe")


def test_number_of_gpus_of_an_old_trainer() -> None:
    head = "import pytorch_lightning as pl\n\n"
    check(CODE, head + "pl.Trainer(gpus=2)\n", head + 'pl.Trainer(accelerator="auto", devices=2)\n', "unsafe")
    check(CODE, head + "pl.Trainer(gpus=-1)\n", head + 'pl.Trainer(accelerator="auto", devices="auto")\n', "unsafe")
    assert found(CODE, head + "pl.Trainer(gpus=0)\n") == ()
    assert places(CODE, head + 'pl.Trainer(gpus=2, accelerator="ddp")\n') == [(3, "none")]


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        (
            "from sentence_transformers import SentenceTransformer as S",
            'S("m", device="cuda")',
            'S("m", device=device)',
        ),
        (
            "import sentence_transformers as st",
            'st.CrossEncoder("m", device="cuda")',
            'st.CrossEncoder("m", device=device)',
        ),
        ("import whisper", 'whisper.load_model("base", "cuda")', 'whisper.load_model("base", device)'),
        ("import clip", 'clip.load("ViT-B/32", device="cuda")', 'clip.load("ViT-B/32", device=device)'),
        (
            "from faster_whisper import WhisperModel",
            'WhisperModel("base", "cuda")',
            'WhisperModel("base", device.type)',
        ),
        (
            "from ignite.engine import create_supervised_evaluator as e",
            'e(model, {}, device="cuda")',
            "e(model, {}, device=device)",
        ),
        ("import torch_geometric.transforms as T", 'T.ToDevice("cuda")', "T.ToDevice(device)"),
        (
            "from accelerate import dispatch_model",
            'dispatch_model(model, device_map={"": "cuda"})',
            'dispatch_model(model, device_map={"": device})',
        ),
    ],
)
def test_libraries(line: str, before: str, after: str) -> None:
    head = f"import torch\n{line}\n{DEVICE}"
    check(CODE, f"{head}{before}\n", f"{head}{after}\n", "safe")


@pytest.mark.parametrize("module", ["torch.distributed", "torch.distributed.device_mesh"])
def test_mesh_needs_another_backend(module: str) -> None:
    head = f"import torch\nfrom {module} import init_device_mesh\n{DEVICE}"
    check(CODE, head + 'init_device_mesh("cuda", (2,))\n', head + "init_device_mesh(device.type, (2,))\n", "unsafe")


def test_torch_device_for_a_library_is_found_once() -> None:
    text = HEAD + DEVICE + 'pipeline("task", device=torch.device("cuda"))\n'
    assert len(found(CODE, text)) == 1
    assert found("DEV103", text) == ()


def test_accelerator_target_asks_for_the_accelerator() -> None:
    target = Target("accelerator", torch_min_version=(2, 6))
    text = fixed(CODE, HEAD + 'pipeline("task", device="cuda")\n', target=target)
    assert "torch.accelerator.current_accelerator()" in text
    assert "device=device)" in text


def test_methods_of_what_a_library_makes() -> None:
    head = (
        f"import torch\nfrom sentence_transformers import SentenceTransformer\nfrom ultralytics import YOLO\n{DEVICE}"
    )
    head += "model = SentenceTransformer('m')\n"
    check(CODE, head + 'model.encode(x, device="cuda")\n', head + "model.encode(x, device=device)\n", "safe")
    check(
        CODE, head + 'YOLO("n").predict(x, device="cuda:0")\n', head + 'YOLO("n").predict(x, device=device)\n', "safe"
    )
    check(CODE, head + 'YOLO("n").train(x, device=0)\n', head + 'YOLO("n").train(x, device=device)\n', "unsafe")
    assert places(CODE, head + "YOLO('n').train(x, device=[0, 1])\n") == []
    other = "model = other(model)\n"
    assert found(CODE, head + other + 'model.encode(x, device="cuda")\n') == ()
    assert found(CODE, head + 'other.encode(x, device="cuda")\n') == ()
