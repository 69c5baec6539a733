"""The simulated accelerator: these modules import torch, and are imported only by who simulates."""
