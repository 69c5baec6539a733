"""Measurements on real code: the corpus and the speed runs."""
