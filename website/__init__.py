"""What the documentation site and the pictures in the documentation are made with; no part of the package."""
