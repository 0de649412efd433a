"""Exploration of configurations: sweeps over kernels and keys, and what is drawn from their results."""
