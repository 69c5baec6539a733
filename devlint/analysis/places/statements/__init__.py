"""What statements do: what names are given, and what is known after a loop."""
