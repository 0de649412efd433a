"""Runs an accessibility checker on a page shown by the browser.

The checker is axe-core from npm, of the version pinned by axe/package-lock.json next to this file; scripts/fetch-axe downloads it.
It is injected into the opened page for a test and is part of no page and no package. Every rule that it enables by default
is checked, and target-size, the one rule of WCAG 2.2 AA that it does not enable.
"""

import json
from pathlib import Path

PLACE = Path(__file__).resolve().parent / "axe"
SCRIPT = PLACE / "node_modules" / "axe-core" / "axe.min.js"
RULES = {"target-size": {"enabled": True}}
# Of windows, in CSS pixels.
WIDE, NARROW = 1280, 420


def pinned():
    """The version that the tests are written for."""
    lock = json.loads((PLACE / "package-lock.json").read_text(encoding="utf-8"))
    return lock["packages"]["node_modules/axe-core"]["version"]


def missing():
    """Why pages cannot be checked, as one line; empty if they can."""
    if not SCRIPT.is_file():
        return "axe-core is not there (scripts/fetch-axe brings it)"
    found = json.loads((SCRIPT.parent / "package.json").read_text(encoding="utf-8"))["version"]
    if found != pinned():
        return f"axe-core {found} is there and {pinned()} is wanted (scripts/fetch-axe brings it)"
    return ""


def violations_everywhere(page):
    """The result of `violations` with everything unfolded, in both colour schemes and in a narrow window."""
    page.unfold()
    found = []
    for scheme, width in (("light", WIDE), ("dark", WIDE), ("light", NARROW)):
        page.resize(width)
        page.scheme(scheme)
        found += [f"{scheme}, {width} pixels wide: {each}" for each in violations(page)]
    page.resize(WIDE)
    return found


def violations(page):
    """Every element that breaks a rule: "rule: selector: remedy"."""
    if not page.script("return typeof axe === 'object'"):
        page.script(SCRIPT.read_text(encoding="utf-8"))
    found = page.script(
        "return axe.run(document, {resultTypes: ['violations'], rules: arguments[0]}).then(result =>"
        " result.violations.flatMap(rule => rule.nodes.map(node =>"
        " [rule.id, node.target.flat().join(' '), rule.help, node.failureSummary])))", RULES)
    return [f"{rule}: {selector}: {text}: " + " ".join(summary.split()) for rule, selector, text, summary in found]
