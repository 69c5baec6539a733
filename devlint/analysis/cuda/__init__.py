"""CUDA itself: cards and their numbers, when it starts, what a literal is for."""
