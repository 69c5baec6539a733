"""What functions of a project choose: the visible GPUs, with what leads to them, and the device that one returns."""
