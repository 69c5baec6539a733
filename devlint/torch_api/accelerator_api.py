"""The names of torch.accelerator: since which release of torch, and what of it fails where there is no accelerator."""

from __future__ import annotations

Version = tuple[int, int]

NAMES_BY_RELEASE: dict[Version, str] = {
    (2, 6): "current_accelerator current_device_idx current_device_index current_stream device_count is_available "
    "set_device_idx set_device_index set_stream synchronize",
    (2, 8): "device_index",
    (2, 9): "empty_cache max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats "
    "reset_accumulated_memory_stats reset_peak_memory_stats",
    (2, 10): "get_device_capability get_memory_info",
    (2, 12): "Graph empty_host_cache",
    (2, 14): "random.get_rng_state random.get_rng_state_all random.initial_seed",
}
SINCE: dict[str, Version] = {name: since for since, names in NAMES_BY_RELEASE.items() for name in names.split()}
"""The first release of torch that has a function or class of torch.accelerator."""
MODULES_SINCE: dict[str, Version] = {"memory": (2, 9), "graphs": (2, 12), "random": (2, 14)}
"""The modules of torch.accelerator; what the first two hold has a name in torch.accelerator itself."""
KEYWORDS_SINCE: dict[str, tuple[str, Version]] = {"current_accelerator": ("check_available", (2, 7))}
"""Parameters that came later than their function."""
RENAMED: dict[str, str] = {
    "current_device": "current_device_index",
    "max_memory_cached": "max_memory_reserved",
    "mem_get_info": "get_memory_info",
    "memory_cached": "memory_reserved",
    "reset_max_memory_allocated": "reset_peak_memory_stats",
    "set_device": "set_device_index",
}
"""Names that torch.accelerator never had, of torch.cuda mostly, and the one that does exactly the same."""
INSTEAD: dict[str, str] = {
    "Event": "`torch.Event`",
    "OutOfMemoryError": "`torch.OutOfMemoryError`",
    "Stream": "`torch.Stream`",
    "amp": "`torch.amp`",
    "device": "`torch.accelerator.device_index`, or `torch.device`",
    "get_device_name": "`torch.get_device_module(device).get_device_name`",
    "get_device_properties": "`torch.get_device_module(device).get_device_properties`",
    "get_rng_state": "`torch.get_device_module(device).get_rng_state`",
    "manual_seed": "`torch.manual_seed`, which seeds every device",
    "manual_seed_all": "`torch.manual_seed`, which seeds every device",
    "seed": "`torch.seed`, which seeds every device",
    "seed_all": "`torch.seed`, which seeds every device",
    "set_rng_state": "`torch.get_device_module(device).set_rng_state`",
    "stream": "`with stream:` of a `torch.Stream`",
}
"""Other names that torch.accelerator never had, and what there is instead."""
HARMLESS = frozenset({"is_available", "device_count", "current_accelerator", "device_index"})
"""What a program without an accelerator may call; to enter the context that ``device_index`` makes still fails."""
FAILS_WITHOUT_DEVICE = frozenset(SINCE) - HARMLESS
"""What raises RuntimeError when it is called where there is no accelerator, on a build of torch for the CPU for one."""
