"""The trial of one row of scripts/check-systems: its steps, and the result of each."""
import re
import time

from systems.roots import Failed

# Launches of CUDA source are left out, because each clang compiles them to other code; their PTX is included.
BYTES = "--without-cuda --config configs/default.yaml"
CTEST = re.compile(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)")
LEFT_OUT = re.compile(r"RTL block (\w+) is left out")
# The objects of sources whose loops have vector code on x86-64.
VECTOR_SOURCES = ("due_times.cpp", "coalescer.cpp", "operands.cpp", "integer.cpp", "float.cpp")
QUIET = "export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1; "


class Trial:
    """Tries one row in its root; `cells` contains the results, by column."""

    def __init__(self, row, root, folder, record):
        """`record` is the file with the kernels' results from the first row that ran them, for the same commit."""
        self.row = row
        self.root = root
        self.cells = {}
        self.log = folder / f"{row.name}.log"
        self._record = record
        self._tree = f"/trees/{row.name}"

    def run(self):
        """Runs the steps of the row in order. Raises Failed if one fails."""
        self.log.write_text("", encoding="utf-8")
        self._prepare()
        if self.row.refused:
            self._refuse()
        for preset in self.row.presets:
            self._preset(preset)
        for step in self.row.steps:
            getattr(self, f"_{step}")()

    def _do(self, command):
        return self.root.run(command, self._tree, self.log)

    def _add(self, column, text):
        self.cells[column] = ", ".join(filter(None, (self.cells.get(column), text)))

    def _prepare(self):
        row = self.row
        self.root.make()
        if row.architecture:
            self.root.run(f"dpkg --add-architecture {row.architecture}")
        self.root.install(row.packages, () if row.architecture else ("build", "test", "fuzz"))
        self.root.run(f"mkdir -p /trees && rm -rf {self._tree} && git clone -q /smsim {self._tree}", "/")
        if row.left_out:
            self._do(f"echo 'this is no Verilog' >> cosim/rtl/{row.left_out}.sv")

    def _configure(self):
        options = [f"-DCMAKE_CXX_COMPILER={self.row.compiler}"]
        environment = ""
        if self.row.architecture:
            options += ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", "-DSMSIM_RTL=OFF", "-DSMSIM_TESTS=OFF"]
            environment = "export PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig; "
        return self._do(f"{environment}cmake --preset release {' '.join(options)}")

    def _refuse(self):
        """Checks that a compiler that is too old is rejected by name."""
        try:
            self._configure()
        except Failed as error:
            text = " ".join(str(error).split())
            if f"is {self.row.refused}" not in text or "smsim needs" not in text:
                raise
            self.cells["build"] = "refused by name"
            return
        raise Failed(f"{self.row.compiler} was not refused")

    def _preset(self, preset):
        """Builds the program of a preset, or the fuzzers of `fuzz`, and runs each for a moment."""
        start = time.monotonic()
        target = "hostile_fuzzers" if preset == "fuzz" else "smsim_program"
        self._do(f"{QUIET}cmake --preset {preset} && cmake --build --preset {preset} --target {target}")
        if preset == "fuzz":
            self._do("scripts/fuzz-inputs 2")
        else:
            self._do(f"{QUIET}build/{preset}/smsim run kernels/memory/vector_add/launch.yaml --report none")
        self._add("build", f"{preset} {time.monotonic() - start:.0f} s")

    def _build(self):
        start = time.monotonic()
        configured = self._configure()
        left_out = LEFT_OUT.findall(configured)
        if left_out != ([self.row.left_out] if self.row.left_out else []):
            raise Failed(f"RTL blocks left out: {left_out or 'none'}")
        labels = [step for step in ("unit", "cosim") if step in self.row.steps]
        targets = ["smsim_program", *(f"{label}_tests" for label in labels)]
        text = self._do(f"{QUIET}cmake --build --preset release --target {' '.join(targets)}")
        warnings = len(re.findall(r"warning:", text))
        self._add("build", f"{time.monotonic() - start:.0f} s, {warnings} warnings")
        if "cannot optimise it across files" in text:
            self._add("build", "not optimised across files")
        if self.row.architecture:
            self._add("build", self._vector_code())
        if left_out:
            self._add("build", f"without RTL of {', '.join(left_out)}")

    def _vector_code(self):
        """Checks that loops over lanes and timers are vector instructions on that machine, too, in each source with such loops."""
        for source in VECTOR_SOURCES:
            text = self._do("aarch64-linux-gnu-objdump -d $(find build/release -path '*_as_one.dir*' -name "
                            f"'{source}.o') | grep -cE 'v[0-9]+\\.(2d|4s|8h|16b)' || true")
            if int(text.split()[-1]) == 0:
                raise Failed(f"{source} has no vector instructions")
        return f"vector code in {len(VECTOR_SOURCES)} sources"

    def _bytes(self):
        """The first row writes a record; the others are compared with it. Programs for other machines run under qemu."""
        program, of_it = "build/release/smsim", BYTES
        if self.row.architecture:
            self._do("printf '#!/bin/sh\\nexec qemu-aarch64-static /trees/%s/build/release/smsim \"$@\"\\n' "
                     f"{self.row.name} > build/foreign && chmod +x build/foreign")
            program = "build/foreign"
            of_it += " --without-trace"  # otherwise it would take hours
        copy = self.root.path / "tmp/record.json"
        if not self._record.exists():
            text = self._do(f"{QUIET}scripts/compare-runs --record /tmp/record.json {of_it} {program}")
            self._record.write_bytes(copy.read_bytes())
            self.cells["bytes"] = re.search(r"\d+ runs recorded", text).group(0)
            return
        copy.write_bytes(self._record.read_bytes())
        text = self._do(f"{QUIET}scripts/compare-runs /tmp/record.json {program} {of_it}")
        self.cells["bytes"] = re.search(r"(\d+ runs), 0 differ", text).group(1) + " alike"

    def _tests(self, arguments):
        text = self._do(f"ctest --no-tests=error --test-dir build/release -j 2 -LE slow {arguments}")
        _, failed, number = CTEST.search(text).groups()
        skipped = len(re.findall(r"\(Skipped\)", text))
        return f"{int(number) - int(failed) - skipped} passed" + (f", {skipped} skipped" if skipped else "")

    def _unit(self):
        self.cells["unit"] = self._tests("-L '^unit$'")

    def _cosim(self):
        self.cells["cosim"] = self._tests("-L '^cosim$'")

    def _sweep(self):
        """Runs sweeps with a separate scheduler and workers, some of which are lost."""
        self.cells["sweep"] = self._tests("-R '^exploration.sweep_workers$'")
