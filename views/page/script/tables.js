// Tables: rows of a list, sortable by column, folded to the first rows on screen and whole in print.

/** Most rows of a table: more would make the page slow, and the JSON has them all. */
const MOST_ROWS = 1000;

/** What does not fit into a column of a printed page without a break. */
const LONG_NAME = /[^\s-]{33}/;

/**
 * A frame that scrolls content wider than the window, also by keyboard when needed. A group rather than a region: a
 * page has far more of them than a reader wants landmarks.
 */
function scrollFrame(parent, label) {
    const frame = add(parent, "div", "scroll");
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", label);
    new ResizeObserver(() => {
        if (frame.scrollWidth > frame.clientWidth) {
            frame.tabIndex = 0;
        } else {
            frame.removeAttribute("tabindex");
        }
    }).observe(frame);
    return frame;
}

/**
 * A table. A column is {title, text(row), value(row), cell(td, row), left, help, unseen}: `text` returns the words, or
 * `cell` fills the cell; `value` is the sort key, and columns without it do not sort; `unseen` is what a screen reader
 * says for a head without a title. `shown` rows are visible before the reader asks for more; `more(row)` returns rows
 * that belong under a row and are folded.
 */
function table(parent, {columns, rows, shown = 20, className = "", caption = "", more = null}) {
    const holder = scrollFrame(parent, "table: " + (caption || className));
    const element = add(holder, "table", className);
    if (caption !== "") {
        add(element, "caption", "", caption);
    }
    const head = add(add(element, "thead"), "tr");
    const body = add(element, "tbody");
    const state = {rows: rows.slice(0, MOST_ROWS), shown, all: false};
    const draw = () => drawBody(body, columns, state, more);
    columns.forEach((column) => {
        const cell = add(head, "th", column.left ? "left" : "");
        cell.scope = "col";
        // Heads with a help text can be reached by keys, so that keys show it.
        if (column.value && (rows.length > 1 || column.help)) {
            sorter(cell, column, () => {
                sortBy(head, cell, column, state);
                draw();
            });
        } else if (column.unseen) {
            add(cell, "span", "unseen", column.unseen);
        } else {
            cell.textContent = column.title;
        }
    });
    draw();
    tableFoot(parent, state, rows.length, draw);
    return element;
}

/** A sortable head. Not a button element: those are not printed in heads that are repeated on further pages. */
function sorter(cell, {title, help}, pressed) {
    const element = add(cell, "span", "sort", title);
    element.setAttribute("role", "button");
    if (help) {
        element.title = help;
    }
    element.tabIndex = 0;
    element.addEventListener("click", pressed);
    element.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            pressed();
        }
    });
}

/** Sorts first in descending, then in ascending order, alternately. */
function sortBy(head, cell, column, state) {
    const down = cell.getAttribute("aria-sort") !== "descending";
    for (const other of head.cells) {
        other.removeAttribute("aria-sort");
    }
    cell.setAttribute("aria-sort", down ? "descending" : "ascending");
    const compare = (a, b) => d3.ascending(column.value(a), column.value(b));
    state.rows.sort((a, b) => down ? compare(b, a) : compare(a, b));
}

function drawBody(body, columns, state, more) {
    body.textContent = "";
    state.rows.forEach((row, index) => {
        const line = add(body, "tr", index >= state.shown && !state.all ? "beyond" : "");
        columns.forEach((column, position) => {
            const cell = add(line, "td", column.left ? "left" : "");
            if (column.cell) {
                column.cell(cell, row);
            } else {
                cell.textContent = column.text(row);
            }
            if (column.code) {
                cell.classList.add("code");
            }
            if (LONG_NAME.test(cell.textContent)) {
                cell.classList.add("long");
            }
            if (more !== null && position === 0) {
                addOpener(body, cell, columns, more(row));
            }
        });
    });
}

/** The rows under a row, folded, and what opens them. */
/** Tab reaches one bar of a table: when its row is folded, the bar of the row that owns it. */
function keepTabStop(owner, lines) {
    const hidden = lines.map((line) => line.querySelector(".bar[tabindex='0']")).find((bar) => bar !== null);
    const seen = owner.querySelector(".bar[tabindex]");
    if (hidden !== undefined && seen !== null) {
        hidden.tabIndex = -1;
        seen.tabIndex = 0;
    }
}

function addOpener(body, cell, columns, rows) {
    if (rows.length === 0) {
        return;
    }
    const opener = document.createElement("button");
    opener.type = "button";
    opener.className = "opener";
    opener.setAttribute("aria-expanded", "false");
    opener.setAttribute("aria-label", `instructions of ${cell.textContent}`);
    cell.insertBefore(opener, cell.firstChild);
    const owner = cell.parentNode;
    let lines = null;
    opener.addEventListener("click", () => {
        if (lines === null) {
            lines = rows.map((fill) => {
                const line = document.createElement("tr");
                line.className = "part";
                fill(line);
                return line;
            });
            owner.after(...lines);
        }
        const open = opener.getAttribute("aria-expanded") === "false";
        opener.setAttribute("aria-expanded", String(open));
        lines.forEach((line) => line.classList.toggle("folded", !open));
        if (!open) {
            keepTabStop(owner, lines);
        }
    });
}

function tableFoot(parent, state, count, draw) {
    if (count > state.rows.length) {
        add(parent, "p", "note", `The first ${format.count(state.rows.length)} of ${format.count(count)} rows; the `
            + "report's JSON has all.");
    }
    if (state.rows.length > state.shown) {
        const text = () => state.all ? `Show the first ${state.shown}` : `Show all ${format.count(state.rows.length)} rows`;
        const toggle = button(parent, text(), () => {
            state.all = !state.all;
            draw();
            toggle.textContent = text();
        });
        toggle.className = "toggle";
    }
}

/** Two columns: what, and how much. */
function pairs(parent, rows, className = "") {
    const holder = scrollFrame(parent, "table: " + className);
    const element = add(holder, "table", "pairs " + className);
    const body = add(element, "tbody");
    for (const [name, value, note] of rows) {
        const line = add(body, "tr");
        add(line, "th", "left", name).scope = "row";
        add(line, "td", "", value);
        add(line, "td", "left note", note || "");
    }
    return element;
}

/** A column of plain bars beside one of figures, which has the name of the latter for screen readers. */
function barColumn(unseen, value, whole) {
    return {title: "", unseen, left: true, cell: (cell, row) => lengthBar(cell, value(row), whole)};
}

/** A plain bar whose length is `value` of `whole`. */
function lengthBar(cell, value, whole) {
    const bar = add(add(cell, "div", "bar plain"), "span", "piece");
    bar.style.width = 100 * ratio(value, whole) + "%";
    return bar;
}
