"""Libraries that are not torch."""

from __future__ import annotations

import sys

from devlint.core.lazy_regex import regex

STANDARD_LIBRARY = sys.stdlib_module_names
"""The modules that Python has itself."""
NOT_TORCH = frozenset(
    "astropy chainer cudf cuml cupy cv2 dask jax mxnet numba numpy paddle pandas polars pycuda tensorflow tvm".split()
)
"""Their objects may have methods called ``cuda`` and ``to``, and parameters called ``device``, of their own."""
KEEP_NO_STATES = frozenset(
    "Cython IPython PIL SimpleITK albumentations ase attr cloudpickle colorama cv2 dill easydict "
    "efficientnet_pytorch einops gdown gym gymnasium h5py hydra imageio ipdb joblib jsonlines kornia librosa "
    "lmdb lpips matplotlib medpy ml_collections msgpack mujoco_py natsort networkx nibabel nltk numba numpy "
    "omegaconf open3d pandas pkg_resources plyfile pretrainedmodels prettytable progress psutil pycocotools "
    "rdkit regex requests scipy seaborn setuptools six skimage sklearn soundfile spacy tabulate tensorboard "
    "tensorboardX tensorboard_logger tensorflow termcolor torch torch_geometric torch_scatter torch_sparse "
    "torchaudio torchtext torchvision tqdm trimesh ujson visdom wandb yacs yaml".split()
)
"""Libraries none of whose classes loads a state in a way of its own: some are modules of torch."""
CUDA_ONLY = ("apex", "cupy", "flash_attn", "numba", "pycuda", "pynvml", "triton")
"""What imports them works on CUDA and on no other accelerator."""
NEEDS_CUDA = regex(
    r"(?:triton|tilelang|cutlass|cuda|cupy|cudnn|pycuda|flash_attn|apex|amp_C|tensorrt|tensorrt_llm|trt|torch_tensorrt"
    r"|nvidia|transformer_engine|pynvml|numba\.cuda|torch\.cuda\.(?:comm|nccl|gds|jiterator|tunable)|\w*_cuda(?:_\w+)?"
    r"|\w*cuda_ext\w*)(?:\.|\Z)"
)
"""Matches the full name of a module that cannot be imported, or is of no use, without CUDA."""
TENSORRT = frozenset({"create_execution_context", "execute_async_v2", "execute_async_v3"})
"""Methods of TensorRT's engines, which only NVIDIA's GPUs run."""
RUNS_ELSEWHERE = regex(r"(?:triton|tilelang)(?:\.|\Z)")
"""Matches those of them whose kernels other accelerators run, too."""
KERNELS = regex(
    r"(?:triton|tilelang|cutlass|pycuda|cuda|flash_attn|flash_attn_interface|amp_C|tensorrt|tensorrt_llm|torch_tensorrt"
    r"|tinycudann|torch2trt|transformer_engine|causal_conv1d|diff_gauss\w*|diff_surfel_rasterization|diffoctreerast"
    r"|mamba_ssm|simple_knn|awq_ext|awq_v2_ext|awq_inference_engine|exl_ext|exlv2_ext|exllama_kernels"
    r"|exllamav2_kernels|fused_dense_lib|fused_softmax_lib|xentropy_cuda_lib|dropout_layer_norm|deep_ep|deep_gemm"
    r"|flashinfer|sgl_kernel|nvdiffrast|gsplat)(?:\.|\Z)"
)
"""Matches the full name of a module with kernels: what imports it, whatever there is, runs nowhere without CUDA."""
