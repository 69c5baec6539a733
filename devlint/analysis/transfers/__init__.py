"""What moves tensors and modules between devices."""
