"""What the tests of this folder begin with: where modules are, and an end with status 77 where packages are missing."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tb")]
try:
    import matplotlib  # noqa: F401
    import yaml  # noqa: F401
except ImportError as missing:
    print(f"{missing.name} is not installed")
    sys.exit(77)
