"""What rules ask: which tensors lack a device, which devices are mixed, and what to write."""
