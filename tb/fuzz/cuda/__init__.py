"""Random CUDA C programs: results of two compilers and the model compared with the same text on the host."""
