"""An HTML file as a reader's browser shows it: its elements, script errors, pictures, a printed copy.

Tests of pages use this one wrapper of headless Chromium (Debian packages chromium, chromium-driver, python3-selenium):

    with browser.open_page("page.html") as page:
        page.texts("h1")                  # visible text of every match
        page.errors()                     # messages of the browser's log that are errors
        page.picture("light.png")         # the whole page, not only the window
        page.scheme("dark")               # prefers-color-scheme
        page.print_pdf("page.pdf")

Nothing uses a network: Chromium is configured to resolve no host name.
"""

import base64
import contextlib
import importlib.util
import shutil
from pathlib import Path

# What CTest understands as "skipped" (SKIP_RETURN_CODE).
SKIPPED = 77
DRIVER = shutil.which("chromedriver")
CHROMIUM = shutil.which("chromium")
# Chromium draws no picture taller than this, in pixels.
HIGHEST_PICTURE = 16000
MILLIMETRES_PER_INCH = 25.4
# Seconds after which something awaited counts as missing. It ends a hanging test: even a busy machine
# must never reach it.
PATIENCE = 900
# Attempts to start a browser: Chromium and its driver have limits of their own.
STARTS = 5


def missing():
    """Why no browser can be started, as one line; empty if one can."""
    if importlib.util.find_spec("selenium") is None:
        return "python3-selenium is not installed"
    if CHROMIUM is None:
        return "chromium is not installed"
    if DRIVER is None:
        return "chromedriver is not installed (Debian package chromium-driver)"
    return ""


class Page:
    """One opened file. Every method reflects the page at the time of the call."""

    def __init__(self, driver):
        self.driver = driver
        self.log = []

    def script(self, source, *arguments):
        """The result of a piece of JavaScript; `arguments[i]` are the arguments."""
        return self.driver.execute_script(source, *arguments)

    def count(self, selector):
        """Number of elements that match a CSS selector."""
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def texts(self, selector):
        """Text content of every match, without white space at the ends, including hidden elements."""
        return self.script(
            "return Array.from(document.querySelectorAll(arguments[0]), e => e.textContent.trim())", selector)

    def attributes(self, selector, name):
        """An attribute of every match; None where it is missing."""
        return self.script(
            "return Array.from(document.querySelectorAll(arguments[0]), e => e.getAttribute(arguments[1]))",
            selector, name)

    def table(self, selector):
        """The rows of a table, including its head, each a list of cell texts."""
        return self.script(
            "return Array.from(document.querySelectorAll(arguments[0] + ' tr'),"
            " row => Array.from(row.cells, cell => cell.textContent.trim()))", selector)

    def style(self, selector, name):
        """A computed style of the first match, for example "background-color"."""
        return self.script(
            "return getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1])",
            selector, name)

    def click(self, selector):
        """Clicks the first match, wherever it is on the page."""
        self.script("document.querySelector(arguments[0]).click()", selector)

    def unfold(self, selector="details"):
        """Opens every folded match, including those that this reveals, and waits until their contents are there."""
        while self.script(
                "const closed = Array.from(document.querySelectorAll(arguments[0])).filter(each => !each.open);"
                # The page's own listeners, which fill them, run first.
                "const opened = closed.map(each => new Promise(done => each.addEventListener('toggle', done, {once: true})));"
                "closed.forEach(each => each.open = true);"
                "return Promise.all(opened).then(() => closed.length > 0)", selector):
            pass

    def until(self, condition):
        """Waits until a JavaScript expression is true on the page."""
        self.script(f"return new Promise((done) => (function look() {{ ({condition}) ? done() : setTimeout(look, 10); }})())")

    def messages(self):
        """The browser's whole log so far, as dictionaries with level, source and message."""
        self.log += self.driver.get_log("browser")
        return self.log

    def errors(self):
        """Messages of the log that are errors: exceptions of scripts, blocked or failed requests."""
        return [entry["message"] for entry in self.messages() if entry["level"] == "SEVERE"]

    def requests(self):
        """Addresses that the page has loaded besides its own; a self-contained file has only data: addresses."""
        names = self.script("return performance.getEntriesByType('resource').map(entry => entry.name)")
        return [name for name in names if not name.startswith("data:")]

    def scheme(self, name):
        """The reader's preferred colours, "light" or "dark", on the current medium, and on paper when printed."""
        self.media("", name)

    def media(self, medium, scheme="light"):
        """The medium of the page ("screen", "print"; empty: the real one) and the preferred colours."""
        self.command("Emulation.setEmulatedMedia", media=medium,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width, height=900):
        """Sets the size of the window's contents, in CSS pixels."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=False)
        # The page learns of it with the next frame, not before the command returns.
        self.next_picture()

    def next_picture(self):
        """Waits until the browser has drawn the page."""
        self.script("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def picture(self, path, whole=True):
        """Writes a PNG of the whole page (or of the window); returns the path."""
        settings = {"format": "png"}
        if whole:
            size = self.command("Page.getLayoutMetrics")["cssContentSize"]
            settings["captureBeyondViewport"] = True
            settings["clip"] = {"x": 0, "y": 0, "width": size["width"],
                                "height": min(size["height"], HIGHEST_PICTURE), "scale": 1}
        data = self.command("Page.captureScreenshot", **settings)["data"]
        Path(path).write_bytes(base64.b64decode(data))
        return path

    def print_pdf(self, path, paper=(210, 297), landscape=False):
        """Prints the page, with backgrounds, as PDF; `paper` in millimetres. Returns the path."""
        data = self.command("Page.printToPDF", printBackground=True, preferCSSPageSize=False, landscape=landscape,
                            paperWidth=paper[0] / MILLIMETRES_PER_INCH,
                            paperHeight=paper[1] / MILLIMETRES_PER_INCH)["data"]
        Path(path).write_bytes(base64.b64decode(data))
        return path

    def command(self, name, **settings):
        """One command of the Chrome DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, settings)


def start_driver(width, height):
    """Headless Chromium without network and without a persistent profile."""
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--disable-background-networking", "--disable-component-update", "--no-first-run",
                     "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US",
                     "--host-resolver-rules=MAP * ~NOTFOUND", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for start in range(STARTS):
        try:
            driver = webdriver.Chrome(service=Service(DRIVER), options=options)
            break
        except WebDriverException:
            if start + 1 == STARTS:
                raise
    driver.set_page_load_timeout(PATIENCE)
    driver.set_script_timeout(PATIENCE)
    return driver


@contextlib.contextmanager
def open_page(path, width=1280, height=900, first=""):
    """Opens an HTML file; the browser ends with the block. `first` is a script that runs before those of the page. Raises
    RuntimeError with `missing()` if there is no browser."""
    reason = missing()
    if reason:
        raise RuntimeError(reason)
    driver = start_driver(width, height)
    try:
        page = Page(driver)
        page.resize(width, height)
        if first:
            page.command("Page.addScriptToEvaluateOnNewDocument", source=first)
        driver.get(Path(path).resolve().as_uri())
        yield page
    finally:
        driver.quit()
