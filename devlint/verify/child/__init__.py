"""The process that is observed: these modules import torch, and are imported by no other process."""
