"""Code that runs in the observed process only; these modules import torch."""
