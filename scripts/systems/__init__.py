"""Which systems the project is tried on, and how: the parts of scripts/check-systems."""
