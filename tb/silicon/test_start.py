"""Common start of the tests in this folder: module paths, and an exit with status 77 if packages are missing."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/calibration"), str(ROOT / "python"), str(ROOT / "tb")]
try:
    import matplotlib  # noqa: F401
    import yaml  # noqa: F401
except ImportError as missing:
    print(f"{missing.name} is not installed")
    sys.exit(77)
