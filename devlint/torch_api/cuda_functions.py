"""The names of torch.cuda: what each does where there is no GPU, and those that the tables leave out."""

from __future__ import annotations

HARMLESS = """
    caching_allocator_enable device_count device_of empty_cache get_arch_list get_gencode_flags get_rng_state_all
    host_memory_stats host_memory_stats_as_nested_dict is_available is_bf16_supported is_initialized
    is_tf32_supported list_gpu_processes manual_seed manual_seed_all max_memory_allocated max_memory_cached
    max_memory_reserved memory_allocated memory_cached memory_reserved memory_stats memory_stats_as_nested_dict
    seed seed_all set_rng_state set_rng_state_all amp.autocast amp.GradScaler nccl.is_available
"""
"""Does nothing, or gives an empty answer."""
RAISES = """
    CUDAGraph Event ExternalStream MemPool Stream caching_allocator_alloc caching_allocator_delete
    can_device_access_peer change_current_allocator check_error clock_rate cudart current_blas_handle
    current_device current_solver_handle current_stream default_stream device_memory_used get_allocator_backend
    get_device_capability get_device_name get_device_properties get_per_process_memory_fraction get_rng_state
    get_stream_from_external get_sync_debug_mode graph graph_pool_handle init initial_seed ipc_collect
    is_current_stream_capturing make_graphed_callables mem_get_info memory_snapshot memory_summary memory_usage
    power_draw reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated
    reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats set_device
    set_per_process_memory_fraction set_sync_debug_mode synchronize temperature utilization
    comm.broadcast memory._dump_snapshot memory._record_memory_history memory._snapshot nccl.version nvtx.mark
    nvtx.range_pop nvtx.range_push nvtx.range_start profiler.start profiler.stop tunable.enable tunable.is_enabled
"""
"""Raises."""
ASKS_BUILD = frozenset({"nccl.version"})
"""What raises without a build for CUDA, but answers where such a build has no GPU: no test for one may silence it."""
ENTERED = "caching_allocator_disabled device nvtx.range use_mem_pool"
"""Gives a context manager that raises when it is entered."""
GIVEN = "StreamContext set_stream stream"
"""Does nothing with None; any other argument cannot be made."""
ALL = f"{HARMLESS} {RAISES} {ENTERED} {GIVEN}".split()

STREAM_MAKERS = frozenset({"CUDAGraph", "Event", "ExternalStream", "Stream", "graph", "make_graphed_callables"})
"""What makes streams, events and graphs."""
CURRENT_STREAMS = frozenset({"current_stream", "default_stream"})
"""What gives a stream that is always there."""
STREAM_FUNCTIONS = STREAM_MAKERS | CURRENT_STREAMS
"""What has to do with streams and graphs."""
_COMMON = frozenset({"comm", "nccl", "nvtx", "profiler", "tunable"})
"""Modules whose functions have names that much else has."""
HARMFUL = frozenset(
    module if module in _COMMON else name.rpartition(".")[2]
    for name in f"{RAISES} {ENTERED}".split()
    for module in [name.partition(".")[0]]
) - {"device"}
"""The names that say where a function may fail: its own, or that of its module."""

GIVES_NONE = frozenset(
    """
    caching_allocator_delete caching_allocator_enable change_current_allocator check_error empty_cache
    empty_host_cache init ipc_collect manual_seed manual_seed_all reset_accumulated_host_memory_stats
    reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats
    reset_peak_memory_stats seed seed_all set_device set_device_idx set_device_index set_per_process_memory_fraction
    set_rng_state set_rng_state_all set_stream set_sync_debug_mode synchronize
    """.split()
)
"""What is called for what it does, in torch.cuda and torch.accelerator: its value is None."""

UNASKED = frozenset("is_available is_initialized manual_seed manual_seed_all seed seed_all OutOfMemoryError".split())
"""What may stand in a program for any accelerator: questions, seeds of one more generator, the class of an error."""

CARD_QUESTIONS = frozenset(
    f"torch.cuda.{name}"
    for name in ("get_device_capability", "get_device_name", "get_device_properties", "mem_get_info")
)
"""What is asked of a card, and raises where there is none."""

LEFT_OUT: dict[str, str] = {
    "CUDAPluggableAllocator": "loads a library that the user has written for CUDA",
    "CudaError": "an exception",
    "DeferredCudaCallError": "an exception",
    "OutOfMemoryError": "an exception; see OUT_OF_MEMORY",
    "GreenContext": "experimental, and CUDA's own",
    "cudaStatus": "constants",
}
"""Public functions and classes of ``torch.cuda`` that the table does not judge, and why; tensor types are DEV2's."""
