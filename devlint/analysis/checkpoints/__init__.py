"""What a program does with the checkpoints that it loads."""
