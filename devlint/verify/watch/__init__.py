"""In an observed program: notes where tensors of two devices meet and where they were made, and goes on."""
