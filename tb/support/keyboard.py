"""Walks a page with the Tab key alone, with real key events: what the keys reach, in which order, and whether the focus is visible.

    with browser.open_page(path, first=keyboard.WATCH) as page:
        walk = keyboard.walk(page)
        walk.problems()               # elements that keys do not reach, or whose focus a reader would lose
        keyboard.operate(page)        # elements that do not obey their keys

Operable elements are found independently of Tab: links, controls, elements with such a role, scrollable ones, and, through
WATCH, every element that listens to clicks or to the pointer.
"""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

__all__ = ["Keys", "WATCH", "Walk", "operate", "press", "walk"]

MOST_STOPS = 2000
# Frames that the browser draws until the action of a key has finished: scrolling takes several steps of unknown duration.
PICTURES = 100
# Runs before the scripts of the page and records their listeners.
WATCH = """
window.listening = new Set();
const original = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (this instanceof Element && /^(click|mouse|pointer)/.test(type)) {
        window.listening.add(this);
    }
    return original.call(this, type, ...rest);
};
"""
# Functions of the page that the scripts below share.
TOOLS = """
const seen = (e) => e.isConnected && e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0;
const scrolls = (e) => ['X', 'Y'].some((axis) => /auto|scroll/.test(getComputedStyle(e)['overflow' + axis])
    && (axis === 'X' ? e.scrollWidth > e.clientWidth : e.scrollHeight > e.clientHeight));
const name = (e) => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' "'
    + (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 40) + '" in #' + (e.closest('[id]') || {}).id;
"""
# One stop: null at the end of the page, otherwise [name, what is wrong here].
STOP = TOOLS + """
const e = document.activeElement;
if (e === null || e === document.body || e === document.documentElement) return null;
const wrong = [];
if (window.walked.includes(e)) wrong.push('is reached twice');
window.walked.push(e);
const style = getComputedStyle(e);
const box = e.getBoundingClientRect();
if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) wrong.push('has no ring');
if (!seen(e) || box.width === 0 || box.height === 0) wrong.push('cannot be seen');
const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
if (left >= right || top >= bottom) wrong.push('is out of the window');
else {
    const [part] = Array.from(e.getClientRects()).filter((r) => r.bottom > 0 && r.top < innerHeight);
    const hit = document.elementFromPoint((Math.max(part.left, 0) + Math.min(part.right, innerWidth)) / 2,
        (Math.max(part.top, 0) + Math.min(part.bottom, innerHeight)) / 2);
    if (hit === null || !(e.contains(hit) || hit.contains(e))) wrong.push('is covered');
}
let below = e;
while (below.parentElement && getComputedStyle(below).backgroundColor === 'rgba(0, 0, 0, 0)') below = below.parentElement;
const luminance = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
const [low, high] = [style.outlineColor, getComputedStyle(below).backgroundColor].map(luminance).sort((a, b) => a - b);
if ((high + 0.05) / (low + 0.05) < 3) wrong.push('has a ring that is too pale');
return [name(e), wrong];
"""
# Operable elements that were not reached; among the bars of a table, one is a stop and leads to the others.
UNREACHED = TOOLS + """
const reached = new Set(window.walked);
const operable = Array.from(document.querySelectorAll('a[href], button:not([disabled]), select, input, textarea, summary,'
    + ' [role=button], [role=slider], [tabindex]')).concat(Array.from(window.listening));
const led = (e) => e.tabIndex === -1 && e.getAttribute('role') === 'slider'
    && window.walked.some((other) => other.getAttribute('role') === 'slider' && other.closest('table') === e.closest('table'));
const lost = operable.filter((e) => seen(e) && !reached.has(e) && !led(e));
const still = Array.from(document.querySelectorAll('body *')).filter((e) => seen(e) && scrolls(e)
    && !window.walked.some((other) => e === other || e.contains(other)));
return Array.from(new Set(lost.concat(still))).map(name);
"""
# Stops that are entirely above the previous one, or on the same line and entirely left of it, within a part of the page.
DISORDERED = TOOLS + """
const part = (e) => e.closest('nav, main, header, footer');
const wrong = [];
window.walked.forEach((e, i) => {
    const before = window.walked[i - 1];
    if (before === undefined || part(e) !== part(before) || before.contains(e)) return;
    const a = before.getBoundingClientRect(), b = e.getBoundingClientRect();
    const line = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5 * Math.min(a.height, b.height);
    if (b.bottom <= a.top + 1 || line && b.right <= a.left + 1) wrong.push(name(e) + ' after ' + name(before));
});
return wrong;
"""


def press(page, *keys):
    """Presses keys one after another; the focused element receives them."""
    ActionChains(page.driver).send_keys(*keys).perform()


def press_back(page):
    """Shift and Tab."""
    ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()


class Walk:
    """The stops of Tab, from the top of the page to its end."""

    def __init__(self, page):
        self.page = page
        self.stops = []
        self.wrong = []
        page.script("window.walked = []; document.activeElement.blur(); scrollTo(0, 0);")

    def forward(self):
        """Presses Tab until the page is left."""
        while len(self.stops) < MOST_STOPS:
            press(self.page, Keys.TAB)
            stop = self.page.script(STOP)
            if stop is None:
                return
            self.stops.append(stop[0])
            self.wrong += [f"{stop[0]} {each}" for each in stop[1]]
            if "is reached twice" in stop[1]:
                return
        self.wrong.append(f"the page does not end after {MOST_STOPS} stops")

    def back(self):
        """Presses Shift and Tab from the last stop on: the same stops in the opposite order."""
        self.page.script("window.walked[window.walked.length - 1].focus()")
        for number in range(len(self.stops) - 2, -1, -1):
            press_back(self.page)
            if not self.page.script("return document.activeElement === window.walked[arguments[0]]", number):
                self.wrong.append(f"the way back from {self.stops[number + 1]} does not lead to {self.stops[number]}")
                return

    def problems(self):
        """Everything that keys fail to do here."""
        return (self.wrong + [f"{each} is not reached" for each in self.page.script(UNREACHED)]
                + [f"{each} is out of order" for each in self.page.script(DISORDERED)])


def walk(page):
    """The walk through a page from its top to its end."""
    found = Walk(page)
    found.forward()
    return found


# The focused element: [name, kind, whether it can do something, its state].
FOCUSED = TOOLS + """
const e = document.activeElement;
if (e === null || e === document.body || e === document.documentElement) return null;
window.changes ||= (() => {
    const count = {number: 0};
    new MutationObserver((list) => count.number += list.length)
        .observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
    return count;
})();
const role = e.getAttribute('role');
const kinds = [
    ['link', e.matches('a'), true, () => location.hash === e.hash],
    ['fold', e.matches('summary'), true, () => e.parentNode.open],
    ['choice', e.matches('select'), e.length > 1, () => e.value],
    ['number', e.matches('input[type=number]'), true, () => e.value],
    ['text', e.matches('input'), true, () => e.value],
    ['head', e.matches('.sort'), true, () => (e.closest('th') || e).ariaSort],
    ['button', e.matches('button') || role === 'button', e.ariaDisabled !== 'true', () => window.changes.number],
    ['steps', role === 'slider', e.ariaValueMax > 1, () => e.ariaValueNow],
    ['frame', true, scrolls(e), () => e.scrollLeft + ' ' + e.scrollTop],
];
const [kind, , able, state] = kinds.find(([, fits]) => fits);
return [name(e), kind, able, state()];
"""
# Keys that each kind must obey, one after another: each must change its state.
KEYS = {
    "link": [Keys.ENTER],
    "fold": [Keys.ENTER, Keys.SPACE, Keys.ENTER],
    "choice": [Keys.ARROW_DOWN, Keys.ARROW_UP],
    "number": [Keys.ARROW_UP],
    "text": ["0", Keys.BACKSPACE],
    "head": [Keys.ENTER, Keys.SPACE],
    "button": [Keys.ENTER, Keys.SPACE],
    "steps": [Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.END, Keys.HOME],
    "frame": [],
}


def operate(page):
    """Walks through the page, and at each stop presses the keys that the element must obey. Returns elements that do not, and
    elements that lose the focus when used."""
    wrong = []
    page.script("document.activeElement.blur(); scrollTo(0, 0);")
    for _ in range(MOST_STOPS):
        press(page, Keys.TAB)
        before = page.script(FOCUSED)
        if before is None:
            return wrong
        wrong += _operate_one(page, before)
    return [*wrong, f"the page does not end after {MOST_STOPS} stops"]


def _operate_one(page, before):
    name, kind, able, _ = before
    if not able:
        return []
    keys = KEYS[kind]
    if kind == "frame":
        sideways = page.script("const e = document.activeElement; return e.scrollWidth > e.clientWidth;")
        keys = [Keys.ARROW_RIGHT] if sideways else [Keys.ARROW_DOWN]
    if kind == "link":
        page.script("window.link = document.activeElement; history.replaceState(null, '', location.pathname);")
        before = page.script(FOCUSED)
    for key in keys:
        press(page, key)
        after = _changed(page, before)
        if kind == "link":
            # Tab would continue from the place that it leads to.
            reached = page.script("return location.hash === window.link.hash"
                                  " && document.querySelector(decodeURIComponent(location.hash)) !== null")
            page.script("window.link.focus()")
            return [] if reached else [f"{name} does not lead anywhere"]
        if after is None or after[1] != kind:
            return [f"{name} loses the focus"]
        if after[3] == before[3]:
            return [f"{name} does not obey {key!r}"]
        before = after
        if not after[2]:
            break
    return []


def _changed(page, before):
    """The focused element as soon as its state changes; the previous one if the key has no effect."""
    for _ in range(PICTURES):
        after = page.script(FOCUSED)
        if after is None or after[3] != before[3]:
            return after
        page.next_picture()
    return after
