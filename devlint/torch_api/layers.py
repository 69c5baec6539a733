"""Layers of torch.nn: which have weights, and by what name, and what they take and give."""

from __future__ import annotations

WEIGHTED_LAYERS = (
    "Linear",
    "LazyLinear",
    "Embedding",
    "Conv",
    "LayerNorm",
    "BatchNorm",
    "GroupNorm",
    "LSTM",
    "GRU",
    "RNN",
    "MultiheadAttention",
    "RMSNorm",
    "Bilinear",
    "Transformer",
    "InstanceNorm",
    "PReLU",
)
"""Layers of torch.nn with parameters, which their input meets; by how their names begin."""
WEIGHTS = {
    **dict.fromkeys(
        "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d".split(), "weight"
    ),
    **dict.fromkeys("Embedding EmbeddingBag LayerNorm".split(), "weight"),
    **dict.fromkeys("LSTM GRU RNN".split(), "weight_ih_l0"),
    **dict.fromkeys("LSTMCell GRUCell RNNCell".split(), "weight_ih"),
}
"""Layers that always have a weight, but for a LayerNorm that is told to have none, and what it is called."""
TAKE_TENSORS = frozenset(
    "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d BatchNorm1d BatchNorm2d BatchNorm3d "
    "LayerNorm GroupNorm Embedding".split()
)
"""Layers that take one tensor and nothing else."""
OF_SOUND = frozenset(f"torchaudio.transforms.{name}" for name in ("MelSpectrogram", "MFCC", "Spectrogram"))
"""Layers of torchaudio that take one tensor and nothing else."""
RECURRENT_LAYERS = frozenset("LSTM GRU RNN MultiheadAttention LSTMCell".split())
"""Layers that give a tuple."""
_OF_ANY_DIMENSION = (
    "AdaptiveAvgPool AdaptiveMaxPool AvgPool ConstantPad Dropout FractionalMaxPool LPPool MaxPool MaxUnpool "
    "ReflectionPad ReplicationPad ZeroPad"
)
WEIGHTLESS_LAYERS = frozenset(
    (
        "CosineSimilarity Dropout ELU Flatten Fold GELU Hardtanh Identity LeakyReLU LogSigmoid LogSoftmax "
        "PairwiseDistance PixelShuffle ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Tanh Unfold "
        "Upsample UpsamplingBilinear2d UpsamplingNearest2d"
    ).split()
) | {f"{name}{dimensions}d" for name in _OF_ANY_DIMENSION.split() for dimensions in (1, 2, 3)}
"""Layers without parameters and buffers: to move one moves nothing, and starts no CUDA."""
