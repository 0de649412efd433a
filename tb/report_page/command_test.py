#!/usr/bin/python3
"""`smsim report` as a command: what it writes where, that the file needs nothing else, and what it rejects."""

import json
import re
import unittest

import runs


class Output(unittest.TestCase):
    """Files that the command writes."""

    @classmethod
    def setUpClass(cls):
        cls.first = runs.run_kernel("first", "nested_divergence")
        cls.second = runs.run_kernel("second", "nested_divergence", "bru.branch_latency=8")

    def test_one_run_is_written_beside_its_report(self):
        done = runs.smsim("report", self.first)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("report.html: 1 run", done.stdout)
        self.assertTrue((self.first / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>"))

    def test_a_report_file_serves_as_well_as_its_directory(self):
        by_file = runs.page_of("by_file", self.first / "report.json").read_bytes()
        by_directory = runs.page_of("by_directory", self.first).read_bytes()
        self.assertEqual(by_file.replace(b"/report.json", b""), by_directory)

    def test_several_runs_are_written_to_the_present_directory(self):
        done = runs.smsim("report", self.first, self.second)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((runs.FOLDER / "comparison.html").is_file())

    def test_a_missing_folder_of_the_output_is_made(self):
        done = runs.smsim("report", self.first, "-o", runs.FOLDER / "new" / "folder" / "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((runs.FOLDER / "new" / "folder" / "page.html").is_file())

    def test_the_same_reports_give_the_same_bytes(self):
        self.assertEqual(runs.page_of("once", self.first, self.second).read_bytes(),
                         runs.page_of("again", self.first, self.second).read_bytes())

    def test_the_page_holds_the_reports_unchanged(self):
        text = runs.page_of("data", self.first, self.second).read_text(encoding="utf-8")
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
        self.assertEqual([entry["report"] for entry in data["reports"]],
                         [runs.load(self.first), runs.load(self.second)])

    def test_the_page_refers_to_no_other_file(self):
        text = runs.page_of("alone", self.first).read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"<(?:link|img|iframe|object|embed|base)\b", text), [])
        self.assertEqual(re.findall(r"<script[^>]*\bsrc\b", text), [])
        self.assertEqual(re.findall(r"@import|url\(\s*['\"]?(?:https?:)?//", text), [])
        self.assertIn("default-src 'none'", text)

    def test_the_page_carries_the_licence_of_its_library(self):
        text = runs.page_of("licence", self.first).read_text(encoding="utf-8")
        self.assertIn("Redistributions in binary form", text)
        self.assertIn("Mike Bostock", text)


class OverTime(unittest.TestCase):
    """The sums over the intervals of the report's counters over time are its totals, even if the run was cut short."""

    def check(self, report):
        counters = report["over_time"]
        self.assertLessEqual(counters["intervals"], 256)
        for part, sums in zip(counters["sub_partitions"], report["sub_partitions"]):
            self.assertEqual(sum(part["warp_instructions"]), sums["warp_instructions"])
            self.assertEqual(sum(part["thread_instructions"]), sums["thread_instructions"])
            over_time = {reason: sum(values) for reason, values in part["stalls"].items()}
            self.assertEqual(over_time, {reason: cycles for reason, cycles in sums["stalls"].items() if cycles})
            for values in (part["warp_instructions"], part["thread_instructions"], *part["stalls"].values()):
                self.assertEqual(len(values), counters["intervals"])
        width = counters["interval_cycles"]
        for sample in report["occupancy"]["samples"]:
            self.assertLessEqual(sample["cycle"], width * counters["intervals"])

    def test_of_a_run_with_branches(self):
        self.check(runs.load(runs.run_kernel("first", "nested_divergence")))

    def test_of_a_run_with_long_sleeps(self):
        self.check(runs.load(runs.run_kernel("sleeps", "spin_lock_nanosleep")))

    def test_of_a_run_that_ends_with_an_exception(self):
        self.check(runs.load(runs.hanging_run()))


class Refusals(unittest.TestCase):
    """Bad input gives one message with place and cause, status 2, and no file."""

    @classmethod
    def setUpClass(cls):
        cls.good = runs.run_kernel("first", "nested_divergence")
        cls.report = runs.load(cls.good)

    def refused(self, *arguments):
        output = runs.FOLDER / "refused.html"
        done = runs.smsim("report", *arguments, "-o", output)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse(output.exists())
        self.assertTrue(done.stderr.startswith("smsim: error: "), done.stderr)
        return done.stderr

    def file(self, name, text):
        path = runs.FOLDER / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_no_run(self):
        done = runs.smsim("report")
        self.assertEqual(done.returncode, 2)
        self.assertIn("RUN is required", done.stderr)

    def test_a_path_that_does_not_exist(self):
        self.assertIn("nowhere: there is no such directory or file", self.refused("nowhere"))

    def test_a_directory_without_a_report(self):
        (runs.FOLDER / "empty").mkdir(exist_ok=True)
        self.assertIn("empty: the directory holds no report.json", self.refused("empty"))

    def test_a_file_that_is_not_json(self):
        message = self.refused(self.file("cut.json", '{"schema": 1, "smsim"'))
        self.assertIn("cut.json: this is not JSON (byte 22 of 21)", message)

    def test_json_that_is_not_a_report(self):
        for text in ("[1, 2]", "{}", "3", '{"schema": 1}'):
            self.assertIn("not a report of smsim", self.refused(self.file("other.json", text)))

    def test_json_that_is_nested_without_end(self):
        text = json.dumps(self.report)[:-1] + ', "more": ' + "[" * 100000 + "]" * 100000 + "}"
        self.assertIn("nested so deeply", self.refused(self.file("deep.json", text)))

    def test_another_version_of_the_layout(self):
        directory = runs.variant("newer", self.report, lambda report: report.update(schema=99))
        self.assertIn("the report has layout version 99; this smsim reads version 1", self.refused(directory))

    def test_a_report_that_lacks_a_part(self):
        directory = runs.variant("damaged", self.report, lambda report: report.pop("warps"))
        self.assertIn("'warps' is missing", self.refused(directory))

    def test_a_part_of_another_type(self):
        directory = runs.variant("typed", self.report, lambda report: report.update(stalls=[1]))
        self.assertIn("'stalls' has another type", self.refused(directory))

    def test_a_part_that_earlier_versions_lack_of_another_type(self):
        for part in ("model", "validation", "verdict", "microseconds", "ipc", "no_instruction", "states", "over_time",
                     "utilisation", "roofline", "lanes", "latencies", "metrics", "memory_check"):
            self.assertIn(part, self.report)
            wrong = 5 if not isinstance(self.report[part], (int, float)) else "five"
            directory = runs.variant("later", self.report, lambda report, part=part, wrong=wrong: report.update({part: wrong}))
            self.assertIn(f"'{part}' has another type", self.refused(directory))

    def test_a_number_that_is_too_large(self):
        self.assertIn("it has a number that is too large", self.refused(self.file("large.json", '{"schema": 1e999}')))

    def test_an_output_that_is_an_input(self):
        directory = runs.variant("own", self.report, lambda report: None)
        before = (directory / "report.json").read_bytes()
        for output in ("report.json", "./report.json"):
            done = runs.smsim("report", directory, "-o", directory / output)
            self.assertEqual(done.returncode, 2)
            self.assertIn("would overwrite the report", done.stderr)
        self.assertEqual((directory / "report.json").read_bytes(), before)

    def test_a_file_of_an_experiment_that_is_none(self):
        directory = runs.variant("experiment", self.report, lambda report: None)
        for text, message in (("[1", "what_if.json: this is not JSON"), ("[]", "what_if.json: this is not what"),
                              ('{"cycles": 3, "reliefs": [{"relief": 1}]}', "what_if.json: this is not what"),
                              ('{"cycles": -3, "reliefs": []}', "what_if.json: this is not what")):
            (directory / "what_if.json").write_text(text, encoding="utf-8")
            self.assertIn(message, self.refused(directory))

    def test_all_bad_inputs_are_named_at_once(self):
        message = self.refused(self.good, "nowhere", self.file("text.json", "no"), "missing")
        for part in ("nowhere: there is no", "text.json: this is not JSON", "missing: there is no"):
            self.assertIn(part, message)

    def test_an_output_that_cannot_be_written(self):
        blocker = self.file("blocker", "")
        done = runs.smsim("report", self.good, "-o", blocker / "page.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("blocker: the output directory cannot be created", done.stderr)


if __name__ == "__main__":
    unittest.main()
