"""Benchmarks of one SM in CUDA C, for a GPU (scripts/measure-gpu) and, from the same source, for the model (probes/device.py)."""
