"""Measuring a GPU: builds the benchmarks, runs them in a process, and writes the file of points."""
