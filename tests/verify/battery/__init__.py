"""Small programs that say what real CUDA does, run on the simulated one; each names where PyTorch documents it."""
