"""Libraries that are not torch."""

from __future__ import annotations

import sys

from devlint.core.lazy_regex import regex

STANDARD_LIBRARY = sys.stdlib_module_names
"""The modules that Python has itself."""
TELLING = frozenset("print debug info warning warn error critical exception log".split())
"""What tells people something and gives nothing: ``print``, and the methods of loggers."""
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
    *("sparseconvnet.InputBatch", "sparseconvnet.SparseConvNetTensor", "topk.SmoothTop", "topk.MaxTop", "topk.svm."),
)
"""How the full names begin of what makes something whose ``to`` takes no device of torch, or is not like ``cuda``."""
TORCH_LOADERS = frozenset(
    "accelerate botorch gpytorch kornia lightning peft pytorch_lightning sentence_transformers timm torch_geometric "
    "torchaudio torchmetrics torchtext torchvision".split()
)
"""Libraries that cannot be imported without torch: whoever imports one has torch loaded."""
KEEP_NO_STATES = frozenset(
    "ConfigParser Cython IPython PIL Polygon PyQt5 Queue SimpleITK StringIO absl accimage albumentations altair apex "
    "ase atari_py attr basicsr bcolz bokeh boto3 bs4 cPickle cStringIO cityscapesscripts click clip cloudpickle "
    "cn2an cog collada colorama colorlog commands copy_reg coremltools cv2 cytoolz d4rl dash datasets dateutil "
    "dearpygui diff_gaussian_rasterization dill dlib dm_control dmc2gym dominate dpu_utils easydict editdistance "
    "efficientnet_pytorch einops evaluate faiss fastBPE fastapi fire flask folium fsspec ftfy gdown gensim geopandas "
    "google gradio graphviz gym gymnasium h5py huggingface_hub hydra hyperopt icecream igraph imageio inflect ipdb "
    "jieba joblib json_lines jsonlines kaldi_io keras kornia lasagne librosa lmdb loguru lpips matplotlib mcubes "
    "medpy meshplot meshzoo mido mir_eval ml_collections mne mpl_toolkits msgpack mujoco mujoco_py music21 natsort "
    "networkx nibabel nltk nni numba numexpr numpy nvdiffrast obspy omegaconf onnx onnxruntime open3d open_clip "
    "openai openpyxl optuna osgeo overrides packaging pandas penman petrel_client phonemizer pkg_resources plotly "
    "plyfile preprocessor pretrainedmodels pretty_midi prettytable primefac progress progressbar psutil psycopg2 "
    "ptflops pthflops ptvsd pyarrow pyaudio pybullet pyclipper pycocoevalcap pycocotools pycorenlp pycuda pydantic "
    "pydicom pydot pygraphviz pymeshlab pymongo pynvml pypinyin pyproj pytablewriter pytest pytorch_fid "
    "pytorch_pretrained_bert pytorch_transformers pytorchcv pyworld pyximport randomgen rasterio rdkit regex rembg "
    "requests resampy rich robustbench roma rotary_embedding_torch sacrebleu sacred safetensors scipy seaborn "
    "segment_anything sentencepiece setuptools shapely shortuuid six skimage sklearn skopt sounddevice soundfile "
    "spaces spacy sphinx sqlalchemy streamlit submitit sympy tabulate tensorboard tensorboardX tensorboard_logger "
    "tensorflow tensorflow_datasets tensorflow_gan tensorflow_hub tensorrt termcolor texttable tflearn theano thop "
    "timm tokenizers toolz torch torch_fidelity torch_geometric torch_scatter torch_sparse torchaudio torchinfo "
    "torchnet torchsummary torchsummaryX torchtext torchvision torchviz tqdm transformers trimesh tvm typer "
    "typing_extensions tyro ujson unidecode urllib2 urlparse uvicorn visdom wandb webrtcvad werkzeug xatlas xformers "
    "xlrd yacs yaml zmq".split()
)
"""Libraries none of whose classes loads a state in a way of its own: some are modules of torch."""
WRAP_TRAINING = frozenset(
    "accelerate colossalai composer deepspeed detectron2 fairscale fairseq ignite lightning mmcv mmengine "
    "pytorch_lightning".split()
)
"""Libraries whose classes may load a state in a way of their own: a folder of that name is not what is imported."""
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
KERNEL_WORDS = (
    *(b"flash_attn", b"tinycudann", b"causal_conv1d", b"diff_gauss", b"diff_surfel", b"mamba_ssm", b"simple_knn"),
    *(b"nvdiffrast", b"gsplat", b"pycuda", b"transformer_engine", b"exllama", b"awq_", b"exl_ext", b"knn_cuda"),
    *(b"pointnet2_ops", b"selective_scan_cuda", b"quant_cuda", b"tensorrt", b"flashinfer", b"deep_ep", b"deep_gemm"),
)
"""What a file holds that imports one of the usual of these modules."""
KERNELS = regex(
    r"(?:triton|tilelang|cutlass|pycuda|cuda|flash_attn|flash_attn_interface|amp_C|tensorrt|tensorrt_llm|torch_tensorrt"
    r"|tinycudann|torch2trt|transformer_engine|causal_conv1d|diff_gauss\w*|diff_surfel_rasterization|diffoctreerast"
    r"|mamba_ssm|simple_knn|awq_ext|awq_v2_ext|awq_inference_engine|exl_ext|exlv2_ext|exllama_kernels"
    r"|exllamav2_kernels|fused_dense_lib|fused_softmax_lib|xentropy_cuda_lib|dropout_layer_norm|deep_ep|deep_gemm"
    r"|flashinfer|sgl_kernel|nvdiffrast|gsplat|fast_hadamard_transform|quant_cuda|knn_cuda|pointnet2_ops|pynvrtc"
    r"|selective_scan_cuda|flash_attn_2_cuda|fmhalib|fast_bottleneck|fast_layer_norm|fast_multihead_attn"
    r"|fast_(?:encdec|self)_multihead_attn\w*|fast_(?:additive_)?mask_softmax_dropout|fused_adam_cuda|fused_lamb_cuda"
    r"|fused_layer_norm_cuda|distributed_adam_cuda|distributed_lamb_cuda|transducer_(?:joint|loss)_cuda|xentropy_cuda"
    r"|fused_weight_gradient_mlp_cuda|mlp_cuda)(?:\.|\Z)"
)
"""Matches the full name of a module with kernels: what imports it, whatever there is, runs nowhere without CUDA."""
