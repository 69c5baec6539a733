"""Mutants that compute, print and save what the program does, so that nothing can be noticed, and why.

A mutant is named by its case, its line and its kind. One that a change of the program moves to another line survives
again, and is judged again.
"""

from __future__ import annotations

_REASONS = {
    "all of it is written over, or copied to where the other is": (
        "amp_training line 34: a checkpoint of CPU tensors",
        "dqn_dtype_tabs line 100: a checkpoint of CPU tensors",
        "dqn_dtype_tabs line 53: a checkpoint of CPU tensors",
        "gat_sparse_types line 37: ones for zeros",
        "gat_sparse_types line 39: ones for zeros",
        "positional_encoding line 13: ones for zeros",
        "ppo_modern line 72: ones for zeros",
        "ppo_modern line 88: a move dropped",
        "transformer_masks line 49: ones for zeros",
        "transformer_masks line 98: zeros for ones",
    ),
    "each value is moved to the CPU anyway": (
        "cards_by_number line 9: everything on CPU",
        "device_type_questions line 53: a checkpoint of CPU tensors",
    ),
    "copying into what needs no gradient makes none": ("amp_training line 57: gradients where there were none",),
    "nothing that needs a gradient is computed with": (
        "device_contexts line 22: gradients where there were none",
        "device_type_questions line 52: gradients where there were none",
    ),
    "only its shape is read": (
        "typed_constructors line 54: a dtype changed",
        "typed_constructors line 54: a move dropped",
    ),
    "a module without parameters stays nowhere": (
        "device_contexts line 29: a .cuda() left",
        "imagenet_gpu_id line 47: a .cuda() left",
        "device_contexts line 29: a move dropped",
        "device_contexts line 8: everything on CPU",
        "imagenet_gpu_id line 47: a move dropped",
    ),
    "no module of the network trains in another way than it evaluates": (
        "amp_scaler_loop line 47: training and evaluation swapped",
        "argparse_device_default line 39: training and evaluation swapped",
        "argparse_device_default line 52: training and evaluation swapped",
        "checkpoint_entries line 40: training and evaluation swapped",
        "checkpoint_entries line 40: training and evaluation swapped",
        "expressions_everywhere line 32: training and evaluation swapped",
        "expressions_everywhere line 34: training and evaluation swapped",
        "imagenet_gpu_id line 82: training and evaluation swapped",
        "mlp_cuda_store_true line 43: training and evaluation swapped",
        "trainer_no_flag line 58: training and evaluation swapped",
        "trainer_no_flag line 61: training and evaluation swapped",
        "trainer_use_cuda_attr line 52: training and evaluation swapped",
        "try_except_imports line 57: training and evaluation swapped",
        "try_except_imports line 67: training and evaluation swapped",
        "vae_cuda_floattensor line 72: training and evaluation swapped",
    ),
    "the state is that of the copy already": (
        "amp_scaler_loop line 81: a state not loaded",
        "checkpoint_entries line 30: a state not loaded",
    ),
    "what it wraps chooses its type itself": ("amp_decorators line 43: a dtype changed",),
    "there is one process": ("ddp_local_rank line 73: a quotient became a product",),
    "nothing is computed in place": ("style_transfer line 95: a clone dropped",),
    "nothing goes back through it: only its numbers are read, or its network learns nothing": (
        "ddp_local_rank line 69: a detach dropped",
        "non_blocking_and_index line 50: a detach dropped",
        "tensor_type_checks line 57: a detach dropped",
        "trainer_no_flag line 51: a detach dropped",
        "trainer_no_flag line 62: a detach dropped",
    ),
    "a sum, difference or product with a float is one anyway": (
        "cifar_cpu_flag line 48: a conversion dropped",
        "dataparallel_resnet line 25: a conversion dropped",
        "functions_device_param line 25: a conversion dropped",
        "non_blocking_and_index line 51: a conversion dropped",
        "non_blocking_and_index line 51: a conversion dropped",
        "trainer_use_cuda_attr line 47: a conversion dropped",
    ),
    "it is on that device already, or is moved again": (
        "accelerator_ddp_setup line 38: a move dropped",
        "amp_decorators line 48: a move dropped",
        "cards_by_number line 57: a move dropped",
        "dataparallel_resnet line 44: a move dropped",
        "dataparallel_resnet line 92: a checkpoint of CPU tensors",
        "default_arguments line 39: a move dropped",
        "dqn_dtype_tabs line 51: a move dropped",
        "half_migrated line 31: a move dropped",
        "streams_of_any_accelerator line 19: a .cuda() left",
    ),
    "it gets another type at once, from the program or from autograd": (
        "typed_casts line 21: a conversion dropped",
        "typed_casts line 21: a dtype changed",
        "wgan_gp_tensor_alias line 38: a dtype changed",
    ),
    "the scaler is disabled, and its state empty": ("amp_scaler_loop line 84: a checkpoint of CPU tensors",),
    "the rank is zero": ("ddp_local_rank line 32: a sign changed",),
    "every whole number is a multiple of one": ("logreg_use_gpu_constant line 45: a sign changed",),
    "what it is written to chooses the type": ("detection_anchors line 84: a conversion dropped",),
    "it is a time, of which only the sign is looked at": ("benchmark_synchronize line 33: a sign changed",),
    "nothing uses it": (
        "asking_for_the_device line 19: everything on CPU",
        "gcn_features_adj line 114: a sign changed",
    ),
    "the same is added to all that can be the greatest": ("module_self_device line 52: ones for zeros",),
    "it has that type already": (
        "amp_disabled_region line 22: a conversion dropped",
        "amp_disabled_region line 59: a conversion dropped",
        "center_loss line 34: a conversion dropped",
        "dqn_dtype_tabs line 85: a conversion dropped",
        "positional_encoding line 29: a conversion dropped",
        "trainer_no_flag line 62: a conversion dropped",
    ),
    "whole numbers of any type serve as indices, on the CPU too, and compare alike": (
        "crf_forward line 81: a dtype changed",
        "detection_anchors line 84: a dtype changed",
        "from_torch_import_cuda line 64: a dtype changed",
        "positional_encoding line 29: a dtype changed",
        "from_torch_import_cuda line 64: a move dropped",
        "module_self_device line 53: a move dropped",
        "transformer_masks line 98: a dtype changed",
    ),
}
EQUIVALENT = {name: reason for reason, names in _REASONS.items() for name in names}
"""By name, why a mutant is the same program."""
