"""Python's own syntax tree: parsing, names, nodes, and terms read from it."""
