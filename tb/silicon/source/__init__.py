"""Probes as CUDA C: what compilation adds to the figures of the hand-scheduled ones."""
