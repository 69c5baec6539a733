"""What fails without CUDA, and what only runs beside it."""
