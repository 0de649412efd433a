// Warps: each one, or those of a CTA, or those of the same number in their CTA, as bars of stall reasons. A launch may
// have a hundred thousand warps, so the page draws a limited number at a time.

const WARPS_PER_PAGE = 32;

/** Warps with the same key added together, in order of the key. */
function groupWarps(warps, keyOf, labelOf) {
    const groups = new Map();
    for (const warp of warps) {
        const key = keyOf(warp);
        if (!groups.has(key)) {
            groups.set(key, {key, label: labelOf(warp), warps: 0, start: Infinity, end: 0, warp_instructions: 0,
                thread_instructions: 0, cycles: 0, stalls: {}});
        }
        const group = groups.get(key);
        ++group.warps;
        group.start = Math.min(group.start, warp.start);
        group.end = Math.max(group.end, warp.end);
        group.warp_instructions += warp.warp_instructions;
        group.thread_instructions += warp.thread_instructions;
        group.cycles += warp.end - warp.start;
        addStalls(group.stalls, warp.stalls);
    }
    return Array.from(groups.values()).sort((a, b) => d3.ascending(a.key, b.key));
}

const WARP_GROUPS = {
    warp: {title: "each warp", first: "CTA.warp",
        key: (warp) => warp.cta * 4096 + warp.warp, label: (warp) => `${warp.cta}.${warp.warp}`},
    cta: {title: "warps of a CTA", first: "CTA", key: (warp) => warp.cta, label: (warp) => String(warp.cta)},
    number: {title: "warps of one number in their CTA", first: "Warp in CTA",
        key: (warp) => warp.warp, label: (warp) => String(warp.warp)},
};

const WARP_ORDERS = {
    number: {title: "number", compare: (a, b) => d3.ascending(a.key, b.key)},
    longest: {title: "warp-cycles, most first", compare: (a, b) => b.cycles - a.cycles},
    shortest: {title: "warp-cycles, least first", compare: (a, b) => a.cycles - b.cycles},
    last: {title: "end, latest first", compare: (a, b) => b.end - a.end},
};

function warpSection(parent, run) {
    const {warps} = run.report;
    if (warps.length === 0) {
        add(parent, "p", "note", "No warp was started.");
        return;
    }
    const state = {group: "warp", order: "number", page: 0};
    const content = document.createElement("div");
    const draw = () => {
        content.textContent = "";
        drawWarps(content, run, state, draw);
    };
    const changed = (name) => (value) => {
        state[name] = value;
        state.page = 0;
        draw();
    };
    const titles = (list) => Object.entries(list).map(([key, {title}]) => [key, title]);
    choice(parent, "One bar for", titles(WARP_GROUPS), state.group, changed("group"));
    choice(parent, "in order of", titles(WARP_ORDERS), state.order, changed("order"));
    parent.appendChild(content);
    draw();
}

/** A button that turns pages. At an end it does nothing, and keeps the focus for users who arrived there by keyboard. */
function turner(parent, text, atEnd, turned) {
    const element = button(parent, text, () => {
        if (!atEnd) {
            turned();
        }
    });
    element.setAttribute("aria-disabled", String(atEnd));
}

/** Links to the previous, the next and any other page: a launch may have hundreds. */
function pager(parent, count, page, turn) {
    const first = page * WARPS_PER_PAGE;
    const last = Math.min(first + WARPS_PER_PAGE, count);
    const bar = add(parent, "p", "pager");
    turner(bar, "‹ before", first === 0, () => turn(page - 1));
    add(bar, "span", "", ` ${format.count(first + 1)} to ${format.count(last)} of ${format.count(count)} `);
    turner(bar, "next ›", last === count, () => turn(page + 1));
    const holder = add(bar, "label", "jump", " go to bar ");
    const input = add(holder, "input");
    input.type = "number";
    input.min = 1;
    input.max = count;
    input.step = WARPS_PER_PAGE; // for arrow keys: any number can be typed
    input.value = first + 1;
    input.addEventListener("change", () => {
        const wanted = Math.min(Math.max(Math.round(Number(input.value)) || 1, 1), count);
        turn(Math.floor((wanted - 1) / WARPS_PER_PAGE));
    });
}

function drawWarps(parent, run, state, redraw) {
    const group = WARP_GROUPS[state.group];
    const groups = groupWarps(run.report.warps, group.key, group.label).sort(WARP_ORDERS[state.order].compare);
    const first = state.page * WARPS_PER_PAGE;
    const rows = groups.slice(first, first + WARPS_PER_PAGE);
    // One scale for all pages, so that bars of different pages can be compared.
    const longest = d3.max(groups, (row) => row.cycles) || 1;
    if (groups.length > WARPS_PER_PAGE) {
        pager(parent, groups.length, state.page, (page) => {
            const controls = () => Array.from(parent.querySelectorAll(".pager button, .pager input"));
            const used = controls().indexOf(document.activeElement);
            state.page = page;
            redraw();
            // The control that was used is redrawn, and keeps the focus.
            if (used >= 0) {
                controls()[used].focus();
            }
        });
    }
    table(parent, {
        className: "bars warps",
        shown: WARPS_PER_PAGE,
        rows,
        columns: [
            {title: group.first, text: (row) => row.label},
            ...(state.group === "warp" ? [] : [{title: "Warps", text: (row) => format.count(row.warps)}]),
            {title: "Start", text: (row) => format.count(row.start)},
            {title: "End", text: (row) => format.count(row.end)},
            {title: "Instructions", text: (row) => format.count(row.warp_instructions)},
            {title: "SIMD", text: (row) => format.percent(ratio(row.thread_instructions, LANES * row.warp_instructions))},
            {title: "Warp-cycles", text: (row) => format.count(row.cycles)},
            {title: "Stall reasons (length: warp-cycles)", left: true,
                cell: (cell, row) => namedBar(cell, row.stalls, longest, 3)},
        ],
    });
    stallLegend(parent, rows.map((row) => row.stalls));
}
