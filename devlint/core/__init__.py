"""Values that everything else shares; nothing here imports anything of devlint outside this package."""
