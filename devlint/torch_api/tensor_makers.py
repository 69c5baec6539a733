"""What of torch makes a tensor; every file that uses torch is asked for it, so nothing else is here."""

from __future__ import annotations

MAKERS = frozenset(
    "zeros ones empty full arange linspace logspace eye tensor as_tensor rand randn randint randperm tril_indices "
    "triu_indices normal from_numpy hann_window hamming_window bartlett_window blackman_window kaiser_window range "
    "empty_strided asarray".split()
)
"""Functions of torch that make a tensor on the CPU unless they are given a device."""
MAKE_LIKE = frozenset("zeros_like ones_like empty_like full_like rand_like randn_like randint_like".split())
"""Functions of torch that make a tensor where their first argument is."""
NEW_METHODS = frozenset("new_zeros new_ones new_empty new_full new_tensor".split())
"""Methods that only tensors have, and that make a tensor where theirs is."""
CPU_CONSTRUCTORS = frozenset(
    "Tensor FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor ByteTensor BoolTensor".split()
)
"""Types of torch that make a tensor on the CPU when they are called."""
