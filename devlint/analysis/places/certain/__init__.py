"""Tensors made on the CPU of which the function itself shows that they meet one on a device."""
