"""How host instructions are counted, attributed to the parts and compared (scripts/speed), with invented figures."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from speed import callgrind, classes, layouts, parts, record  # noqa: E402

# A part's function calls a function of the standard library twice, and SystemC calls both; callgrind writes each name once.
PROFILE = """version: 1
events: Ir

fl=(1) ???
ob=(1) /lib/libsystemc.so
fn=(1) crunch
0 10
cob=(2) /smsim
cfn=(2) issue
calls=3 0
0 160
cob=(2)
cfn=(3) sort
calls=1 0
0 20

ob=(2)
fn=(2)
0 90
+2 10
cfn=(3)
calls=2 0
0 60

fn=(3)
* 80
"""


def profile():
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(PROFILE)
        file.flush()
        return callgrind.read(file.name)


class Callgrind(unittest.TestCase):
    def test_costs_of_a_function_are_its_own_without_those_it_calls(self):
        self.assertEqual(profile().own, {"crunch": 10, "issue": 100, "sort": 80})
        self.assertEqual(profile().total, 190)

    def test_calls_are_counted_by_caller(self):
        self.assertEqual(profile().calls, {("crunch", "issue"): 3, ("crunch", "sort"): 1, ("issue", "sort"): 2})
        self.assertEqual(profile().calls_of(lambda name: name == "sort"), {"sort": 3})

    def test_a_function_is_in_the_object_that_has_it(self):
        self.assertEqual(profile().objects, {"crunch": "/lib/libsystemc.so", "issue": "/smsim", "sort": "/smsim"})


class Parts(unittest.TestCase):
    def test_what_many_use_belongs_to_its_callers_by_the_cost_of_their_calls(self):
        cost = parts.with_callers(profile(), {"crunch": "SystemC", "issue": "ibuffer", "sort": None})
        self.assertEqual((cost["SystemC"], cost["ibuffer"], cost["other"]), (10 + 80 * 20 / 80, 100 + 80 * 60 / 80, 0))

    def test_what_nobody_is_known_to_call_is_other(self):
        cost = parts.with_callers(profile(), {"crunch": None, "issue": "ibuffer", "sort": "ibuffer"})
        self.assertEqual((cost["other"], cost["ibuffer"]), (10, 180))

    def test_a_function_from_a_template_belongs_to_whom_it_is_made_for(self):
        for text, part in (
                ("smsim::protocol::Target<X>::on_request<&smsim::bru::Bru::ask, smsim::bru::Bru>(Y)::{lambda()#1}::_FUN()", "bru"),
                ("smsim::protocol::PayloadPool<smsim::ibuffer::Context>::free(tlm::tlm_generic_payload*)", "SystemC"),
                ("void smsim::sm::ServiceQueues<smsim::sm::LoadStoreUnit::Queued>::push()", "load/store"),
                ("std::vector<int>::push_back(int const&)", None)):
            self.assertEqual(parts.part_of_template(text), part, text)


class Layouts(unittest.TestCase):
    def test_a_folder_that_ninja_has_not_made_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(classes.BenchError, "expected a build folder"):
            layouts.link(pathlib.Path(folder), 1, pathlib.Path(folder))


class Record(unittest.TestCase):
    @staticmethod
    def compared(before, now):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            good = record.compare({"fetch": {"default": before}} if before else {}, {"fetch": {"default": now}}, 0.03)
        return good, text.getvalue()

    def test_a_figure_within_the_tolerance_passes(self):
        self.assertTrue(self.compared(1000, 1029)[0])
        self.assertTrue(self.compared(1000, 971)[0])

    def test_a_figure_beyond_the_tolerance_is_named(self):
        for now in (1031, 969):
            good, text = self.compared(1000, now)
            self.assertFalse(good)
            self.assertIn("beyond the tolerance", text)

    def test_a_figure_that_is_not_recorded_is_named(self):
        good, text = self.compared(None, 1000)
        self.assertFalse(good)
        self.assertIn("not recorded", text)

    def test_what_differs_between_two_toolchains_is_told(self):
        self.assertEqual(record.differences({"compiler": "12", "libc": "a"}, {"compiler": "13", "libc": "a", "libm": "b"}),
                         ["  compiler: recorded with '12', here '13'", "  libm: recorded with '', here 'b'"])


unittest.main()
