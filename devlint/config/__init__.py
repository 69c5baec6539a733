"""Settings, the baseline, the torch requirement, and `devlint init`."""
