"""A page as printed: what is on the sheets, what is cut off, and whether they are light.

Sheets are read with poppler's programs (Debian package poppler-utils). The browser reports what is cut off; it lays the
page out for print as wide as a sheet is.
"""

import re
import shutil
import subprocess

MILLIMETRES_PER_PIXEL = 25.4 / 96
A4_WIDTH = 210
# Resolution for inspecting sheets: enough to see dark areas.
DOTS_PER_INCH = 30
# Headings and cells that must be on paper: a reader would miss them.
WANTED = """
const seen = (e) => e.checkVisibility() && e.getClientRects().length > 0;
return Array.from(document.querySelectorAll('h1, h2, h3, h4, td, th')).filter(seen)
    .map((e) => Array.from(e.childNodes).map((part) => part.nodeType === Node.TEXT_NODE || part.nodeType === Node.ELEMENT_NODE
        && seen(part) && !part.matches('.bar, .unseen') ? part.textContent : '').join(''));
"""
# Elements beyond the edge, or in a frame that shows only a part of them.
CUT_OFF = """
const [width] = arguments;
const name = (e) => e.tagName.toLowerCase() + '.' + (e.getAttribute('class') || '') + ' in #' + (e.closest('[id]') || {}).id;
return Array.from(document.querySelectorAll('body *')).filter((e) => e.checkVisibility() && !e.closest('.unseen, svg *'))
    .filter((e) => e.getBoundingClientRect().right > width + 1
        || /auto|scroll/.test(getComputedStyle(e).overflowX + getComputedStyle(e).overflowY) && e.tagName !== 'SELECT'
        && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight))
    .map(name);
"""


def missing():
    """Why sheets cannot be inspected, as one line; empty if they can."""
    if shutil.which("pdftotext") is None or shutil.which("pdftoppm") is None:
        return "pdftotext and pdftoppm are not installed (Debian package poppler-utils)"
    return ""


def cut_off(page, margin, scheme="light"):
    """Elements that do not fit on A4 with margins of the given millimetres."""
    width = int((A4_WIDTH - 2 * margin) / MILLIMETRES_PER_PIXEL)
    page.media("print", scheme)
    page.resize(width)
    found = page.script(CUT_OFF, width)
    page.scheme(scheme)
    page.resize(1280)
    return found


def lost(page, file, scheme="light"):
    """Headings and cells that are shown for print and are not on the sheets; the sheets are written to `file`. Those that
    unfold themselves when they are printed are included."""
    page.scheme(scheme)
    page.print_pdf(file)
    page.media("print", scheme)
    page.script("dispatchEvent(new Event('beforeprint'))")
    wanted = page.script(WANTED)
    page.script("dispatchEvent(new Event('afterprint'))")
    page.scheme(scheme)
    text = _squeezed(subprocess.run(["pdftotext", "-raw", file, "-"], capture_output=True, text=True, check=True).stdout)
    return [each for each in wanted if _squeezed(each) not in text]


def _squeezed(text):
    """Removes everything that breaks lines (white space, soft hyphens, hyphens in their place) and the marks of style sheets."""
    return re.sub(r"[\s\u00ad\u200b\u2010▲▼↓↑-]", "", text)


def brightness(file, folder):
    """The mean brightness of each sheet, 0 to 1, and the darkest corner of any."""
    subprocess.run(["pdftoppm", "-gray", "-r", str(DOTS_PER_INCH), file, folder / "sheet"], check=True)
    means, corner = [], 255
    for sheet in sorted(folder.glob("sheet-*.pgm")):
        kind, width, height, largest, *_ = sheet.read_bytes().split(maxsplit=4)
        if (kind, largest) != (b"P5", b"255"):
            raise ValueError(f"{sheet} is no grey picture")
        pixels = sheet.read_bytes()[-int(width) * int(height):]
        means.append(sum(pixels) / len(pixels) / 255)
        corner = min(corner, pixels[0], pixels[-1], pixels[int(width) - 1], pixels[-int(width)])
        sheet.unlink()
    return means, corner / 255
