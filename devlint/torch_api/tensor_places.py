"""Which operations of torch want their tensors on one device, and where the result is.

tests/analysis/places/test_against_torch.py asks the simulated GPU about each of them.
"""

from __future__ import annotations

from devlint.torch_api.moves import PARTS
from devlint.torch_api.tensor_makers import NEW_METHODS

MAKE_ONE_DIMENSION = frozenset(
    "arange linspace logspace randperm range hann_window hamming_window bartlett_window blackman_window "
    "kaiser_window".split()
)
MAKE_TWO_DIMENSIONS = frozenset("eye tril_indices triu_indices".split())
TAKE_SIZES = frozenset("zeros ones empty rand randn".split())
"""Makers whose positional arguments are the sizes."""
TAKE_NO_DEVICE = frozenset({"from_numpy"})
"""Makers that have no argument ``device``."""
OF_NUMPY_NUMBERS = frozenset(
    "log log2 log10 log1p exp expm1 sqrt sin cos tan arctan arctan2 sinh cosh tanh abs power floor ceil round prod sum "
    "mean max min std var deg2rad rad2deg radians degrees ceil sign hypot random.rand random.random random.uniform "
    "random.normal random.choice random.randint float32 float64 int64 int32".split()
)
"""Functions of NumPy that give one number, where they are given no list of them."""
RANKED = frozenset("percentile quantile nanpercentile nanquantile".split())
"""Functions of NumPy that give a number for each rank that they are asked for."""
NUMPY_REDUCTIONS = RANKED | frozenset(
    "sum mean prod max min std var median average ptp amax amin argmax argmin count_nonzero nansum nanmean nanmax "
    "nanmin nanstd nanvar nanmedian any all trace".split()
)
"""Functions of NumPy that give one number of a whole array, unless they are given an axis."""

PLAIN_METHODS = frozenset(
    "size dim numel ndimension item stride data_ptr element_size nelement get_device is_contiguous "
    "is_floating_point is_complex storage_offset untyped_storage dim_order has_names is_pinned is_same_size "
    "is_shared is_inference is_signed is_set_to equal allclose".split()
)
"""Methods that give no tensor, and may be given one of any device."""
NUMBER_METHODS = frozenset({"numpy", "tolist"})
"""Methods that give numbers that are no tensor."""
PLAIN_ATTRIBUTES = frozenset(
    "shape dtype ndim layout requires_grad is_cuda is_cpu is_mps is_xpu is_meta is_leaf is_quantized is_nested "
    "itemsize nbytes is_sparse names".split()
)
PARTS_METHODS = frozenset("split chunk unbind tensor_split split_with_sizes hsplit vsplit dsplit unsafe_split".split())
"""Functions and methods that give several tensors."""
REDUCTIONS = frozenset(
    "sum mean prod max min any all argmax argmin norm amax amin std var median logsumexp nansum nanmean "
    "count_nonzero nanmedian".split()
)
"""Without a dimension they give one number."""
MAY_GIVE_ONE_NUMBER = frozenset(
    "quantile nanquantile inner tensordot take trapz trapezoid searchsorted bucketize cosine_similarity "
    "pairwise_distance vector_norm matrix_norm cond matrix_rank vecdot".split()
)
"""Functions and methods whose result has no dimensions where they are given few."""
LOSSES = frozenset("cross_entropy kl_div binary_cross_entropy binary_cross_entropy_with_logits".split())
"""Functions that give one number, besides those whose names end with ``_loss``; not with every ``reduction``."""
GIVE_ONE_NUMBER = frozenset("trace dot vdot det logdet dist".split())
"""Functions and methods whose result has no dimensions, as far as anybody uses them."""
PAIR_FUNCTIONS = frozenset("max min sort topk median kthvalue mode cummax cummin".split())
"""With a dimension they give values and indices."""
ALWAYS_PAIRS = frozenset("sort topk kthvalue mode cummax cummin var_mean std_mean aminmax frexp slogdet".split())
PAIRS_WITH_DIMENSIONS = frozenset("sort topk cummax cummin frexp".split())
"""Those of them whose parts have the dimensions of what they are given."""
TAKE_ANY_DEVICE_METHODS = frozenset(
    "copy_ expand_as view_as reshape_as type_as set_ backward register_hook retain_grad share_memory_ pin_memory "
    "apply_ map_ detach_ requires_grad_ index_put_ index_put register_post_accumulate_grad_hook".split()
)
"""Methods that may be given tensors of other devices."""
HAS_DIMENSIONS_AFTER = frozenset(
    "unsqueeze expand repeat tile reshape view flatten expand_as view_as reshape_as unfold repeat_interleave nonzero "
    "broadcast_to masked_select atleast_1d bincount ravel".split()
)
"""Methods whose result has a dimension, whatever they are given."""
TAKE_SIZES_METHODS = frozenset(
    "expand view reshape repeat unsqueeze squeeze flatten unflatten tile transpose permute roll narrow unfold sum mean "
    "select size split chunk movedim swapaxes flip".split()
)
"""Methods whose arguments are sizes and dimensions, even where they are tensors."""
TAKE_NO_TENSOR_METHODS = TAKE_SIZES_METHODS | frozenset(
    "log exp sqrt abs sigmoid tanh relu sin cos square reciprocal floor logical_not t".split()
)
"""Those and the methods without arguments, as others have them, too: ``run.log("loss", torch.ones(1))``."""
ALWAYS_DIMENSIONS = frozenset(
    "matmul bmm einsum outer index_select gather where tril triu diag kron cdist one_hot".split()
)
ONLY_TENSORS = frozenset(
    "matmul bmm mm mv index_select gather outer kron cdist cholesky_solve cat stack concat hstack vstack concatenate "
    "dstack column_stack row_stack".split()
)
"""Functions whose positional arguments are numbers of dimensions, tensors, or lists of tensors."""
NUMBERS_AFTER_FIRST = frozenset(
    "pad interpolate upsample roll flip narrow unfold fold one_hot softmax log_softmax multinomial".split()
)
"""Functions that are given sizes and dimensions after the first argument, even where they are tensors."""
JOINS = frozenset("cat stack concat hstack vstack concatenate dstack column_stack row_stack".split())
"""Functions that join the tensors of their first argument."""
TRITON_KERNEL = "Triton kernel"
"""The kind of the operation that a kernel of Triton is."""
EQUAL = "torch.equal"
TAKE_NO_NUMBERS = frozenset("stack hstack vstack equal".split())
"""Functions of torch that want a tensor without dimensions on the device of the others as well."""
_CHANGES = frozenset("add_ sub_ mul_ div_".split())
CHANGES = frozenset({"+=", "-=", "*=", "/=", *(f"Tensor.{name}" for name in _CHANGES)})
"""Operations that change their first tensor, which must be on the device of the other, though it is a number."""
STRICT_FUNCTIONS = TAKE_NO_NUMBERS | _CHANGES
LAUNCH = "cuda.tile.launch"
"""What starts a kernel of cuTile."""
STRICT_KINDS = (
    TRITON_KERNEL,
    "nn.Embedding",
    "nn.Linear",
    "nn.Conv",
    "F.embedding",
    "F.linear",
    "Tensor.index_select",
    "torch.index_select",
    "Tensor.gather",
    "torch.gather",
    "Tensor.scatter",
    "Tensor.index_add",
    "Tensor.index_copy",
    *(f"torch.{name}" for name in TAKE_NO_NUMBERS),
)
"""Operations that do not take a CPU tensor without dimensions either; by how they begin."""

INDEPENDENT_FUNCTIONS = frozenset(
    "multi_head_attention_forward unpad_sequence broadcast_tensors result_type is_same_size save is_tensor index_put "
    "is_floating_point is_complex numel device Size dtype finfo iinfo broadcast_shapes get_default_dtype "
    "is_grad_enabled can_cast no_grad Generator compile manual_seed promote_types is_storage set_grad_enabled "
    "ctc_loss is_inference_mode_enabled is_autocast_enabled autocast get_device_module typename set_printoptions "
    "inference_mode enable_grad get_rng_state set_rng_state tensor_split atleast_1d atleast_2d atleast_3d load "
    "set_default_dtype use_deterministic_algorithms is_nonzero set_num_threads get_num_threads has_torch_function "
    "has_torch_function_unary has_torch_function_variadic handle_torch_function".split()
)
"""Functions of torch that take tensors of several devices, or no tensor at all, or about which nothing is known."""
OTHER_MODULES = tuple(
    f"torch.{name}"
    for name in (
        "jit distributed autograd cuda compiler utils backends amp export onnx library nn.init optim profiler fx hub "
        "testing multiprocessing futures package overrides random mps xpu accelerator ops ao nn.quantized "
        "quantize_per_tensor quantize_per_channel"
    ).split()
)
"""Modules of torch whose functions are not asked about their tensors."""
OUTPUT_ATTRIBUTES = frozenset(
    "logits last_hidden_state pooler_output sample hidden_states attentions loss image_embeds text_embeds "
    "encoder_last_hidden_state sequences cross_attentions image_hidden_states latent_dist latents "
    "prediction_logits".split()
)
"""Attributes of what a module gives that are tensors, or hold some."""
TENSOR_OR_NUMBER_FUNCTIONS = frozenset(
    "clamp flatten unsqueeze squeeze split chunk roll sum mean max min pad interpolate softmax cumsum tril triu topk "
    "sort argsort transpose permute flip repeat_interleave stack cat full_like dropout normalize one_hot log_softmax "
    "pow reshape tile norm std var median all any argmax argmin gelu silu unbind diff is_tensor clamp_min clamp_max "
    "narrow select einsum unfold fold avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d pixel_shuffle "
    "pixel_unshuffle leaky_relu elu softplus threshold".split()
)
"""Functions of torch of which only the first argument is certainly a tensor."""
SHOW_TENSOR = frozenset(
    "size shape view device reshape unsqueeze squeeze transpose permute to float long int half masked_fill expand "
    "repeat new_zeros new_ones new_full new_tensor new_empty dtype ndim dim flatten clone contiguous detach sum mean "
    "softmax type_as bool clamp chunk split masked_fill_ eq ne gt lt ge le t item cpu numel bfloat16 max min std norm "
    "sqrt pow cumsum any all gather scatter_ unbind argmax sigmoid tanh relu exp log abs log_softmax matmul bmm "
    "index_select masked_scatter masked_select repeat_interleave scatter scatter_add scatter_add_ add_ mul_ div_ "
    "topk argsort movedim swapaxes narrow unfold tril triu flip roll clamp_ clamp_min reciprocal sin cos square "
    "view_as expand_as nonzero logical_not logical_and amax amin argmin var tolist numpy round floor fill_ "
    "copy_".split()
)
"""Attributes that, asked of a parameter of a method of a module, show that it is a tensor."""
SHARED_WITH_OTHERS = frozenset(
    "split max min int dtype device size shape sum mean std var any all round flatten reshape squeeze transpose tolist "
    "repeat clip item ndim argmax argmin argsort nonzero cumsum norm clamp index numpy view to float".split()
)
"""Those of them that other values have, too."""
AUTOGRAD_FUNCTIONS = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
"""The class of steps that have a ``backward`` of their own."""
RESHAPE_METHODS = frozenset(
    "long int short bool float double half bfloat16 to type view reshape expand repeat unsqueeze contiguous".split()
)
"""Methods that give the same numbers in another shape, or of another type."""
SHARED_WITH_MODULES = frozenset("device dtype to float half bfloat16 cpu numpy".split())
"""Those of them that modules have, too, or that say nothing of the dimensions."""
OF_TENSORS = (
    SHOW_TENSOR
    | PLAIN_METHODS
    | PLAIN_ATTRIBUTES
    | PARTS
    | PARTS_METHODS
    | REDUCTIONS
    | TAKE_ANY_DEVICE_METHODS
    | HAS_DIMENSIONS_AFTER
    | TAKE_SIZES_METHODS
    | NUMBER_METHODS
    | NEW_METHODS
    | frozenset(
        "clamp_max clamp_max_ clamp_min_ add sub mul div sub_ zero_ neg sign sort double double_ short cuda argwhere "
        "where backward grad requires_grad_ logsumexp cumprod diagonal trace fill_diagonal_ isnan isinf ceil outer "
        "uniform_ normal_ random_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ "
        "index_add index_copy index_fill scatter_reduce take_along_dim bitwise_and bitwise_or maximum minimum".split()
    )
)
"""Attributes of tensors."""
COMPONENT = "component"
"""The kind of a module of a pipeline, of whose class nothing is known."""
COUNTING_MAKERS = frozenset({"arange", "randperm"})
"""Makers of indices, which modules often move themselves."""
NOT_MODULES = (
    "Tokenizer",
    "TokenizerFast",
    "Processor",
    "Config",
    "Extractor",
    "Scheduler",
    "Schedulers",
    "Matcher",
    "Cache",
    "Sampler",
    "Generator",
    "Logger",
    "Output",
    "Mixin",
    "Error",
    "Dataset",
)
"""How classes of libraries end that modules have for attributes, and that are no modules."""


def is_loss(function: str) -> bool:
    """Whether a function of torch.nn.functional is a loss."""
    return function in LOSSES or function.endswith("_loss")
