#!/usr/bin/env python3
"""A key that has no effect in a configuration, as the program says, has none: runs with other values of it are the same."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SMSIM = os.environ["SMSIM_BINARY"]
# Compiled kernels, which run on every engine: divergence, shared memory with barriers, global atomics.
KERNELS = ("cuda_mandelbrot", "cuda_bitonic_sort", "cuda_histogram")
# Programs that are not compiled run on one engine; this one sleeps.
SLEEPING = "synchronisation/spin_lock_nanosleep"


def schema():
    done = subprocess.run([SMSIM, "config", "--schema", "--json"], capture_output=True, text=True, check=True)
    return {row["key"]: row for row in json.loads(done.stdout)["keys"]}


SCHEMA = schema()


def as_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def others(key):
    """Values of a key besides its default; for numbers those at the ends of the range, or close to them."""
    row = SCHEMA[key]
    if row["type"] == "flag":
        return [not row["default"]]
    if row["type"] == "name":
        return [value for value in row["values"] if value != row["default"]]
    if row["type"] in ("part", "operations", "sizes"):
        return []
    step = row.get("multiple_of", 1)
    candidates = [row["low"], min(row["high"], 2 * abs(row["default"]) or step)]
    return [value for value in dict.fromkeys(candidates) if value != row["default"]]


def without(alternatives):
    """Settings with which none of the alternatives holds."""
    settings = {}
    for condition in alternatives:
        key = condition["key"]
        if "is_not" in condition:
            settings[key] = condition["is_not"]
        else:
            row = SCHEMA[key]
            values = [True, False] if row["type"] == "flag" else row["values"]
            settings[key] = next(value for value in values if value != condition["is"])
    return settings


class IdleKeys(unittest.TestCase):
    def outcome(self, settings):
        """The reports, without what repeats the configuration; or the refusal."""
        arguments = [argument for key, value in settings.items() for argument in ("--set", f"{key}={as_text(value)}")]
        kernels = [f"compiled/{name}" for name in KERNELS]
        if settings.get("bru.engine", "convergence_barrier") == "convergence_barrier":
            kernels.append(SLEEPING)
        launches = [str(ROOT / "kernels" / name / "launch.yaml") for name in kernels]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([SMSIM, "batch", "-j", "2", "-o", folder, *arguments, *launches], capture_output=True, text=True,
                                  check=False)
            reports = {}
            for path in sorted(pathlib.Path(folder).glob("**/report.json")):
                report = json.loads(path.read_text(encoding="utf-8"))
                for member in ("config", "validation", "verdict", "roofline"):
                    report.pop(member, None)
                reports[path.parent.parent.name] = report
        return done.returncode, reports, done.stderr

    def test_they_change_nothing(self):
        bases = {}
        tried = 0
        for key, row in SCHEMA.items():
            for alternatives in row.get("needs", ()):
                base = without(alternatives)
                if any(SCHEMA[other]["type"] == "part" for other in base):
                    continue  # the model's own parts are the default; blocks of RTL have their own tests
                named = json.dumps(base, sort_keys=True)
                if named not in bases:
                    bases[named] = self.outcome(base)
                status, reports, said = bases[named]
                self.assertEqual((status, len(reports) >= len(KERNELS)), (0, True), f"{base}: {said}")
                for value in others(key):
                    status, found, said = self.outcome(base | {key: value})
                    if "has no effect" not in said:
                        self.assertIn("must ", said, f"{key}: {value}")  # impossible together with another key
                        continue
                    tried += 1
                    with self.subTest(key=key, value=value, base=base):
                        self.assertEqual(found, reports)
        self.assertGreater(tried, 40)


if __name__ == "__main__":
    unittest.main()
