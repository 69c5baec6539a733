"""What may choose the visible GPUs of a program: the functions of other files, and what leads to them."""
