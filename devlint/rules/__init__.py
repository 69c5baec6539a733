"""The rules, one a file: a module here is found by itself, nothing is registered."""
