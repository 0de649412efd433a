"""Measuring a GPU: builds of the benchmarks, the process that runs them, the file of points."""
