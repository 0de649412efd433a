// What keys do where a pointer would do: they step through the pieces of bars and the intervals of charts, and what the
// pointer would show there is shown at the element that has the focus.

/** How far Page Up and Page Down go, as a share of all steps. */
const PAGE_SHARE = 0.1;

/** The step that a key leads to from step `at` of `count`, or null for a key that does something else. */
function stepOf(key, at, count) {
    const page = Math.max(1, Math.round(PAGE_SHARE * count));
    const steps = {ArrowRight: at + 1, ArrowLeft: at - 1, PageUp: at + page, PageDown: at - page, Home: 0, End: count - 1};
    return steps[key] === undefined ? null : Math.min(Math.max(steps[key], 0), count - 1);
}

/**
 * Makes an element one that keys step through: `show(step)` shows a step and gives it in words, `hide()` ends that. Assistive
 * programs know such a thing as a slider. Nothing is shown before the focus comes by keys.
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

/** Keys for the pieces of a bar. Of the bars of a table one is reached by Tab, the others from there: up and down. */
function stepThroughPieces(bar) {
    const pieces = Array.from(bar.children);
    if (pieces.length === 0) {
        return;
    }
    const mark = (chosen) => pieces.forEach((piece) => piece.classList.toggle("chosen", piece === chosen));
    // Rows that are opened are filled before they stand in the table, which has its stop by then.
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

/** Gives the focus to the bar that stands before or behind one in its table; rows that are folded away have none. */
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

/** What an element says when it has the focus: the step that it stands at, or what the pointer would show. */
function tipText(element) {
    return element.classList.contains("bar") ? element.getAttribute("aria-valuetext") : element.title;
}

/** The text of an element beside it, above all else. The programs that read a page aloud have it from the element. */
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

/** Shows what the focused element says, until the focus goes on, the page scrolls or Escape is pressed. */
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
