"""The systems on which the project is tested, and how: the modules of scripts/check-systems."""
