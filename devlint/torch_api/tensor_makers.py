"""What of torch makes a tensor; every file that uses torch is asked for it, so nothing else is here."""

from __future__ import annotations

MAKERS = frozenset(
    "zeros ones empty full arange linspace logspace eye tensor as_tensor rand randn randint randperm tril_indices "
    "triu_indices normal from_numpy hann_window hamming_window bartlett_window blackman_window kaiser_window range "
    "empty_strided asarray".split()
)
"""Functions of torch that make a tensor on the CPU unless they are given a device."""
CPU_CONSTRUCTORS = frozenset(
    "Tensor FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor ByteTensor BoolTensor".split()
)
"""Types of torch that make a tensor on the CPU when they are called."""
