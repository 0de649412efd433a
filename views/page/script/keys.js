// Keyboard equivalents of the pointer: keys step through the pieces of bars and the intervals of charts, and what the
// pointer would show is shown at the focused element.

/** How far Page Up and Page Down go, as a share of all steps. */
const PAGE_SHARE = 0.1;

/** The step that a key leads to from step `at` of `count`, or null for any other key. */
function stepOf(key, at, count) {
    const page = Math.max(1, Math.round(PAGE_SHARE * count));
    const steps = {ArrowRight: at + 1, ArrowLeft: at - 1, PageUp: at + page, PageDown: at - page, Home: 0, End: count - 1};
    return steps[key] === undefined ? null : Math.min(Math.max(steps[key], 0), count - 1);
}

/**
 * Makes an element respond to keys: `show(step)` shows a step and returns its text, `hide()` ends that. Assistive
 * programs present it as a slider. Nothing is shown before the element gets the focus by keyboard.
 */
function steppedByKeys(element, count, show, hide) {
    let at = 0;
    const go = (step) => {
        at = step;
        element.setAttribute("aria-valuenow", at + 1);
        element.setAttribute("aria-valuetext", show(at));
        showTip(element);
    };
    element.setAttribute("role", "slider");
    element.setAttribute("tabindex", 0);
    element.setAttribute("aria-valuemin", 1);
    element.setAttribute("aria-valuemax", count);
    element.setAttribute("aria-valuenow", 1);
    element.addEventListener("keydown", (event) => {
        const step = stepOf(event.key, at, count);
        if (step !== null) {
            event.preventDefault();
            go(step);
        }
    });
    element.addEventListener("focus", () => {
        if (element.matches(":focus-visible")) {
            go(at);
        }
    });
    element.addEventListener("blur", hide);
}

/** Keys for the pieces of a bar. Tab reaches one bar of a table; up and down lead from there to the others. */
function stepThroughPieces(bar) {
    const pieces = Array.from(bar.children);
    if (pieces.length === 0) {
        return;
    }
    const mark = (chosen) => pieces.forEach((piece) => piece.classList.toggle("chosen", piece === chosen));
    // Opened rows are filled before they are in the table, which has its stop by then.
    const holder = bar.closest("table");
    const first = holder !== null && holder.querySelector(".bar[tabindex='0']") === null;
    steppedByKeys(bar, pieces.length, (step) => {
        mark(pieces[step]);
        return pieces[step].title;
    }, () => mark(null));
    bar.setAttribute("aria-valuetext", pieces[0].title);
    bar.tabIndex = first ? 0 : -1;
    bar.addEventListener("keydown", (event) => {
        const next = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (next !== undefined) {
            event.preventDefault();
            toBar(bar, next);
        }
    });
}

/** Moves the focus to the bar before or after one in its table; folded rows have none. */
function toBar(bar, direction) {
    const bars = Array.from(bar.closest("table").querySelectorAll(".bar[tabindex]"))
        .filter((each) => each.getClientRects().length > 0);
    const next = bars[bars.indexOf(bar) + direction];
    if (next !== undefined) {
        bar.tabIndex = -1;
        next.tabIndex = 0;
        next.focus({focusVisible: true});
    }
}

/** What a focused element shows: its current step, or what the pointer would show. */
function tipText(element) {
    return element.classList.contains("bar") ? element.getAttribute("aria-valuetext") : element.title;
}

/** The text of an element beside it, above everything else. Screen readers get it from the element. */
function showTip(element) {
    const text = tipText(element);
    if (!text) {
        return;
    }
    const tip = document.getElementById("tip") || add(document.body, "div");
    tip.id = "tip";
    tip.setAttribute("aria-hidden", "true");
    tip.textContent = text;
    tip.hidden = false;
    const box = element.getBoundingClientRect();
    const below = box.bottom + 4 + tip.offsetHeight <= window.innerHeight;
    tip.style.top = (below ? box.bottom + 4 : box.top - 4 - tip.offsetHeight) + "px";
    tip.style.left = Math.max(4, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 4)) + "px";
}

function hideTip() {
    const tip = document.getElementById("tip");
    if (tip !== null) {
        tip.hidden = true;
    }
}

/** Shows the text of the focused element until the focus moves on, the page scrolls or Escape is pressed. */
function watchFocus() {
    document.addEventListener("focusin", (event) => {
        hideTip();
        // The browser scrolls to the element first.
        requestAnimationFrame(() => {
            if (event.target === document.activeElement && event.target.matches(":focus-visible")) {
                showTip(event.target);
            }
        });
    });
    document.addEventListener("focusout", hideTip);
    document.addEventListener("scroll", hideTip, true);
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") {
            hideTip();
        }
    });
}
