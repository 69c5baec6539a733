"""The environment variables that choose and steer devices, and which of them a misspelled name was meant to be."""

from __future__ import annotations

from functools import lru_cache

from devlint.torch_api.spelling import is_one_edit

COUNTING = frozenset({"int", "len", "float", "round", "abs"})
"""What gives a number."""
SETTERS = frozenset({"setdefault", "__setitem__"})
"""Methods of a mapping that take a key and its value."""
NOT_ENVIRON = frozenset(
    "environment environments enviroment enviornment environement enviromment environs enviorn envrion evniron enviro "
    "envirn envirion enviromnent env envs environnement".split()
)
"""The wrong names by which ``os`` is asked for its ``environ``."""
_TARGETS = frozenset(
    """
    CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES ASCEND_RT_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES
    MUSA_VISIBLE_DEVICES MLU_VISIBLE_DEVICES SDAA_VISIBLE_DEVICES HABANA_VISIBLE_DEVICES HABANA_VISIBLE_MODULES
    MACA_VISIBLE_DEVICES TPU_VISIBLE_DEVICES TPU_VISIBLE_CHIPS NEURON_RT_VISIBLE_CORES ZE_AFFINITY_MASK
    ONEAPI_DEVICE_SELECTOR NVIDIA_DRIVER_CAPABILITIES HSA_OVERRIDE_GFX_VERSION
    CUDA_DEVICE_ORDER CUDA_LAUNCH_BLOCKING CUDA_DEVICE_MAX_CONNECTIONS CUDA_MODULE_LOADING CUDA_CACHE_DISABLE
    CUDA_CACHE_MAXSIZE CUDA_FORCE_PTX_JIT CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
    CUDA_MPS_ACTIVE_THREAD_PERCENTAGE CUDA_ENABLE_COREDUMP_ON_EXCEPTION CUBLAS_WORKSPACE_CONFIG
    PYTORCH_CUDA_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF PYTORCH_ALLOC_CONF PYTORCH_NO_CUDA_MEMORY_CACHING
    PYTORCH_NVML_BASED_CUDA_CHECK PYTORCH_ENABLE_MPS_FALLBACK PYTORCH_MPS_HIGH_WATERMARK_RATIO
    PYTORCH_MPS_LOW_WATERMARK_RATIO PYTORCH_MIOPEN_SUGGEST_NHWC TORCH_CUDA_ARCH_LIST PYTORCH_ROCM_ARCH
    TORCH_NCCL_ASYNC_ERROR_HANDLING TORCH_NCCL_BLOCKING_WAIT TORCH_DISTRIBUTED_DEBUG TORCH_CUDNN_V8_API_ENABLED
    TORCH_ALLOW_TF32_CUBLAS_OVERRIDE
    NCCL_DEBUG NCCL_DEBUG_SUBSYS NCCL_DEBUG_FILE NCCL_P2P_DISABLE NCCL_P2P_LEVEL NCCL_P2P_DIRECT_DISABLE
    NCCL_SHM_DISABLE NCCL_IB_DISABLE NCCL_IB_TIMEOUT NCCL_IB_RETRY_CNT NCCL_IB_GID_INDEX NCCL_IB_CUDA_SUPPORT
    NCCL_IB_QPS_PER_CONNECTION NCCL_SOCKET_IFNAME NCCL_SOCKET_FAMILY NCCL_SOCKET_NTHREADS NCCL_NSOCKS_PERTHREAD
    NCCL_NTHREADS NCCL_MIN_NCHANNELS NCCL_MAX_NCHANNELS NCCL_BUFFSIZE NCCL_LAUNCH_MODE NCCL_CHECKS_DISABLE
    NCCL_CHECK_POINTERS NCCL_NET_GDR_LEVEL NCCL_NET_GDR_READ NCCL_NET_PLUGIN NCCL_CROSS_NIC NCCL_CUMEM_ENABLE
    NCCL_NVLS_ENABLE NCCL_COLLNET_ENABLE NCCL_GRAPH_REGISTER NCCL_GRAPH_MIXING_SUPPORT NCCL_TOPO_FILE
    NCCL_TOPO_DUMP_FILE NCCL_IGNORE_CPU_AFFINITY NCCL_CONF_FILE NCCL_SET_THREAD_NAME NCCL_TUNER_PLUGIN
    NCCL_BLOCKING_WAIT NCCL_ASYNC_ERROR_HANDLING NCCL_RINGS NCCL_ALGO NCCL_PROTO
    """.split()
)
"""What a misspelling may have been meant to be."""

_ALSO_KNOWN = frozenset(
    """
    CUDA_HOME CUDA_PATH CUDA_ROOT CUDA_DEVICE CUDA_DEVICES CUDA_VERSION CUDA_ARCH CUDA_ARCHS CUDA_ARCH_LIST CUDA_CACHE
    CUDA_CACHE_PATH CUDA_LIB_PATH CUDA_BIN_PATH CUDA_INC_PATH CUDA_TOOLKIT_PATH CUDA_NVCC_FLAGS CUDA_AUTO_BOOST
    CUDA_DISABLE_PTX_JIT CUDA_MODULE_DATA_LOADING CUDA_DEVICE_ID CUDA_DEVICE_COUNT CUDA_DEVICE_INDEX CUDA_DEVICE_NAME
    CUDA_AVAILABLE CUDA_SCALE_LAUNCH_QUEUES CUDA_MANAGED_FORCE_DEVICE_ALLOC GPU_DEVICE_ORDINAL GPU_VISIBLE_DEVICES
    XPU_VISIBLE_DEVICES NPU_VISIBLE_DEVICES GCU_VISIBLE_DEVICES MX_VISIBLE_DEVICES ASCEND_VISIBLE_DEVICES
    ASCEND_RT_VISIBLE_DEVICES_PER_PROCESS AMD_VISIBLE_DEVICES ROCM_VISIBLE_DEVICES INTEL_VISIBLE_DEVICES
    METAX_VISIBLE_DEVICES ILUVATAR_VISIBLE_DEVICES PPU_VISIBLE_DEVICES DCU_VISIBLE_DEVICES VE_VISIBLE_DEVICES
    TOPS_VISIBLE_DEVICES ENFLAME_VISIBLE_DEVICES CAMBRICON_VISIBLE_DEVICES TORCH_CUDA_ARCH TORCH_NCCL_DEBUG
    NCCL_HOME NCCL_ROOT NCCL_ROOT_DIR NCCL_VERSION NCCL_IB_HCA NCCL_IB_SL NCCL_IB_TC NCCL_NET NCCL_MIN_CTAS
    NCCL_MAX_CTAS NCCL_MIN_NRINGS NCCL_MAX_NRINGS NCCL_MIN_P2P_NCHANNELS NCCL_MAX_P2P_NCHANNELS NCCL_LIB_DIR
    NCCL_INCLUDE_DIR NCCL_INCLUDE_DIRS NCCL_LIBRARIES NCCL_LIBRARY NCCL_COMM_ID NCCL_HOSTID NCCL_NCHANNELS
    NCCL_P2P_NET_CHUNKSIZE NCCL_TIMEOUT NCCL_BUFFER_SIZE NCCL_ENABLE NCCL_DISABLE NCCL_NVLS_DISABLE
    """.split()
)
"""Variables of tools and common options of projects: never misspellings."""

_FURTHER = {
    **dict.fromkeys(
        """
        CUDA_VISIBLE CUDA_VISIBLES CUDA_VISIBLE_GPU CUDA_VISIBLE_GPUS CUDA_VISIBLE_CARD CUDA_VISIBLE_CARDS
        CUDA_VISIBLE_DEV CUDA_VISIBLE_DEVS CUDA_AVAILABLE_DEVICE CUDA_AVAILABLE_DEVICES CUDA_DEVICE_VISIBLE
        CUDA_DEVICES_VISIBLE CUDA_DEVICE_VISIBLES CUDA_DEVICES_VISIBLES CUDA_VISIBILITY_DEVICES CUDA_DEVICE_VISIBILITY
        """.split(),
        "CUDA_VISIBLE_DEVICES",
    ),
    **dict.fromkeys("CUDA_LAUNCH_BLOCK CUDA_LAUNCH_BLOCKS CUDA_BLOCKING_LAUNCH".split(), "CUDA_LAUNCH_BLOCKING"),
    **dict.fromkeys(
        "PYTORCH_CUDA_ALLOC_CONFIG PYTORCH_CUDA_ALLOCATOR_CONF PYTORCH_CUDA_ALLOC TORCH_CUDA_ALLOC_CONF "
        "PYTORCH_CUDA_ALLOCATION_CONF PYTORCH_CUDA_MEMORY_ALLOC_CONF".split(),
        "PYTORCH_CUDA_ALLOC_CONF",
    ),
    "PYTORCH_ALLOC_CONFIG": "PYTORCH_ALLOC_CONF",
    "CUBLAS_WORKSPACE_CONF": "CUBLAS_WORKSPACE_CONFIG",
    "NCCL_DISABLE_P2P": "NCCL_P2P_DISABLE",
    "NCCL_DISABLE_IB": "NCCL_IB_DISABLE",
    "NVIDIA_VISIBLE_GPUS": "NVIDIA_VISIBLE_DEVICES",
}
"""Misspellings that are no slip of a key."""

_WORDS = {
    "VISIBLE": frozenset(
        "VISABLE VISUAL VISUALE VISUABLE VISIABEL VISABEL VISABILE VISIBILITY VISIALE VISIBALE VISIALBE VISIBILIE "
        "VISIABLED VISIBLEE VISUALS VISIVLBE VISBALE VIABLE VISIBILES".split()
    ),
    "DEVICE": frozenset("DECIVE DIVECE DEIVECE DEVISCE".split()),
    "DEVICES": frozenset("DECIVES DECIVE DIVECES DIVECE DIVICE DEVIDES DIVCES DEIVECES DEVISES DECVIES DEIVE".split()),
}
"""How the hardest words are written when more than one letter is wrong."""

LITERALS = tuple(
    literal.encode()
    for literal in (
        "CUDA_ CUDA-V CUDAV CUDA-D CUDA-L Cuda_V Cuda_v cuda_visible cuda-visible cuda_device_order cuda_launch_b _VIS "
        "-VIS VISIBLE_D VISIBLE-D _LAUNCH_BLOCK _DEVICE_ORDER _ALLOC _MPS_ CUBLAS_W AFFINITY ARCH_LIST NCCL_ NCLL_ "
        "NCCL-"
    ).split()
)
"""No name that ``meant`` knows better is without all of these."""
ANCHORS = tuple(
    b"CUDA Cuda_ cuda_v cuda-v cuda_device_o cuda_launch_b VIS LAUNCH_BL DEVICE_ORD _ALLOC _MPS_ CUBLAS_W AFFINITY "
    b"ARCH_LIST NCCL NCLL".split()
)
"""The same, shorter and fewer: pieces of all of these, for a quick look."""


@lru_cache(maxsize=4096)
def meant(name: str) -> str | None:
    """The known variable that ``name`` misspells; None for a known name, a project's own and any other."""
    plain = name.upper().replace("-", "_")
    if name in _TARGETS or plain in _ALSO_KNOWN or _is_of_another_ccl(plain):
        return None
    if plain in _TARGETS:
        return plain
    if plain in _FURTHER:
        return _FURTHER[plain]
    if not plain[:1].isalpha() or not plain[-1:].isalpha():
        return None
    near = [target for target in _TARGETS if _misspells(plain, target)]
    return near[0] if len(near) == 1 else None


def _is_of_another_ccl(name: str) -> bool:
    """Whether a variable is of another maker's library like NCCL: ``HCCL_BUFFSIZE``, ``RCCL_...``."""
    return name[1:5] == "CCL_" and name[0] != "N"


def _misspells(name: str, target: str) -> bool:
    """Whether ``name`` is ``target`` with one slip in a word, or two words, or with separators gone astray."""
    ours, theirs = name.split("_"), target.split("_")
    if len(ours) != len(theirs):
        return is_one_edit("".join(ours), "".join(theirs)) if len(target) > 12 and _astray(ours, theirs) else False
    wrong = [(one, other) for one, other in zip(ours, theirs) if one != other]
    if len(wrong) > (2 if len(target) > 12 else 1):
        return False
    return all(_slip(one, other) for one, other in wrong) and (ours[0] == theirs[0] or len(theirs[0]) > 3)


def _astray(ours: list[str], theirs: list[str]) -> bool:
    """Whether words were only joined or cut: ``CUDAVISIBLE_DEVICES``, ``CUDA__VISIBLE_DEVICES``."""
    return abs(len(ours) - len(theirs)) <= 2 and "".join(ours)[:2] == "".join(theirs)[:2]


def _slip(word: str, right: str) -> bool:
    """Whether a word is another one with a slip in it; DEVICE is as good as DEVICES."""
    if word in _WORDS.get(right, ()):
        return True
    if len(right) < 4 or len(word) < 3:
        return False
    return is_one_edit(word, right) or (right == "DEVICES" and is_one_edit(word, "DEVICE"))


def is_far(name: str) -> bool:
    """Whether a misspelled name is no slip of a key, so that it may well be a name of the project's own."""
    return name.upper().replace("-", "_") in _FURTHER


def message(name: str, known: str) -> str:
    """What there is to say about a misspelled name."""
    return f"`{name}` is no variable that anything reads: `{known}` was meant"


def fix_message(name: str, known: str) -> str:
    """What the fix does, and what takes effect by it."""
    effect = ", and may hide cards" if known.endswith("VISIBLE_DEVICES") else ""
    return f"Replace `{name}` by `{known}`, which takes effect now{effect}"


def may_hold_variables(data: bytes) -> bool:
    """Whether a file with these bytes can hold a misspelled name: one look, without decoding it."""
    return any(literal in data for literal in LITERALS)
