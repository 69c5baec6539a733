"""Fixes for families of calls."""
