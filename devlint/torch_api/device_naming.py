"""The names by which programs call a device, and those of what may have one as a default."""

from __future__ import annotations

import re

from devlint.core.lazy_regex import regex

_DEVICE_NAME = regex(r"_*(?:[a-z0-9]+_)*(?:device|dev)(?:_[a-z0-9]+)?_*\Z|_*DEV(?:ICE)?_*\Z", re.IGNORECASE)
_PLAIN_NAME = regex(
    r"_*(?:(?:cuda|gpu|torch|th|pt|my|the|cur|current|default|selected|used|target|compute|run|exec|execution|train"
    r"|training)_)*(?:device|dev)_*\Z",
    re.IGNORECASE,
)
_LOCATION_NAME = regex(r"_*(?:\w*_)?(?:map_location|location|loc)\Z", re.IGNORECASE)
_PINNING = regex(r"(?<![A-Za-z])(?!(?<=is_)pinned\b)(?:pin|PIN)|Pin")
_NOT_DEVICES = regex(
    r"(?:^|_)(?:n|num|set|count|ids?|index|idx|names?|types?|lists?|maps?|properties|devices|mesh|meshes|groups?|stats|batch|batches"
    r"|pool|loader|iter|data|dataset|loss|acc)(?:_|\Z)"
)
_MOVES = regex(r"(?:^|_)(?:to|move|moved|put|send|copy|push|transfer|place|cast|is|has|check|print|same|sync)(?:_|\Z)")

_OPTIONS = regex(
    r"(?:^|_)(?:args?|argv|opts?|options?|conf|config\w*|cfgs?|params?|flags?|hps?|hparams?|hyper\w*|accelerator)"
    r"(?:_|\d|\Z)|(?:args|options|opts|config|cfg|params|flags|accelerator)_*\d*\Z",
    re.IGNORECASE,
)
CARD_NAME = regex(
    r"_*(?:\w*_)?(?:gpu|cuda|device|dev)_?(?:id|idx|index|num|number|no|rank)_*\Z"
    r"|_*(?:\w*_)?(?:gpu\d*|card|rank|localrank|node_rank)_*\Z",
    re.IGNORECASE,
)
"""A name that usually holds the number of a card."""
CARD_LIST = regex(r"_*(?:\w*_)?(?:gpus|(?:gpu|cuda|device)_?(?:ids?|list|idxs|indices))_*\Z", re.IGNORECASE)
"""A name that usually holds several."""
CARD_CALLS = frozenset(
    "int current_device get_rank get_local_rank local_rank get_device current_device_index get_world_rank".split()
)
"""What is called to get one."""
DEVICE_TYPES = frozenset(
    "cpu cuda mps xpu hpu npu xla meta ipu mlu musa mtia vulkan hip fpga maia privateuseone".split()
)
"""What ``device.type`` may be."""
ON_EVERY_MACHINE = frozenset({"cpu", "meta"})
"""Those of them that are no accelerators."""
ACCELERATORS = (DEVICE_TYPES - ON_EVERY_MACHINE) | {"gpu", "rocm", "sdaa", "tpu"}
"""The others, and what programs call accelerators besides."""
NOT_FOR_CUDA = ACCELERATORS - {"cuda", "gpu", "hip", "rocm"}
"""The accelerators that torch does not take for CUDA."""
FIELD_CALLS = frozenset("field Field attrib ib".split())
"""What is called to describe a field of a class."""
OPTION_CALLS = frozenset(
    "add_argument argument option Option Argument add_option add_arg DEFINE_string DEFINE_enum".split()
)
"""What is called to add an option to a command line."""
LIGHTNING = "LightningModule"
HAVE_TORCH_DEVICE = (LIGHTNING, "PreTrainedModel", "DiffusionPipeline", "ModelMixin")
"""How the classes are called whose instances have a torch.device."""
EXECUTION_DEVICE = "_execution_device"
"""The attribute of diffusers' pipelines that holds the torch.device on which they run."""
ACCELERATORS_OF_LIBRARY = ("accelerate.Accelerator", "accelerate.accelerator.Accelerator")
"""What is called to make an object that has a torch.device for the process."""
MAKERS = frozenset({"torch.device", "torch.get_default_device"})
CURRENT = frozenset({"torch.accelerator.current_accelerator", "torch.get_default_device"})
"""What gives a torch.device, and what gives a device that nobody names."""
SLOTS = ("device", "torch_device", "map_location")
"""The keywords of a device."""
LOADS = frozenset({"torch.load", "torch.jit.load"})
URL_LOADS = frozenset({"load_state_dict_from_url", "load_url"})
TAKE_DEVICE = frozenset({"torch.Generator", "torch.set_default_device"})
"""What takes a device: after a file, after an address (in whatever module of torch) and a folder, and first."""
DEFAULT_SETTERS = ("set_default_device", "set_default_tensor_type")
"""What changes where tensors are made that are given no device."""
ONLY_ASK = frozenset("super getattr setattr hasattr isinstance type id print".split())
"""Functions that call no method of what they are given."""
STRING_METHODS = frozenset(
    "startswith endswith split partition rpartition lower upper strip replace find count".split()
)
"""What is asked of strings, and of no torch.device."""


def speaks_of_pinning(text: str) -> bool:
    """Whether a word of a text begins with ``pin``; a question whether memory is pinned is none."""
    return _PINNING.search(text) is not None


def looks_like_device(name: str) -> bool:
    """Whether a variable of this name usually holds a device."""
    return _DEVICE_NAME.match(name) is not None and _NOT_DEVICES.search(name.lower()) is None


def is_plainly_device(name: str) -> bool:
    """Whether a device of this name is the one that a program uses; one for something is not: ``data_device``."""
    return _PLAIN_NAME.match(name) is not None


def holds_device(name: str) -> bool:
    """Whether what is given CUDA under this name holds a device, or says where something is loaded."""
    return looks_like_device(name) or _LOCATION_NAME.match(name) is not None


def holds_placement(name: str) -> bool:
    """Whether a string that is given this name says where something is put: a device, or ``device_map="cuda:0"``."""
    return holds_device(name) or name.lower().endswith("device_map")


def mentions_device(name: str) -> bool:
    """Whether a function of this name gives a device: ``get_device``, and not ``to_device``, which moves something."""
    return "device" in name and _NOT_DEVICES.search(name.lower()) is None and _MOVES.search(name.lower()) is None


def holds_options(name: str) -> bool:
    """Whether a variable of this name usually holds the options of a program."""
    return _OPTIONS.search(name) is not None
