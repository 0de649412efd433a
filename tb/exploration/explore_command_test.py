"""scripts/explore as a command: tables, CSV, pictures in every format, user errors."""

import csv
import errno
import io
import os
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from explore_support import ROOT, ExploreTest, completed, failed

from smsim import cells, metrics, outputs, page, pareto, plots, ranking_plots, style
from smsim.errors import UserError

AXES = {"ibuffer.depth": [1, 3, 8], "ibuffer.policy": ["greedy_then_oldest", "two_level"]}
KERNELS = ("first", "second")


def cycles_of(kernel, depth, policy):
    return (1000 if kernel == "first" else 50) + 10 * depth + len(policy)


def points():
    """A full grid except for one failed point and one point that has not been run."""
    found = []
    for kernel in KERNELS:
        for depth in AXES["ibuffer.depth"]:
            for policy in AXES["ibuffer.policy"]:
                config = {"sm": {"clock_ghz": 2.0}, "ibuffer": {"depth": depth, "policy": policy}}
                found.append((kernel, (depth, policy), completed(cycles_of(kernel, depth, policy), config)))
    found[1] = (*found[1][:2], failed("exception", "Watchdog: no end\nsecond line"))
    found[2] = (*found[2][:2], None)
    return found


class Command(ExploreTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.write_sweep(AXES, points())

    def test_table_has_the_best_points_and_the_failures(self):
        out, _ = self.explore(self.file, "--metrics", "cycles,ipc", "--top", "1", "--kernel", "first")
        lines = out.splitlines()
        self.assertEqual(lines[0], "test: 6 points, 4 completed, 1 failed, 1 not run")
        self.assertEqual(lines[1], "baseline: ibuffer.depth=3, ibuffer.policy=greedy_then_oldest")
        self.assertEqual(lines[2], "no speedup, because the baseline did not complete: first")
        best = cycles_of("first", 1, "greedy_then_oldest")
        self.assertEqual(lines[5].split(), ["0", "first", "1", "greedy_then_oldest", str(best), f"{100 / best:.4g}"])
        self.assertIn("3 more completed points", lines[6])
        self.assertIn("Watchdog: no end", out)
        self.assertNotIn("second line", out)

    def test_where_chooses_points_and_sort_orders_them(self):
        words = ["--where", "ibuffer.policy=two_level", "--kernel", "second", "--sort", "ibuffer.depth", "--top", "0"]
        out, _ = self.explore(self.file, *words)
        numbers = [line.split()[0] for line in out.splitlines() if line.split()[1:2] == ["second"]]
        self.assertEqual(numbers, ["7", "9", "11"])

    def test_values_that_are_lists_keep_their_commas(self):
        axes = {"launch.block": ["[16, 16]", "[32, 8]"], "ibuffer.depth": [1, 2]}
        rows = [("k", (block, depth), completed(9)) for block in axes["launch.block"] for depth in axes["ibuffer.depth"]]
        self.write_sweep(axes, rows, name="blocks")
        out, _ = self.explore(
            self.file, "--sweep", "blocks", "--where", "launch.block=[32, 8]", "--baseline", "launch.block=[32, 8],ibuffer.depth=2"
        )
        self.assertIn("baseline: launch.block=[32, 8], ibuffer.depth=2\n", out)
        self.assertEqual(out.count("[16, 16]"), 0)

    def test_a_front_may_have_an_axis_of_the_launch_file(self):
        rows = [("k", (threads,), completed(cycles)) for threads, cycles in ((32, 90), (64, 50), (128, 60))]
        self.write_sweep({"launch.block": [32, 64, 128]}, rows, name="blocks")
        out, _ = self.explore(self.file, "--sweep", "blocks", "--pareto", "cycles,launch.block")
        self.assertEqual([line.split()[:2] for line in out.splitlines()[-2:]], [["50", "64"], ["90", "32"]])
        self.explore(self.file, "--sweep", "blocks", "--pareto", "cycles,launch.block", "-o", self.folder / "front.svg")
        self.write_sweep({"launch.block": ["[8, 8]"]}, [("k", ("[8, 8]",), completed(9))], name="lists")
        _, error = self.explore(self.file, "--sweep", "lists", "--pareto", "cycles,launch.block", status=2)
        self.assertIn("launch.block is no number at every point", error)

    def test_csv_has_every_point_and_exact_figures(self):
        out, _ = self.explore(self.file, "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(len(rows), 12)
        for row, (kernel, (depth, policy), outcome) in zip(rows, points()):
            self.assertEqual((row["kernel"], row["ibuffer.depth"], row["ibuffer.policy"]), (kernel, str(depth), policy))
            if outcome and outcome["status"] == "completed":
                self.assertEqual(int(row["cycles"]), outcome["report"]["cycles"])
                self.assertEqual(float(row["ipc"]), outcome["report"]["ipc"])
                self.assertAlmostEqual(float(row["stall.wait"]), 100 / len(metrics.STALL_REASONS), 12)
        self.assertEqual(
            (rows[1]["status"], rows[1]["message"], rows[1]["cycles"]),
            ("exception", "Watchdog: no end\nsecond line", ""),
        )
        self.assertEqual(rows[2]["status"], "not_run")
        self.assertLessEqual(set(metrics.ALL), set(rows[0]))

    def test_every_picture_is_saved_in_the_format_of_its_ending(self):
        heads = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
        asked = [
            ["--plot", "ibuffer.depth"],
            ["--plot", "ibuffer.depth", "--by", "ibuffer.policy"],
            ["--stalls", "ibuffer.policy"],
        ]
        for words, (ending, head) in zip(asked, heads.items()):
            path = self.folder / f"picture.{ending}"
            self.explore(self.file, *words, "-o", path)
            self.assertTrue(path.read_bytes().startswith(head), words)

    def test_all_pictures_of_the_page_are_files(self):
        self.explore(self.file, "--pictures", self.folder / "pictures")
        names = sorted(path.name for path in (self.folder / "pictures").iterdir())
        per_axis = [f"{kind}-{axis}.svg" for kind in ("axis", "stalls") for axis in AXES]
        pair = "heat-ibuffer.depth-ibuffer.policy.svg"
        self.assertEqual(names, sorted([*per_axis, pair, "pareto-cycles-ibuffer.depth.svg", "sensitivity.svg"]))

    def test_sensitivity_and_front_are_printed(self):
        out, _ = self.explore(self.file, "--sensitivity", "--metric", "ipc")
        self.assertIn("sensitivity of ipc", out)
        self.assertIn("ibuffer.depth", out)
        out, _ = self.explore(self.file, "--pareto", "cycles,ibuffer.depth", "--kernel", "second")
        self.assertIn("Pareto front of 6 configurations, kernel second", out)

    def test_mistakes_are_told_in_one_line(self):
        mistakes = {
            ("--plot", "ibuffer.depth"): "need -o FILE",
            ("--plot", "depth", "-o", "a.svg"): "no axis 'depth'",
            ("--plot", "ibuffer.depth", "-o", "a.gif"): "a picture's name ends in .svg, .png or .pdf",
            ("--plot", "ibuffer.depth", "-o", "missing/a.svg"): "missing/a.svg: No such file or directory",
            ("--plot", "ibuffer.depth", "--metric", "cycle", "-o", "a.svg"): "did you mean 'cycles'?",
            ("--plot", "ibuffer.depth,ibuffer.depth", "-o", "a.svg"): "two different ones",
            ("--pareto", "cycles"): "two names with a comma",
            ("--pareto", "cycles,ibuffer.policy"): "is no number",
            ("--where", "ibuffer.depth"): "AXIS=VALUE is needed",
            ("--metrics", "speed"): "no such metric; did you mean 'speedup'?",
            ("--sort", "speed"): "cannot sort by 'speed'",
            ("--csv", "missing/a.csv"): "missing/a.csv: No such file",
            ("--parquet", "."): ".: Is a directory",
            ("--html", "full"): "full: No space left on device",
            ("--plot", "ibuffer.depth", "-o", "full.svg"): "full.svg: No space left on device",
            ("--pictures", "sweep.sqlite"): "sweep.sqlite: File exists",
            ("--top", "-1"): "must not be negative",
        }
        for name in ("full", "full.svg"):
            Path(name).symlink_to("/dev/full")
        for words, expected in mistakes.items():
            _, message = self.explore(self.file, *words, status=2)
            self.assertIn(expected, message, words)
            self.assertTrue(message.startswith("scripts/explore: error: ") and message.count("\n") == 1, words)

    def test_a_name_that_nothing_asks_for_is_refused_all_the_same(self):
        unused = {
            ("--metric", "foo"): "no metric and no configuration key 'foo' (--list-metrics lists the metrics)",
            ("--metric", "cycels"): "no metric and no configuration key 'cycels'; did you mean 'cycles'?",
            ("--metric", "ipc"): "--metric needs --plot, --sensitivity, --html or --pictures",
            ("--metric", "foo", "--stalls", "ibuffer.depth", "-o", "a.svg"): "configuration key 'foo'",
            ("--metrics", "foo", "--csv", "a.csv"): "no such metric",
            ("--sort", "foo", "--csv", "a.csv"): "cannot sort by 'foo'",
        }
        for words, expected in unused.items():
            _, message = self.explore(self.file, *words, status=2)
            self.assertIn(expected, message, words)
        self.assertEqual([path.name for path in self.folder.iterdir()], [self.file.name], "nothing is written")

    def test_the_program_ends_with_status_2_after_a_mistake(self):
        command = [ROOT / "scripts" / "explore", "none.sqlite"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "scripts/explore: error: none.sqlite: no such file\n")

    def test_a_full_disk_is_told_in_one_line_wherever_it_shows(self):
        for words in (["--help"], ["--list-metrics"], ["sweep.sqlite"], ["sweep.sqlite", "--csv", "-"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [ROOT / "scripts" / "explore", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
                )
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr, "scripts/explore: error: standard output: No space left on device\n", words)

    def test_a_reader_that_has_seen_enough_is_no_mistake(self):
        reading, writing = os.pipe()
        os.close(reading)
        with open(writing, "wb") as pipe:
            command = [ROOT / "scripts" / "explore", "sweep.sqlite", "--csv", "-"]
            done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_file_is_written_whole_or_not_at_all(self):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        Path("page.html").write_text("earlier", encoding="utf-8")
        Path("link.html").symlink_to("page.html")
        before = sorted(self.folder.iterdir())
        with mock.patch("os.replace", side_effect=full), self.assertRaisesRegex(UserError, "link.html: No space left"):
            outputs.write("link.html", "later")
        self.assertEqual(Path("page.html").read_text(encoding="utf-8"), "earlier")
        self.assertEqual(sorted(self.folder.iterdir()), before, "nothing is left behind")
        outputs.write("link.html", "later")
        self.assertTrue(Path("link.html").is_symlink())
        self.assertEqual(Path("page.html").read_text(encoding="utf-8"), "later")


class Pictures(ExploreTest):
    def test_equal_results_give_equal_bytes(self):
        self.write_sweep(AXES, points())
        for kind in style.FORMATS:
            first, again = (
                style.render(ranking_plots.pareto_plot(self.load(), pareto.parse("speedup,ibuffer.depth")), kind)
                for _ in range(2)
            )
            self.assertTrue(first == again, kind)

    def test_what_cannot_be_drawn_says_why(self):
        self.write_sweep(AXES, [("k", (1, "two_level"), failed("crashed", "")), ("k", (3, "two_level"), None)])
        for name, figure in page.pictures(self.load(), "cycles"):
            if name != "sensitivity":
                self.assertIsInstance(figure, str, name)
                self.assertTrue(figure.startswith("no "), figure)

    def test_heat_maps_hold_the_values_of_the_points(self):
        self.write_sweep(AXES, points())
        results = self.load().select(kernels=["second"])
        figure = plots.heat_map(results, *results.axes, "cycles")
        written = {label.get_text() for label in figure.axes[0].texts}
        for depth in AXES["ibuffer.depth"]:
            for policy in AXES["ibuffer.policy"]:
                self.assertIn(style.figure_text(cycles_of("second", depth, policy)), written)

    def test_means_are_of_the_combinations_that_have_all_values(self):
        # At b=far the value a=2 is missing: the mean over b uses b=near alone.
        points = [
            ("k", (a, b), completed(10 * a + (100 if b == "far" else 0))) for a in (1, 2) for b in ("near", "far")
        ]
        points[3] = (*points[3][:2], failed("timeout", ""))
        self.write_sweep({"a": [1, 2], "b": ["near", "far"]}, points)
        shown = cells.Cells(self.load(), self.load().axes[:1], "cycles")
        for value, expected in (("1", 10), ("2", 20)):
            self.assertAlmostEqual(shown.at("", (value,))[0], expected)
        self.assertIn("1 of 2 combinations left out, which lack points", shown.notes())

    def test_without_a_whole_combination_gaps_are_marked(self):
        points = [("k", (1, "near"), completed(10)), ("k", (2, "far"), completed(20)), ("k", (1, "far"), completed(40))]
        points += [("k", (3, "near"), completed(30))]
        self.write_sweep({"a": [1, 2, 3], "b": ["near", "far"]}, points)
        shown = cells.Cells(self.load(), self.load().axes[:1], "cycles")
        self.assertEqual([shown.at("", (value,))[3] for value in "123"], [False, True, True])

    def test_stall_bars_add_up_to_warp_cycles_per_instruction(self):
        self.write_sweep({"a": [1]}, [("k", (1,), completed(10))])
        lengths = plots.stall_shares(self.load(), self.load().axes[0])["k"]["1"]
        self.assertEqual(set(lengths), set(metrics.STALL_REASONS))
        self.assertAlmostEqual(sum(lengths.values()), len(metrics.STALL_REASONS))

    def test_numbers_are_written_in_few_characters(self):
        expected = {
            0: "0",
            7: "7",
            0.98765: "0.988",
            12.34: "12.3",
            2410: "2410",
            660984: "661k",
            999600: "1M",
            2.5e6: "2.5M",
        }
        for value, words in expected.items():
            self.assertEqual(style.figure_text(value), words)


if __name__ == "__main__":
    unittest.main()
