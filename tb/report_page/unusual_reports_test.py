#!/usr/bin/python3
"""Reports that are large, empty, cut short, old, damaged or hostile, in a browser: the page stays bounded, states what is
missing, and shows texts as texts. Skipped (status 77) without a browser."""

import runs
from page_case import PageCase, main

WARPS_PER_PAGE = 32


class ManyWarps(PageCase):
    """Ten thousand warps: one page of them is drawn, and all are counted."""

    CTAS, WARPS = 1250, 8

    @classmethod
    def make(cls):
        report = runs.load(runs.run_kernel("first", "nested_divergence"))
        first = report["warps"][0]
        report["warps"] = [dict(first, cta=cta, warp=warp, end=first["end"] + cta)
                           for cta in range(cls.CTAS) for warp in range(cls.WARPS)]
        cls.report = report
        return runs.page_of("many", runs.variant("many", report, lambda same: None))

    def choose(self, position, value):
        self.page.script("const select = document.querySelectorAll('#run-a-warps select')[arguments[0]];"
                         "select.value = arguments[1]; select.dispatchEvent(new Event('change'));", position, value)

    def test_one_page_is_drawn_at_a_time(self):
        self.choose(0, "warp")
        self.assertEqual([row[0] for row in self.rows("table.warps")],
                         [f"{i // self.WARPS}.{i % self.WARPS}" for i in range(WARPS_PER_PAGE)])
        self.page.click("#run-a-warps .pager button:nth-of-type(2)")
        self.assertEqual([row[0] for row in self.rows("table.warps")],
                         [f"{i // self.WARPS}.{i % self.WARPS}" for i in range(WARPS_PER_PAGE, 2 * WARPS_PER_PAGE)])
        self.assertIn("33 to 64 of 10,000", self.page.texts(".pager")[0])
        self.assertLess(self.page.count("*"), 6000)

    def test_any_page_can_be_reached(self):
        self.choose(0, "warp")
        for asked, shown in ((9000, 8993), (99999, 9985), (0, 1)):
            self.page.script("const input = document.querySelector('#run-a-warps .pager input');"
                             "input.value = arguments[0]; input.dispatchEvent(new Event('change'));", asked)
            first = shown - 1
            self.assertEqual(self.rows("table.warps")[0][0], f"{first // self.WARPS}.{first % self.WARPS}")

    def test_groups_add_their_warps_up(self):
        self.choose(0, "cta")
        first = self.report["warps"][0]
        self.assertEqual(self.column("table.warps", 0, 1, 4, 6)[:3], [
            (cta, self.WARPS, self.WARPS * first["warp_instructions"],
             self.WARPS * (first["end"] - first["start"] + cta)) for cta in range(3)])
        self.choose(0, "number")
        self.assertEqual(self.column("table.warps", 0, 1), [(warp, self.CTAS) for warp in range(self.WARPS)])

    def test_the_longest_come_first_when_asked(self):
        self.choose(0, "cta")
        self.choose(1, "longest")
        self.assertEqual(self.column("table.warps", 0)[0], (self.CTAS - 1,))
        self.choose(1, "number")


class SomeCtasInTime(PageCase):
    """A run with some CTAs executed functionally only."""

    @classmethod
    def make(cls):
        cls.report = runs.load(runs.run_kernel("first", "nested_divergence"))
        return runs.page_of("some", runs.variant("some", cls.report, lambda report: report.update(
            timing="some", untimed={"ctas": 3, "warp_instructions": 1200, "thread_instructions": 30000})))

    def test_the_others_are_told_of(self):
        self.assertIn("3 CTAs and 1,200 warp instructions more of the launch had no timing: nothing here counts them.",
                      self.page.texts(".note"))


class CutShort(PageCase):
    """A run that ended with an exception."""

    @classmethod
    def make(cls):
        cls.report = runs.load(runs.hanging_run())
        return runs.page_of("hanging", runs.hanging_run())

    def problems(self):
        return [self.report["run"]["exception"]]

    def test_the_exception_stands_at_the_beginning(self):
        self.assertEqual(self.page.texts(".status"), ["ended with an exception"])
        self.assertLess(self.page.script("return document.querySelector('.problem').getBoundingClientRect().top"), 400)

    def test_a_long_message_leaves_room_for_the_rest(self):
        self.page.script("document.querySelector('.message').textContent += '\\nwarp'.repeat(200)")
        shown, whole = self.page.script("const {clientHeight, scrollHeight} = document.querySelector('.message');"
                                        "return [clientHeight, scrollHeight];")
        self.page.command("Emulation.setEmulatedMedia", media="print")
        on_paper = self.page.script("return document.querySelector('.message').clientHeight")
        self.page.command("Emulation.setEmulatedMedia", media="")
        self.page.script("const message = document.querySelector('.message');"
                         "message.textContent = message.textContent.replace(/(\\nwarp)+$/, '')")
        self.assertLess(shown, 300)
        self.assertGreater(whole, 2000)
        self.assertGreater(on_paper, 1500)  # in a smaller font

    def test_nothing_was_compared(self):
        self.assertIn("the launch has not completed", " ".join(self.page.texts("#run-a-checks p")))


class AccessesOutside(PageCase):
    """A run with the option to list accesses outside every buffer."""

    @classmethod
    def make(cls):
        directory = runs.run_outside("outside", "report")
        cls.report = runs.load(directory)
        return runs.page_of("outside", directory)

    def test_each_instruction_is_a_row(self):
        load, store = (str(entry["cycle"]) for entry in self.report["memory_check"]["list"])
        self.assertEqual(self.rows("table.outside"), [
            ["outside.sasm:3", "LDG R0, [R[2:3]+0x10]", "32", load, "0.0, thread 0", "0x10000010",
             "0 bytes past the end of out"],
            ["outside.sasm:4", "STG [R[2:3]+0x14], R0", "32", store, "0.0, thread 0", "0x10000014",
             "4 bytes past the end of out"]])
        self.assertIn("Accesses outside every buffer", self.page.texts("#run-a-checks .minor"))


class AccessesAllowed(PageCase):
    """A run with the option not to check them."""

    @classmethod
    def make(cls):
        return runs.page_of("allowed", runs.run_outside("allowed", "off"))

    def test_that_nobody_looked_is_said(self):
        self.assertIn("were allowed and not counted", " ".join(self.page.texts("#run-a-checks p")))


class EmptyRun(PageCase):
    """A run that ended before anything happened: every list is empty, every figure 0."""

    @classmethod
    def make(cls):
        def empty(value):
            if isinstance(value, dict):
                return {key: empty(each) for key, each in value.items()}
            return [] if isinstance(value, list) else 0 if isinstance(value, (int, float)) else value
        def clear(report):
            kept = {key: report[key] for key in ("schema", "run", "config")}
            report.update(empty(report) | kept)
            report["memory"]["shared"]["passes_histogram"] = [0] * 33
        report = runs.load(runs.run_kernel("first", "nested_divergence"))
        return runs.page_of("empty", runs.variant("empty", report, clear))

    def test_every_section_is_there(self):
        self.assertEqual(self.page.count("main section"), 15)
        self.assertNotIn("NaN", self.page.texts("main")[0])
        self.assertNotIn("undefined", self.page.texts("main")[0])
        self.assertNotIn("Infinity", self.page.texts("main")[0])


class DamagedSection(PageCase):
    """A report that is damaged in one place: that section reports it, and the others are drawn."""

    @classmethod
    def make(cls):
        def damage(report):
            report["barrier_unit"]["barriers"] = [{"wait_cycles": 3}]
        report = runs.load(runs.run_kernel("first", "nested_divergence"))
        return runs.page_of("broken", runs.variant("broken", report, damage))

    def tearDown(self):
        pass

    def test_the_damage_stays_where_it_is(self):
        problems = self.page.texts(".problem")
        self.assertEqual(len(problems), 1)
        self.assertTrue(problems[0].startswith("This section could not be drawn: "), problems)
        self.assertEqual(self.page.count("main section"), 15)
        self.assertGreater(len(self.rows("table.hot-spots")), 10)


class OlderReport(PageCase):
    """A report of the same layout without later additions."""

    @classmethod
    def make(cls):
        def age(report):
            del report["over_time"]
            del report["microseconds"]
            del report["memory_check"]
            for key in ("sector_hits", "sector_misses"):
                del report["memory"]["l1"][key]
            del report["validation"]
            for added in ("verdict", "utilisation", "lanes", "latencies", "metrics"):
                del report[added]
            del report["occupancy"]["limits"]
            for instruction in report["instructions"]["all"]:
                instruction.pop("memory", None)
                instruction.pop("waits_for", None)
            for barrier in report["barrier_unit"]["barriers"]:
                del barrier["warps"]
        report = runs.load(runs.run_kernel("sleeps", "spin_lock_nanosleep"))
        cls.cycles = report["cycles"]
        return runs.page_of("older", runs.variant("older", report, age))

    def test_what_is_missing_is_said(self):
        self.assertEqual(self.page.texts("[data-figure=microseconds] dd")[0], f"{self.cycles / 1000:.3f}")
        self.assertIn("no counters over time", " ".join(self.page.texts("#run-a-time p")))
        self.assertIn("has no verdict", " ".join(self.page.texts("#run-a-verdict p")))
        self.assertIn("has no utilisation", " ".join(self.page.texts("#run-a-utilisation p")))
        self.assertIn("does not say how far", " ".join(self.page.texts("#run-a-validation p")))
        self.assertEqual(self.page.count("table.barriers"), 1)
        self.assertEqual(self.page.count("table.barrier-warps"), 0)


class HostileTexts(PageCase):
    """Names and source lines that try to be markup or script."""

    ATTACK = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'><!--&lt;b&gt;"

    @classmethod
    def make(cls):
        def poison(report):
            report["run"].update(kernel=cls.ATTACK, program=cls.ATTACK, launch=cls.ATTACK, status="exception",
                                 exception=cls.ATTACK)
            report["smsim"] = cls.ATTACK
            for entry in (*report["instructions"]["all"], *report["branch_unit"]["branches"],
                          *report["branch_unit"]["syncs"]):
                entry.update(file=cls.ATTACK, source=cls.ATTACK, text=cls.ATTACK)
            report["checks"] = [{"buffer": cls.ATTACK, "passed": False, "compared": 2, "mismatches": 1,
                                 "first": [{"index": 1, "got": cls.ATTACK, "expected": cls.ATTACK}]}]
            report["config"][cls.ATTACK] = cls.ATTACK
            report["validation"].update(configuration=cls.ATTACK, outside=[cls.ATTACK])
        report = runs.load(runs.run_kernel("sleeps", "spin_lock_nanosleep"))
        directory = runs.variant("<img src=x onerror=alert(1)>", report, poison)
        return runs.page_of("hostile", directory)

    def problems(self):
        return [self.ATTACK, f"Check of {self.ATTACK}: 1 of 2 elements differ."]

    def test_no_text_becomes_markup(self):
        self.assertEqual(self.page.count("img"), 0)
        self.assertEqual(self.page.count("script"), 3)
        self.assertIsNone(self.page.script("return window.hacked === undefined ? null : window.hacked"))

    def test_the_texts_are_shown_as_they_are(self):
        self.assertIn(self.ATTACK, self.page.texts("h1")[0])
        self.assertEqual(self.rows("table.hot-spots")[0][1], self.ATTACK)
        self.assertEqual(self.rows("table.checks")[0][0], self.ATTACK)
        self.assertEqual(self.rows("table.changed-keys")[0][:2], [self.ATTACK, self.ATTACK])
        self.assertEqual(self.page.texts("ul.outside-validation li"), [self.ATTACK])
        self.assertIn("<img src=x onerror=alert(1)>", self.page.texts(".origin")[0])


if __name__ == "__main__":
    main()
