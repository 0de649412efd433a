"""The folders and files of the tree whose text is checked (scripts/check-english, scripts/checks/check-citations)."""

# Folders of the product, its tests, its documents and its scripts.
FOLDERS = ("app", "assembler", "bcu", "bru", "cmake", "configs", "cosim", "cuda", "docs", "ibuffer", "kernels", "memory", "model", "ptx",
           "python", "report", "scripts", "session", "sm", "tb", "views")
# Files of the top folder.
TOP = ("README.md", "CONTRIBUTING.md", "CMakeLists.txt", "Dockerfile")
# Folders inside that hold no text of the project.
LEFT_OUT = ("node_modules", "__pycache__", "hostile_inputs")
# Languages whose comments begin with two slashes, and those whose comments begin with a hash.
SLASHES = (".h", ".cpp", ".c", ".cu", ".sv", ".svh", ".sasm", ".ptx", ".js", ".vlt", ".in")
HASHES = (".py", ".yaml", ".yml", ".cmake", ".txt", "")
