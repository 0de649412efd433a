"""The file of a sweep: what is invalid is rejected before anything runs, in one message with its line."""

import os
import subprocess
import sys
from fractions import Fraction
from unittest import mock

import sweep_support
from smsim import document, specification
from smsim.errors import UserError
from smsim.places import ROOT
from smsim.start import start
from smsim.values import Schema

SCHEMA = {
    "ibuffer.depth": {"type": "unsigned"},
    "ibuffer.policy": {"type": "name", "values": ["loose_round_robin", "two_level"], "library": True},
    "sm.clock_ghz": {"type": "number"},
    "sm.hazard_check": {"type": "flag"},
    "bru.trap_handler": {"type": "integer"},
    "global.latency": {"type": "unsigned"},
    "l1.bytes": {"type": "unsigned", "unit": "bytes"},
}
HEAD = "name: s\nkernels: [launch.yaml]\n"


class Specification(sweep_support.SweepTest):
    def read(self, text):
        return specification.read(self.write("sweep.yaml", text), SCHEMA)

    def refused(self, text, message):
        with self.assertRaises(UserError) as caught:
            self.read(text)
        self.assertEqual(str(caught.exception), f"{self.folder / 'sweep.yaml'}:{message}")

    def values(self, text):
        return [step.value for step in self.read(HEAD + text).axes[0].steps]

    def test_unknown_names_are_refused_with_the_nearest(self):
        self.refused(HEAD + "axis: []\n", "3: a sweep has no key 'axis'; did you mean 'axes'?")
        self.refused(
            HEAD + "axes:\n  - ibufer.depth: [1]\n", "4: unknown key 'ibufer.depth'; did you mean 'ibuffer.depth'?"
        )
        self.refused(
            HEAD + "set: {ibuffer.polcy: two_level}\n", "3: unknown key 'ibuffer.polcy'; did you mean 'ibuffer.policy'?"
        )
        self.refused(
            HEAD + "axes:\n  - ibuffer.depth: {from: 1, too: 2, step: 1}\n",
            "4: the range of ibuffer.depth has no key 'too'; did you mean 'to'?",
        )
        self.refused(
            HEAD + "constraints: [ibuffer.dept > 2]\n",
            "3: 'ibuffer.dept > 2': unknown key 'ibuffer.dept'; did you mean 'ibuffer.depth'?",
        )

    def test_a_policy_may_come_from_a_library(self):
        text = "axes:\n  - ibuffer.policy: [two_level, 'library:./libmine.so:4']\n"
        self.assertEqual(self.values(text), ["two_level", "library:./libmine.so:4"])

    def test_values_have_the_type_of_their_key(self):
        self.refused(
            HEAD + "axes:\n  - ibuffer.depth: [1, deep]\n", "4: ibuffer.depth must be an integer; found 'deep'"
        )
        self.refused(HEAD + "axes:\n  - ibuffer.depth: [1.5]\n", "4: ibuffer.depth must be an integer; found '1.5'")
        self.refused(HEAD + "set: {sm.hazard_check: yes}\n", "3: sm.hazard_check must be true or false; found 'yes'")
        self.refused(HEAD + "set: {sm.clock_ghz: fast}\n", "3: sm.clock_ghz must be a number; found 'fast'")
        self.refused(
            HEAD + "axes:\n  - ibuffer.policy: [two_levels]\n",
            "4: ibuffer.policy must be one of loose_round_robin, two_level; found 'two_levels'"
            "; did you mean 'two_level'?",
        )

    def test_parts_have_their_form(self):
        self.refused("name: s\n", "1: a sweep needs the key 'kernels'")
        self.refused(
            "name: a/b\nkernels: [launch.yaml]\n", "1: name 'a/b' may have letters, digits, '_', '-' and '.' only"
        )
        self.refused("name: s\nkernels: launch.yaml\n", "2: kernels must be a list with at least one entry")
        self.refused("name: s\nkernels: [none.yaml]\n", f"2: kernels: there is no file {self.folder / 'none.yaml'}")
        self.refused(
            HEAD + "axes:\n  - ibuffer.depth: 3\n",
            "4: ibuffer.depth must be a list or a range {from, to, step} or {from, to, factor}",
        )
        self.refused(HEAD + "axes:\n  - ibuffer.depth: []\n", "4: ibuffer.depth must be a list with at least one entry")
        self.refused(HEAD + "timeout: soon\n", "3: timeout must be a number of seconds above 0")
        self.refused(HEAD + "name: t\n", "3: 'name' stands twice in a sweep")
        self.refused("name: [\n", "2: no valid YAML: expected the node content, but found '<stream end>'")

    def test_lists_and_mappings_have_a_depth(self):
        self.assertEqual(self.values("axes: [{ibuffer.depth: [1]}]\n"), [1])
        for opening, closing in (("[", "]"), ("{a: ", "}")):
            for depth in (40, 1000, 100000):
                nested = opening * depth + closing * depth
                self.refused(f"{HEAD}axes:\n  - {nested}\n", "4: no valid YAML: nested deeper than 32 levels")

    def test_text_that_cannot_be_printed_or_stored_is_refused(self):
        for line, what in (
            ('description: "{}"', "description"),
            ('output: "a{}b"', "output"),
            ('config: "a{}b"', "config"),
            ('set: {{ibuffer.policy: "{}"}}', "ibuffer.policy"),
            ('set: {{"{}": 1}}', "a name in set"),
            ('constraints: ["kernel == \'{}\'"]', "a constraint"),
            ('axes: [zip: {{name: z, labels: ["{}"], ibuffer.depth: [1]}}]', "a value of labels"),
        ):
            for escape, point in (("\\0", "0000"), ("\\e", "001B"), ("\\uD800", "D800")):
                message = f"3: {what} has the character U+{point}; expected text without such"
                self.refused(f"{HEAD}{line.format(escape)}\n", message)
        self.assertEqual(self.read(HEAD + 'description: "two\\n\\tlines, \\U0001F600"\n').description, "two\n\tlines, \U0001f600")

    def test_a_file_has_a_length(self):
        with mock.patch.object(document, "LONGEST_FILE", len(HEAD)):
            self.read(HEAD)
            with self.assertRaisesRegex(UserError, f"sweep.yaml: is too long; expected at most {len(HEAD)} characters"):
                self.read(HEAD + "#")

    def test_a_character_that_yaml_does_not_have_is_refused_in_its_line(self):
        self.refused(HEAD + "# \1\n", "3: no valid YAML: unacceptable character #x0001: special characters are not allowed")

    def test_files_have_names_that_can_be_stored(self):
        (self.folder / os.fsdecode(b"\xff")).mkdir()
        path = self.write(os.fsdecode(b"\xff/launch.yaml"), "")
        (self.folder / "link.yaml").symlink_to(path)
        message = f"2: kernels: the name of {self.folder}/link.yaml is not UTF-8"
        self.refused("name: s\nkernels: [link.yaml]\n", message)
        missing = "a" * 5000
        shown = str(self.folder / missing)[:200] + "…"
        self.refused(f"name: s\nkernels: [{missing}]\n", f"2: kernels: there is no file {shown}")

    def test_values_have_a_length(self):
        for digit in "9a":
            long = digit * 5000
            for line, what in (
                (f"set: {{ibuffer.depth: {long}}}", "ibuffer.depth"),
                (f"axes: [ibuffer.depth: [{long}]]", "a value of ibuffer.depth"),
                (f"axes: [ibuffer.depth: {{from: 1, to: {long}, step: 1}}]", "'to' of ibuffer.depth"),
                (f"axes: [zip: {{name: z, labels: [{long}], ibuffer.depth: [1]}}]", "a value of labels"),
                (f"axes: [zip: {{name: z, ibuffer.depth: [{long}]}}]", "ibuffer.depth"),
            ):
                self.refused(f"{HEAD}{line}\n", f"3: {what} may have 1000 characters; found 5000")

    def test_a_label_that_no_number_holds_stays_text(self):
        axis = self.read(HEAD + "axes:\n  - zip: {name: z, labels: [1e999, 1e9], ibuffer.depth: [1, 2]}\n").axes[0]
        self.assertEqual([step.value for step in axis.steps], ["1e999", 1e9])

    def test_messages_repeat_the_beginning_of_what_is_long(self):
        self.refused(f"{HEAD}{'a' * 300}: 1\n", f"3: a sweep has no key '{'a' * 200}…'")

    def test_messages_and_lists_have_a_line_for_each_thing(self):
        self.refused('name: "a\\nb"\nkernels: [launch.yaml]\n', "1: name 'a\\nb' may have letters, digits, '_', '-' and '.' only")
        self.refused(HEAD + 'constraints: ["a\\n "]\n', "3: 'a': unknown key 'a'")
        self.write("sweep.yaml", HEAD + 'axes: [zip: {name: z, labels: ["a\\nb"], ibuffer.depth: [1]}]\n')
        self.assertEqual(self.sweep("--list", status=0), f"0\t{self.folder.name}  z=a\\nb\n")

    def test_a_key_has_its_value_from_one_place(self):
        both = "set: {ibuffer.depth: 2}\naxes:\n  - ibuffer.depth: [1]\n"
        self.refused(HEAD + both, "5: ibuffer.depth has a value already, in 'set' or in another axis")
        self.refused(HEAD + "axes:\n  - ibuffer.depth: [1, 1]\n", "4: the value '1' of ibuffer.depth stands twice")
        self.refused(
            "name: s\nkernels: [launch.yaml, ./launch.yaml]\n",
            f"2: two kernels are called '{self.folder.name}'; give one another name: 'name: launch file'",
        )

    def test_ranges_include_their_ends_and_are_exact(self):
        self.assertEqual(self.values("axes:\n  - ibuffer.depth: {from: 2, to: 8, step: 2}\n"), [2, 4, 6, 8])
        self.assertEqual(self.values("axes:\n  - ibuffer.depth: {from: 1, to: 20, factor: 2}\n"), [1, 2, 4, 8, 16])
        self.assertEqual(
            self.values("axes:\n  - sm.clock_ghz: {from: 0.1, to: 0.4, step: 0.1}\n"), [0.1, 0.2, 0.3, 0.4]
        )

    def test_ranges_with_a_factor_are_rounded_far_behind_what_is_written(self):
        many = self.values("axes:\n  - sm.clock_ghz: {from: 1, to: 2, factor: 1.0001}\n")
        self.assertEqual((len(many), many[1], many[-1]), (6932, 1.0001, float(Fraction("1.0001") ** 6931)))
        whole = self.values("axes:\n  - ibuffer.depth: {from: 1, to: 1.7e308, factor: 2}\n")
        self.assertEqual(whole, [1 << place for place in range(1024)])
        self.assertEqual(
            self.values("axes:\n  - sm.clock_ghz: {from: 3, to: 1e100, factor: 1.7}\n"),
            [float(3 * Fraction("1.7") ** place) for place in range(432)],
        )

    def test_ends_of_ranges_are_numbers_that_can_be_computed_with(self):
        for range_of, what, found in (
            ("{from: 1, to: 1e999999999, factor: 2}", "to", "1e999999999"),
            ("{from: 1e-99999999, to: 2, factor: 2}", "from", "1e-99999999"),
            ("{from: 1, to: 2, factor: 1e99999999}", "factor", "1e99999999"),
            ("{from: 1, to: 2, step: 1e-99999999}", "step", "1e-99999999"),
            ("{from: -1e999, to: 2, step: 1}", "from", "-1e999"),
        ):
            message = f"'{what}' of sm.clock_ghz must be 0 or from 5e-324 to 1.79e308 in size; found '{found}'"
            self.refused(f"{HEAD}axes:\n  - sm.clock_ghz: {range_of}\n", f"4: {message}")
        self.assertEqual(self.values("axes:\n  - sm.clock_ghz: {from: 0e99999999999, to: 1, step: 1}\n"), [0, 1])

    def test_of_numbers_the_model_is_asked_only_where_they_are_out_of_range(self):
        asked = []
        rows = {"sm.clock_ghz": {"type": "number", "low": 0.001, "high": 100}}
        schema = Schema(rows, lambda key, text: asked.append(text) or f"refused {text}")
        specification.read(self.write("sweep.yaml", HEAD + "axes: [sm.clock_ghz: [1.5, 1.0001]]\n"), schema)
        self.assertEqual(asked, [])
        with self.assertRaisesRegex(UserError, "refused 1000"):
            specification.read(self.write("sweep.yaml", HEAD + "axes: [sm.clock_ghz: [1000]]\n"), schema)

    def test_ranges_that_do_not_end_or_have_no_value_are_refused(self):
        for text, message in (
            ("{from: 1, to: 2, step: 0}", "'step' of ibuffer.depth must be above 0"),
            ("{from: 1, to: 2, factor: 1}", "'factor' of ibuffer.depth must be above 1, and 'from' above 0"),
            ("{from: 0, to: 2, factor: 2}", "'factor' of ibuffer.depth must be above 1, and 'from' above 0"),
            ("{from: 3, to: 2, step: 1}", "the range of ibuffer.depth is empty: 'to' is below 'from'"),
            ("{from: 1, to: 2}", "the range of ibuffer.depth needs either 'step' or 'factor'"),
            ("{from: 1, to: 1e9, step: 1}", "the range of ibuffer.depth has more than 100000 values"),
            ("{from: 1, to: 2, factor: 1.000000000001}", "the range of ibuffer.depth has more than 100000 values"),
        ):
            self.refused(f"{HEAD}axes:\n  - ibuffer.depth: {text}\n", f"4: {message}")

    def test_sizes_in_bytes_take_the_suffixes_of_configurations(self):
        self.assertEqual(self.values("axes:\n  - l1.bytes: [64K, 96KB, 1MiB, 5]\n"), [65536, 98304, 1048576, 5])
        self.refused(f"{HEAD}axes:\n  - l1.bytes: [65536, 64K]\n", "4: the value '64K' of l1.bytes stands twice")
        self.refused(f"{HEAD}axes:\n  - l1.bytes: [64K, 65536]\n", "4: the value '65536' of l1.bytes stands twice")
        self.assertEqual(
            self.values("axes:\n  - l1.bytes: {from: 64K, to: 256KB, factor: 2}\n"), [65536, 131072, 262144]
        )
        self.assertEqual(self.values("axes:\n  - l1.bytes: {from: 1K, to: 3K, step: 1K}\n"), [1024, 2048, 3072])
        self.refused(f"{HEAD}axes:\n  - ibuffer.depth: [1K]\n", "4: ibuffer.depth must be an integer; found '1K'")

    def test_zeros_in_front_are_refused_in_the_words_of_the_model(self):
        for key, values, what, found in (
            ("ibuffer.depth", "[010]", "ibuffer.depth", "010"),
            ("l1.bytes", "[010K]", "l1.bytes", "010K"),
            ("l1.bytes", "{from: 01K, to: 2K, factor: 2}", "'from' of l1.bytes", "01K"),
        ):
            message = f"{what} must be a number without leading zeros, which some would read as octal; found '{found}'"
            self.refused(f"{HEAD}axes:\n  - {key}: {values}\n", f"4: {message}")

    def test_a_value_out_of_range_is_told_as_it_was_written(self):
        rows = {"l1.bytes": {"type": "unsigned", "unit": "bytes", "low": 128, "high": 1 << 30}}
        schema = Schema(rows, lambda key, text: f"{key} is out of range; found '{text}'")
        with self.assertRaisesRegex(UserError, "l1.bytes is out of range; found '2G'"):
            specification.read(self.write("sweep.yaml", HEAD + "set: {l1.bytes: 2G}\n"), schema)

    def test_keys_of_a_zip_move_together_under_one_name(self):
        axis = self.read(
            HEAD
            + "axes:\n  - zip: {name: size, labels: [small, large], ibuffer.depth: [2, 2], global.latency: [1, 9]}\n"
        ).axes[0]
        self.assertEqual((axis.name, [step.value for step in axis.steps]), ("size", ["small", "large"]))
        self.assertEqual(axis.steps[1].settings, (("ibuffer.depth", "2"), ("global.latency", "9")))

    def test_values_of_the_launch_file_may_be_lists(self):
        sweep = self.read(
            HEAD + "set: {launch.check: []}\naxes:\n  - launch.block: [[16, 16], '[32, 8]', 256]\n"
            "  - zip: {name: z, launch.grid: [[2, 2], 4], ibuffer.depth: [1, 2]}\nbaseline: {launch.block: [32, 8]}\n"
        )
        self.assertEqual(sweep.settings, (("launch.check", "[]"),))
        self.assertEqual([step.value for step in sweep.axes[0].steps], ["[16, 16]", "[32, 8]", 256])
        self.assertEqual([step.value for step in sweep.axes[1].steps], ["[2, 2]", 4])
        self.assertEqual(sweep.baseline.steps, {"launch.block": 1})
        macro = self.read(HEAD + "axes: [launch.compile.define.P: ['NULL', \"\", '5', p]]\n").axes[0]
        self.assertEqual([step.value for step in macro.steps], ["'NULL'", "''", 5, "p"])
        self.refused(HEAD + "axes:\n  - ibuffer.depth: [[1]]\n", "4: a value of ibuffer.depth must be a single value")
        self.refused(
            HEAD + "axes:\n  - launch.block:\n      - - 16\n        - 16\n",
            "5: a value of launch.block must be a single value, or a list in brackets in one line",
        )

    def test_a_zip_needs_a_name_and_columns_of_one_length(self):
        zipped = HEAD + "axes:\n  - zip: "
        self.refused(zipped + "{ibuffer.depth: [1]}\n", "4: zip needs the key 'name'")
        self.refused(
            zipped + "{name: z, ibuffer.depth: [1, 2], global.latency: [1]}\n",
            "4: zip 'z' needs as many values for each: ibuffer.depth has 2, global.latency has 1",
        )
        self.refused(
            zipped + "{name: z, ibuffer.depth: [1, 1], global.latency: [1, 2]}\n",
            "4: zip 'z' needs labels: the values of its first key are not all different",
        )

    def test_kernels_are_named_after_folder_and_launch_file_unless_named(self):
        self.write("matmul/launch.yaml", "")
        self.write("matmul/launch_small.yaml", "")
        sweep = self.read("name: s\nkernels: [matmul/launch.yaml, matmul/launch_small.yaml, tiny: launch.yaml]\n")
        self.assertEqual([kernel.name for kernel in sweep.kernels], ["matmul", "matmul_small", "tiny"])

    def test_the_name_of_a_folder_that_says_nothing_gives_way_to_that_of_the_program(self):
        self.write("k/launch.yaml", "program: hist.cu\n")
        self.write("k/launch_small.yaml", "program: ../hist.clang.ptx\n")
        self.write("cuda_fft/launch.yaml", "program: fft.ptx\n")
        self.write("odd/launch.yaml", "program: 'a b.cu'\n")
        self.write("unread/launch.yaml", "program: [\n")
        kernels = "[k/launch.yaml, k/launch_small.yaml, cuda_fft/launch.yaml, odd/launch.yaml, unread/launch.yaml]"
        names = [kernel.name for kernel in self.read(f"name: s\nkernels: {kernels}\n").kernels]
        self.assertEqual(names, ["hist", "hist_small", "cuda_fft", "odd", "unread"])

    def test_a_bad_file_ends_the_program_with_status_2(self):
        self.write("sweep.yaml", HEAD + "axes:\n  - ibufer.depth: [1]\n")
        self.assertEqual(
            self.sweep(status=2),
            f"scripts/sweep: error: {self.folder}/sweep.yaml:4: unknown key 'ibufer.depth'; did you mean 'ibuffer.depth'?\n",
        )
        self.assertFalse(self.file.exists())

    def test_a_point_is_named_by_its_number(self):
        self.write("sweep.yaml", HEAD)
        for number in ("1", "-1", "9" * 5000, "\u00b2", "\u0661", "x"):
            message = "scripts/sweep: error: --command {}: points are numbered 0 to 0; --list shows them\n"
            shown = number if len(number) <= 200 else number[:200] + "…"
            self.assertEqual(self.sweep(f"--command={number}", status=2), message.format(shown))

    def test_what_the_locale_cannot_write_is_printed_as_escapes(self):
        self.write("sweep.yaml", HEAD + 'axes: [zip: {name: z, labels: ["\u00fc"], ibuffer.depth: [1]}]\n')
        with mock.patch.dict(os.environ, PYTHONIOENCODING="ascii"):
            self.assertTrue(self.sweep("--list", status=0).endswith("z=\\xfc\n"))

    def test_a_program_has_a_name_that_can_be_stored(self):
        self.write("sweep.yaml", HEAD)
        self.stub = self.stub.rename(self.folder / os.fsdecode(b"\xff"))
        message = f"error: {self.folder}/\\udcff: the name is not UTF-8, so that no command can be stored with it\n"
        self.assertIn(message, self.sweep(status=2))


class Start(sweep_support.SweepTest):
    """Without the libraries that Debian packages, which -S hides."""

    def start_without(self, tool, *arguments):
        command = [sys.executable, "-S", ROOT / "scripts" / tool, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_help_needs_no_library(self):
        for tool in ("sweep", "explore"):
            done = self.start_without(tool, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"usage: scripts/{tool} ", done.stdout)

    def test_a_missing_library_is_one_message_with_its_package(self):
        for tool, module in (("sweep", "yaml"), ("explore", "pandas|jinja2|matplotlib")):
            done = self.start_without(tool, "file")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            message = rf"scripts/{tool}: error: Python has no module ({module}); Debian's python3-\1 has it\n"
            self.assertRegex(done.stderr, rf"\A{message}\Z")

    def test_a_missing_module_of_nobodys_package_is_a_defect(self):
        with self.assertRaises(ModuleNotFoundError):
            start("nothing")


if __name__ == "__main__":
    sweep_support.main()
