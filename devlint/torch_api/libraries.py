"""Libraries that are not torch."""

from __future__ import annotations

import sys

from devlint.core.lazy_regex import regex

STANDARD_LIBRARY = sys.stdlib_module_names
"""The modules that Python has itself."""
TORCH_PACKAGES = frozenset("torch torchvision torchaudio torchtext functorch".split())
"""What belongs to torch."""
NOT_TORCH = frozenset(
    "astropy chainer cudf cuml cupy cv2 dask jax mxnet numba numpy paddle pandas polars pycuda tensorflow tvm".split()
)
"""Their objects may have methods called ``cuda`` and ``to``, and parameters called ``device``, of their own."""
OTHER_DEVICES = NOT_TORCH | frozenset(
    "adbutils av bleak bluetooth evdev pint pyaudio pyopencl pyrealsense2 pyudev serial sounddevice soundcard "
    "uiautomator2 usb v4l2".split()
)
"""Libraries whose functions take devices that are none of torch: microphones, cameras, phones."""
OWN_CUDA = (
    *("bitsandbytes.", "liegroups.torch.", "open3d.core.", "open3d.t."),
    *("sparseconvnet.InputBatch", "sparseconvnet.SparseConvNetTensor"),
)
"""How the full names begin of what makes something whose ``to`` takes no device of torch, or that has none."""
TORCH_LOADERS = frozenset(
    "accelerate botorch gpytorch kornia lightning peft pytorch_lightning sentence_transformers timm torch_geometric "
    "torchaudio torchmetrics torchtext torchvision".split()
)
"""Libraries that cannot be imported without torch: whoever imports one has torch loaded."""
KEEP_NO_STATES = frozenset(
    "Cython IPython PIL Polygon PyQt5 Queue SimpleITK absl accimage albumentations apex ase atari_py attr "
    "basicsr bcolz boto3 bs4 cPickle cityscapesscripts click clip cloudpickle cn2an cog colorama colorlog "
    "copy_reg coremltools cv2 d4rl datasets dateutil dearpygui diff_gaussian_rasterization dill dlib "
    "dm_control dmc2gym dominate easydict editdistance efficientnet_pytorch einops evaluate faiss fastapi "
    "fire flask fsspec ftfy gdown gensim google gradio graphviz gym gymnasium h5py huggingface_hub hydra "
    "icecream imageio inflect ipdb jieba joblib jsonlines kaldi_io kornia librosa lmdb loguru lpips "
    "matplotlib mcubes medpy mir_eval ml_collections mpl_toolkits msgpack mujoco mujoco_py natsort networkx "
    "nibabel nltk numba numpy nvdiffrast omegaconf onnx onnxruntime open3d open_clip openai optuna packaging "
    "pandas petrel_client phonemizer pkg_resources plotly plyfile pretrainedmodels prettytable progress "
    "psutil ptflops pybullet pyclipper pycocoevalcap pycocotools pydantic pydot pymeshlab pynvml pypinyin "
    "pytest pytorch_fid pyworld rdkit regex rembg requests resampy rich roma rotary_embedding_torch sacrebleu "
    "safetensors scipy seaborn segment_anything sentencepiece setuptools shapely shortuuid six skimage "
    "sklearn soundfile spaces spacy submitit sympy tabulate tensorboard tensorboardX tensorboard_logger "
    "tensorflow tensorflow_gan tensorflow_hub tensorrt termcolor thop tokenizers torch torch_fidelity "
    "torch_geometric torch_scatter torch_sparse torchaudio torchinfo torchnet torchsummary torchtext "
    "torchvision tqdm transformers trimesh typer typing_extensions tyro ujson unidecode uvicorn visdom wandb "
    "webrtcvad werkzeug xatlas xformers yacs yaml".split()
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
    r"|flashinfer|sgl_kernel|nvdiffrast|gsplat|fast_hadamard_transform|quant_cuda|knn_cuda|pointnet2_ops|pynvrtc"
    r"|selective_scan_cuda|flash_attn_2_cuda)(?:\.|\Z)"
)
"""Matches the full name of a module with kernels: what imports it, whatever there is, runs nowhere without CUDA."""
