"""Which releases of torch a project is for."""
