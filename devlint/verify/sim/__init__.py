"""The simulated CUDA devices; these modules import torch, so they are imported only to simulate."""
