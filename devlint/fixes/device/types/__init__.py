"""The type of a device, and what a question for CUDA's becomes."""
