"""Probes as CUDA C: what compilation adds to the figures of hand-scheduled ones."""
