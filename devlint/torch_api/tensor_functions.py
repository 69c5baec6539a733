"""The names of what makes a tensor, what tensors alone have, and what gives a tensor again."""

from __future__ import annotations

from devlint.torch_api.tensor_makers import MAKE_LIKE, NEW_METHODS

EXACT = frozenset(
    "zeros ones empty full eye tensor as_tensor scalar_tensor tril_indices triu_indices empty_strided".split()
)
ROUNDED = frozenset(
    "range linspace logspace hann_window hamming_window bartlett_window blackman_window kaiser_window".split()
)
RANDOM = frozenset("rand randn randint randperm normal rand_like randn_like randint_like".split())
FACTORIES = EXACT | MAKE_LIKE | ROUNDED | RANDOM | {"arange"}
"""Functions of torch that make a tensor from what is no tensor, or like one."""
TAKE_DATA = frozenset({"tensor", "as_tensor"})
"""Those that take the numbers, and their dtype, from a list or an array."""
TIES = ("device", "out", "pin_memory", "generator", "layout", "like")
"""The keywords that tie a new tensor to a device."""
_OPS = frozenset(
    "abs add addmm all amax amin any argmax argmin argsort atan2 baddbmm bernoulli bincount bmm cat cdist ceil clamp "
    "clip clone complex concat conj cos cosh cross cumprod cumsum diag diag_embed diagonal div dot einsum eq erf exp "
    "expm1 flatten flip floor floor_divide fmod from_numpy gather ge gt hstack index_select inner inverse isfinite "
    "isinf isnan kron le lerp log log10 log1p log2 logical_and logical_not logical_or logsumexp lt masked_fill "
    "masked_select matmul maximum mean minimum mm mul multinomial mv nan_to_num ne neg nonzero norm outer permute "
    "poisson polar pow prod reciprocal relu remainder repeat_interleave reshape roll round rsqrt scatter searchsorted "
    "sigmoid sign sin sinh softmax sparse_coo_tensor sqrt square squeeze stack std sub sum t take tan tanh tensordot "
    "tile trace transpose tril triu unsqueeze var view_as_complex vstack where".split()
)
OPERATIONS = frozenset(f"torch.{name}" for name in _OPS - {"from_numpy", "sparse_coo_tensor"})
"""Functions of torch that take tensors, and give one on the same device."""
_CONSTRUCTORS = frozenset(
    "Tensor FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor ByteTensor BoolTensor "
    "cuda.FloatTensor cuda.LongTensor autograd.Variable autograd.variable.Variable".split()
)
NN_PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
MADE = frozenset(f"torch.{name}" for name in _OPS | _CONSTRUCTORS) | NN_PARAMETERS
FUNCTIONAL = ("torch.nn.functional.", "torch.special.")
KEPT = frozenset(
    "cuda cpu to float half double long int bool byte bfloat16 view reshape permute transpose t unsqueeze squeeze "
    "contiguous detach detach_ clone expand expand_as repeat flatten sum mean matmul mm bmm masked_fill masked_select "
    "index_select gather scatter clamp cos sin exp eq log log_softmax neg pow round floor sqrt cumsum argmax abs add "
    "sub mul div softmax sigmoid tanh tril triu type type_as requires_grad_ zero_ fill_ bernoulli_ normal_ uniform_ "
    "random_ add_ sub_ mul_ div_ clamp_ copy_ masked_fill_ scatter_ scatter_add_ view_as narrow pin_memory std var "
    "amax amin prod norm sign flip roll cumprod argsort argmin".split()
)
"""Methods of a tensor that give a tensor."""
TYPES = frozenset(f"torch.{name}" for name in _CONSTRUCTORS) | NN_PARAMETERS
ONLY_TENSORS = NEW_METHODS | frozenset(
    "permute expand unsqueeze unsqueeze_ squeeze_ masked_fill "
    "masked_fill_ expand_as view_as type_as zero_ copy_ fill_ normal_ uniform_ data_ptr storage_offset scatter_ "
    "scatter_add_ index_add_ index_copy_ is_floating_point".split()
)
"""Methods that tensors have, and arrays of other libraries, modules and batches of graphs do not."""
TENSOR_METHODS = ONLY_TENSORS | frozenset(
    "bmm chunk contiguous detach dim gather index_select log_softmax matmul narrow norm numel scatter sigmoid size "
    "softmax tanh".split()
)
"""Methods that tensors have, and neither modules nor NumPy arrays do."""
CASTS = frozenset("bfloat16 double float half int long".split())
"""Methods of tensors and modules that NumPy arrays have not."""
INPUT_METHODS = TENSOR_METHODS | frozenset(
    "add clamp double flatten float half long mul repeat reshape squeeze sub transpose view".split()
)
"""Methods that show, in a method of an nn.Module, that a parameter is a tensor, though modules and arrays have some."""
PARAMETERS = frozenset({"weight", "bias"})
"""Attributes of modules that nobody asks for a device unless they are tensors."""
