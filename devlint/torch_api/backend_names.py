"""How programs name NCCL together with gloo, in the form that torch.distributed takes for several kinds of devices."""

CUDA_FIRST = "cuda:nccl,cpu:gloo"
CPU_FIRST = "cpu:gloo,cuda:nccl"
