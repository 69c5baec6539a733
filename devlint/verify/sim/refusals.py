"""What CUDA's kernels refuse or report and the CPU's do not: nondeterminism, indices out of range."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import Tensor
from devlint.verify.sim.machine import accelerator_error

Kernel = Callable[..., Any]
Condition = Callable[[tuple[Any, ...], dict[str, Any]], bool]


def _always(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return True


def _is_not_whole(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    dtype = kwargs.get("dtype") or args[0].dtype
    return bool(dtype.is_floating_point or dtype.is_complex)


def _has_weights(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return (args[1] if len(args) > 1 else kwargs.get("weights")) is not None


def _of_maximum(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return 2 in (args[8:9] or (kwargs.get("mode"),))


def _is_product(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return (args[4] if len(args) > 4 else kwargs.get("reduce")) == "prod"


_NOT_DETERMINISTIC: dict[str, tuple[str, Condition]] = {
    **{
        name: (f"{name.lstrip('_')}_cuda", _always)
        for name in (
            "_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward adaptive_max_pool2d_backward "
            "avg_pool3d_backward fractional_max_pool2d_backward fractional_max_pool3d_backward "
            "grid_sampler_2d_backward grid_sampler_3d_backward reflection_pad3d_backward"
        ).split()
    },
    **{
        name: (f"{name}_out_cuda", _always)
        for name in (
            "reflection_pad1d_backward reflection_pad2d_backward upsample_linear1d_backward "
            "upsample_bilinear2d_backward upsample_bicubic2d_backward upsample_trilinear3d_backward"
        ).split()
    },
    "max_unpool2d": ("max_unpooling2d_forward_out", _always),
    "max_unpool3d": ("max_unpooling3d_forward_out", _always),
    "nll_loss2d_forward": ("nll_loss2d_forward_out_cuda_template", _always),
    "_ctc_loss_backward": ("ctc_loss_backward_gpu", _always),
    "_ctc_loss_backward.Tensor": ("ctc_loss_backward_gpu", _always),
    "_embedding_bag_backward": ("embedding_bag_backward_cuda_max", _of_maximum),
    "put_": ("put_", _always),
    "histc": ("_histc_cuda with floating point input", _is_not_whole),
    "bincount": ("_bincount_cuda", _has_weights),
    "median.dim_values": ("median CUDA with indices output", _always),
    "median.dim": ("median CUDA with indices output", _always),
    "nanmedian.dim_values": ("median CUDA with indices output", _always),
    "nanmedian.dim": ("median CUDA with indices output", _always),
    "cumsum": ("cumsum_cuda_kernel", _is_not_whole),
    "cumsum.out": ("cumsum_cuda_kernel", _is_not_whole),
    "cumsum_": ("cumsum_cuda_kernel", _is_not_whole),
    "scatter_reduce.two": ("scatter_reduce_cuda_prod_", _is_product),
    "scatter_reduce_.two": ("scatter_reduce_cuda_prod_", _is_product),
}
"""The operators that ``torch.use_deterministic_algorithms`` lists as errors, with their names in the message."""
_ASSERTING = (
    "index.Tensor _index_put_impl_ index_select index_select.out gather gather.out scatter.src scatter_.src "
    "scatter.value scatter_.value scatter_add scatter_add_ scatter_reduce.two scatter_reduce_.two embedding "
    "_embedding_bag _embedding_bag_forward_only nll_loss_forward nll_loss2d_forward index_add index_add_ index_copy "
    "index_copy_ index_fill.int_Scalar index_fill_.int_Scalar take put_ binary_cross_entropy binary_cross_entropy.out "
    "multinomial multinomial.out bernoulli bernoulli.out bernoulli_.Tensor poisson max_unpool2d max_unpool2d.out "
    "max_unpool3d max_unpool3d.out multi_margin_loss multi_margin_loss.out _assert_async"
).split()
_OUT_OF_RANGE = re.compile(
    r"out of (?:bounds|range)|out of DATA bounds|Target -?\d+ is out of|should be between 0 and 1"
    r"|invalid multinomial distribution|probability tensor contains|with single nonzero value|not in the valid range"
    r"|Expected p_in >= 0 && p_in <= 1|invalid Poisson rate|Found an invalid max index"
)
_DIMENSION = re.compile(r"[Dd]imension out of range|tried to access a nonexistent")
_ASSERT = (
    "CUDA error: device-side assert triggered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
_DIVISIONS = (
    "floor_divide floor_divide_.Tensor div.Tensor_mode div_.Tensor_mode remainder.Tensor remainder_.Tensor".split()
)
_DIVISIONS += "fmod.Tensor fmod_.Tensor floor_divide.out remainder.Scalar_Tensor".split()


def with_refusals_of_cuda(kernels: dict[str, Kernel]) -> None:
    """Have kernels raise and warn as CUDA's do."""
    for names, change in ((_ASSERTING, _asserting), (_DIVISIONS, _dividing)):
        for name in names:
            if name in kernels:
                kernels[name] = change(kernels[name])
    for name, (caller, condition) in _NOT_DETERMINISTIC.items():
        if name in kernels:
            kernels[name] = _alerting(kernels[name], caller, condition)


def _alerting(kernel: Kernel, caller: str, condition: Condition) -> Kernel:
    def alert(*args: Any, **kwargs: Any) -> Any:
        if torch.are_deterministic_algorithms_enabled() and condition(args, kwargs):
            _alert(caller)
        return kernel(*args, **kwargs)

    return alert


def _alert(caller: str) -> None:
    """What ``alertNotDeterministic`` does."""
    said = (
        f"{caller} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
    )
    report = "You can file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding "
    report += "deterministic support for this operation."
    if torch.is_deterministic_algorithms_warn_only_enabled():
        warnings.warn(f"{said}, warn_only=True)'. {report}", UserWarning, stacklevel=3)
        return
    raise RuntimeError(
        f"{said})'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, "
        f"if that's acceptable for your application. {report.replace('You can', 'You can also', 1)}"
    )


def _asserting(kernel: Kernel) -> Kernel:
    """Turn the CPU's error for a value out of range into CUDA's, at once, as with CUDA_LAUNCH_BLOCKING=1."""

    def indexed(*args: Any, **kwargs: Any) -> Any:
        try:
            return kernel(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            if _OUT_OF_RANGE.search(str(error)) and not _DIMENSION.search(str(error)):
                raise accelerator_error(_ASSERT, 710) from error
            raise

    return indexed


def _dividing(kernel: Kernel) -> Kernel:
    """Whole numbers divided by zero are -1 and no error: what the hardware leaves, which CUDA does not define."""

    def divide(*args: Any, **kwargs: Any) -> Any:
        try:
            return kernel(*args, **kwargs)
        except RuntimeError as error:
            if "ZeroDivisionError" not in str(error):
                raise
        divisor = args[1] if isinstance(args[1], Tensor) else torch.tensor(args[1])
        zero = divisor == 0
        result = kernel(args[0], torch.where(zero, torch.ones_like(divisor), divisor), *args[2:], **kwargs)
        return result.masked_fill_(zero.to(result.device), -1)

    return divide
