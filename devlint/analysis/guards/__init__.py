"""Tests for CUDA or an accelerator, and what they guard."""
