"""How other libraries are told a device: which argument of which function takes it, and in what form.

``make frameworks`` compares the table with the sources of the versions that it names. Left out is what uses the CPU by
itself where CUDA is missing: ``TrainingArguments(fp16=True)``, ``easyocr.Reader(gpu=True)``,
``stanza.Pipeline(use_gpu=True)``, onnxruntime's ``CUDAExecutionProvider``, and ``device="cuda"`` of stable-baselines3;
what asks a cluster for its machines (``ray.remote(num_gpus=1)``); and what is made for one kind of device when it is
installed: vLLM, faiss's ``StandardGpuResources``, CuPy, Numba.
"""

from __future__ import annotations

from devlint.core.record import Record

DEVICE = "device"
"""Takes a torch.device, or its string."""
TYPE = "type"
"""Takes the string of a device, without the number of a card."""
MAP = "map"
"""Takes the string of a device for a whole model, or a dictionary of devices."""
LIGHTNING = "lightning"
"""Takes the kind of an accelerator; ``"auto"`` is the one that the machine has."""
CARDS = "cards"
"""Takes a number of GPUs."""
FLAG = "flag"
"""Takes a truth value: whether to use GPUs, without which the library waits or stops."""
MESH = "mesh"
"""Takes the type of the devices that a distributed program runs on."""


class FrameworkArgument(Record):
    """An argument that tells a library its device."""

    function: str
    """Below the library, in whatever module of it, a method with its class; a ``*`` stands for a part of one name."""
    parameter: str
    form: str
    position: int | None = None
    """Where it stands without its keyword; None where it needs the keyword."""


class Library(Record):
    """A library, the version whose sources were read, and where it documents the arguments."""

    version: str
    manual: str
    arguments: tuple[FrameworkArgument, ...]


_LOADS = FrameworkArgument("*.from_pretrained", "device_map", MAP)
_TRAINER = FrameworkArgument("Trainer", "accelerator", LIGHTNING)
_FABRIC = FrameworkArgument("Fabric", "accelerator", LIGHTNING)

LIBRARIES = {
    "accelerate": Library(
        "1.15.0",
        "https://huggingface.co/docs/accelerate/package_reference/big_modeling",
        (
            FrameworkArgument("load_checkpoint_and_dispatch", "device_map", MAP, 2),
            FrameworkArgument("dispatch_model", "device_map", MAP, 1),
            FrameworkArgument("cpu_offload", "execution_device", DEVICE, 1),
            FrameworkArgument("disk_offload", "execution_device", DEVICE, 2),
            FrameworkArgument("set_module_tensor_to_device", "device", DEVICE, 2),
        ),
    ),
    "clip": Library(
        "2.6.0", "https://github.com/openai/CLIP#readme", (FrameworkArgument("load", "device", DEVICE, 1),)
    ),
    "dgl": Library(
        "2.1.0",
        "https://www.dgl.ai/dgl_docs/api/python/dgl.html",
        (
            FrameworkArgument("graph", "device", DEVICE),
            FrameworkArgument("heterograph", "device", DEVICE, 3),
        ),
    ),
    "diffusers": Library(
        "0.42.1",
        "https://huggingface.co/docs/diffusers/tutorials/inference_with_big_models",
        (
            _LOADS,
            FrameworkArgument("*.enable_model_cpu_offload", "device", DEVICE),
        ),
    ),
    "faster_whisper": Library(
        "1.2.1",
        "https://github.com/SYSTRAN/faster-whisper#usage",
        (FrameworkArgument("WhisperModel", "device", TYPE, 1),),
    ),
    "ignite": Library(
        "0.5.5",
        "https://docs.pytorch.org/ignite/engine.html",
        (
            FrameworkArgument("create_supervised_trainer", "device", DEVICE, 3),
            FrameworkArgument("create_supervised_evaluator", "device", DEVICE, 2),
        ),
    ),
    "lightning": Library(
        "2.6.0", "https://lightning.ai/docs/pytorch/stable/common/trainer.html#accelerator", (_TRAINER, _FABRIC)
    ),
    "lightning_fabric": Library("2.6.0", "https://lightning.ai/docs/fabric/stable/api/fabric_args.html", (_FABRIC,)),
    "open_clip": Library(
        "3.3.0",
        "https://github.com/mlfoundations/open_clip#usage",
        (
            FrameworkArgument("create_model", "device", DEVICE, 4),
            FrameworkArgument("create_model_and_transforms", "device", DEVICE, 4),
            FrameworkArgument("create_model_from_pretrained", "device", DEVICE),
        ),
    ),
    "optimum": Library("2.3.0", "https://huggingface.co/docs/optimum/index", (_LOADS,)),
    "peft": Library(
        "0.21.2",
        "https://huggingface.co/docs/peft/package_reference/auto_class",
        (
            FrameworkArgument("AutoPeft*.from_pretrained", "device_map", MAP),
            FrameworkArgument("PeftModel*.from_pretrained", "device_map", MAP),
            FrameworkArgument("PeftModel*.from_pretrained", "torch_device", TYPE),
        ),
    ),
    "pytorch_lightning": Library(
        "2.6.0",
        "https://lightning.ai/docs/pytorch/stable/upgrade/from_1_7.html",
        (_TRAINER, FrameworkArgument("Trainer", "gpus", CARDS)),
    ),
    "ray": Library(
        "2.60.0",
        "https://docs.ray.io/en/latest/train/api/doc/ray.train.ScalingConfig.html",
        (FrameworkArgument("ScalingConfig", "use_gpu", FLAG),),
    ),
    "sentence_transformers": Library(
        "6.2.0",
        "https://sbert.net/docs/package_reference/sentence_transformer/SentenceTransformer.html",
        (
            FrameworkArgument("SentenceTransformer", "device", DEVICE),
            FrameworkArgument("CrossEncoder", "device", DEVICE),
            FrameworkArgument("SparseEncoder", "device", DEVICE),
            FrameworkArgument("SentenceTransformer.encode", "device", DEVICE),
            FrameworkArgument("SparseEncoder.encode", "device", DEVICE),
        ),
    ),
    "setfit": Library(
        "1.2.0",
        "https://huggingface.co/docs/setfit/reference/main",
        (FrameworkArgument("SetFitModel.from_pretrained", "device", DEVICE),),
    ),
    "timm": Library(
        "1.0.31",
        "https://huggingface.co/docs/timm/reference/data",
        (FrameworkArgument("create_loader", "device", DEVICE),),
    ),
    "torch": Library(
        "2.13.0",
        "https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.device_mesh.init_device_mesh",
        (
            FrameworkArgument("init_device_mesh", "device_type", MESH, 0),
            FrameworkArgument("DeviceMesh", "device_type", MESH, 0),
        ),
    ),
    "torch_geometric": Library(
        "2.8.1",
        "https://pytorch-geometric.readthedocs.io/en/latest/modules/transforms.html",
        (
            FrameworkArgument("ToDevice", "device", DEVICE, 0),
            FrameworkArgument("PrefetchLoader", "device", DEVICE, 1),
        ),
    ),
    "transformers": Library(
        "5.23.0",
        "https://huggingface.co/docs/transformers/main_classes/pipelines",
        (
            _LOADS,
            FrameworkArgument("pipeline", "device", DEVICE),
            FrameworkArgument("pipeline", "device_map", MAP),
        ),
    ),
    "ultralytics": Library(
        "8.4.190",
        "https://docs.ultralytics.com/usage/cfg/",
        tuple(
            FrameworkArgument(f"YOLO.{one}", "device", DEVICE) for one in ("export", "predict", "track", "train", "val")
        ),
    ),
    "whisper": Library(
        "20250625",
        "https://github.com/openai/whisper#python-usage",
        (FrameworkArgument("load_model", "device", DEVICE, 1),),
    ),
}
