"""Looks at a program before LibCST parses it: whether a rule may find something there, and never a wrong no."""
