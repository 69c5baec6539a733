"""devlint makes PyTorch code device-agnostic: it finds what assumes one kind of device, and rewrites it."""

__version__ = "0.1.0"
