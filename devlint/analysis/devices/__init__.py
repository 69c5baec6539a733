"""What is a device, and which."""
