"""Sweeps over kernels and configuration keys, pictures and pages of their results, and the contents of launch-file buffers."""
