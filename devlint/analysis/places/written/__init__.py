"""What the text of a file says of its functions and classes, read piece by piece."""
