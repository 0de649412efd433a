"""A page as it comes out of a printer: what stands on the sheets, what is cut off, whether they are light.

Sheets are read with poppler's programs (Debian package poppler-utils). What is cut off is asked of the browser, which lays the
page out for print as wide as a sheet is.
"""

import re
import shutil
import subprocess

MILLIMETRES_PER_PIXEL = 25.4 / 96
A4_WIDTH = 210
# Resolution at which sheets are looked at: enough to see what is dark.
DOTS_PER_INCH = 30
# Headings and cells that are to be on paper: what a reader would miss.
WANTED = """
const seen = (e) => e.checkVisibility() && e.getClientRects().length > 0;
return Array.from(document.querySelectorAll('h1, h2, h3, h4, td, th')).filter(seen)
    .map((e) => Array.from(e.childNodes).map((part) => part.nodeType === Node.TEXT_NODE || part.nodeType === Node.ELEMENT_NODE
        && seen(part) && !part.matches('.bar, .unseen') ? part.textContent : '').join(''));
"""
# What stands beyond the edge, or in a frame that shows a part of it only.
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
    """What keeps sheets from being looked at, as one line; empty when nothing does."""
    if shutil.which("pdftotext") is None or shutil.which("pdftoppm") is None:
        return "pdftotext and pdftoppm are not installed (Debian package poppler-utils)"
    return ""


def cut_off(page, margin, scheme="light"):
    """What does not fit on A4 with margins of so many millimetres."""
    width = int((A4_WIDTH - 2 * margin) / MILLIMETRES_PER_PIXEL)
    page.media("print", scheme)
    page.resize(width)
    found = page.script(CUT_OFF, width)
    page.scheme(scheme)
    page.resize(1280)
    return found


def lost(page, file, scheme="light"):
    """Headings and cells that are shown for print and do not stand on the sheets; the sheets are written to `file`. Those that
    unfold themselves when they are printed are asked for too."""
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
    """Without what breaks lines (white space, soft hyphens, the hyphens that stand for those) and the marks of style sheets."""
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
