"""Files that run nowhere without CUDA's kernels."""
