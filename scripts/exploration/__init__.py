"""Exploration of configurations: sweeps over kernels and keys, and pictures of their results."""
