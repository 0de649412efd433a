"""Compares compiled kernels side by side: variants of options and programs, and the vendor's assembler."""
