"""Libraries that are not torch."""

from __future__ import annotations

import sys

STANDARD_LIBRARY = sys.stdlib_module_names
"""The modules that Python has itself."""
NOT_TORCH = frozenset(
    "astropy chainer cudf cuml cupy cv2 dask jax mxnet numba numpy paddle pandas polars pycuda tensorflow tvm".split()
)
"""Their objects may have methods called ``cuda`` and ``to``, and parameters called ``device``, of their own."""
CUDA_ONLY = ("apex", "cupy", "flash_attn", "numba", "pycuda", "pynvml", "triton")
"""What imports them works on CUDA and on no other accelerator."""
