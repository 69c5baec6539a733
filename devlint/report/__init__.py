"""Reports for whoever plans a migration: values, computed once from what the engine finds, and their renderers."""
