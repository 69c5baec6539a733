"""What is a tensor, and what makes one."""
