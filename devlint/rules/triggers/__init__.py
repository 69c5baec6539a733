"""What a rule looks for, said once: leaves with their regular expressions, ways to combine them, and predicates.

Nothing here imports LibCST: a check of a file in which no rule finds anything does without it.
"""
