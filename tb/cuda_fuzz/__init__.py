"""Random CUDA C programs: what two compilers and the model make of them, against the same text on the host."""
