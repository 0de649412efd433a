"""Correlation of the model's cycles with published measurements of silicon: points, runs, errors, table and page."""
