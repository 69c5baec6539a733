"""Renderers: findings in, text out. They know of findings and of a way to look up lines, and of nothing else."""
