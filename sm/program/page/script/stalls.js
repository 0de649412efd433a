// Stall reasons: their order, colours and meanings, the same in every bar, chart and table of the page.
//
// The colours differ in lightness as well as in hue, and neighbours of one hue are told apart by hatching, so that
// they can be distinguished without full colour vision and in a grey print.

const STALLS = [
    {name: "selected", colour: "#009e73", ink: "#ffffff", meaning: "an instruction was issued"},
    {name: "not_selected", colour: "#94d6bf", ink: "#000000", hatched: true,
        meaning: "could have issued, another warp was chosen"},
    {name: "wait", colour: "#c4c4c4", ink: "#000000", meaning: "fixed stall count of the instruction before"},
    {name: "math_pipe_throttle", colour: "#f0e442", ink: "#000000", meaning: "execution pipe busy"},
    {name: "dispatch", colour: "#9a7d2e", ink: "#ffffff", hatched: true,
        meaning: "branch or barrier unit does not accept"},
    {name: "short_scoreboard", colour: "#7cc4f0", ink: "#000000",
        meaning: "result of shared memory, special function, conversion or barrier read"},
    {name: "long_scoreboard", colour: "#0068a8", ink: "#ffffff", meaning: "result of global or local memory"},
    {name: "mio_throttle", colour: "#d55e00", ink: "#ffffff", meaning: "load/store queue full"},
    {name: "membar", colour: "#6f3413", ink: "#ffffff", hatched: true,
        meaning: "memory barrier, or memory order at a CTA barrier or exit"},
    {name: "barrier", colour: "#f0a500", ink: "#000000", meaning: "CTA barrier: other warps have not arrived"},
    {name: "branch_resolve", colour: "#d184b0", ink: "#000000", meaning: "control instruction in flight"},
    {name: "sleeping", colour: "#5d6470", ink: "#ffffff", hatched: true, meaning: "NANOSLEEP"},
    {name: "no_instruction", colour: "#6a4aa3", ink: "#ffffff", meaning: "instruction buffer empty"},
];

/** Segments that are narrower than this share of the bar's place carry no figure; the second is for narrow places. */
const LABELLED_SHARE = 0.07;
const LABELLED_SHARE_NARROW = 0.18;

function fillStyle(stall) {
    return stall.hatched
        ? `repeating-linear-gradient(45deg, transparent 0 4px, ${hatchInk(stall)} 4px 5.5px), ${stall.colour}`
        : stall.colour;
}

/** Lines of the hatching: dark on light, light on dark. */
function hatchInk(stall) {
    return stall.ink === "#000000" ? "rgba(0,0,0,0.4)" : "rgba(255,255,255,0.4)";
}

/** Reasons of `stalls` with cycles, most first. */
function largestStalls(stalls) {
    return STALLS.map((stall) => ({stall, cycles: stalls[stall.name] || 0}))
        .filter((entry) => entry.cycles > 0)
        .sort((a, b) => b.cycles - a.cycles);
}

/** "long_scoreboard 61.2 %, barrier 20.1 %": the first `count` reasons. */
function stallText(stalls, count) {
    const whole = total(stalls);
    return largestStalls(stalls).slice(0, count)
        .map((entry) => `${entry.stall.name} ${format.share(entry.cycles, whole)}`).join(", ");
}

/**
 * One stacked bar; its length is the share of its cycles in `scale`. Shares inside the bar are of the bar itself.
 */
function stallBar(parent, stalls, scale, labelled = LABELLED_SHARE) {
    const whole = total(stalls);
    const bar = add(parent, "div", "bar");
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", whole === 0 ? "no cycles" : stallText(stalls, STALLS.length));
    const length = ratio(whole, scale);
    for (const stall of STALLS) {
        const cycles = stalls[stall.name] || 0;
        if (cycles === 0) {
            continue;
        }
        const piece = add(bar, "span", "piece");
        piece.style.width = 100 * cycles / scale + "%";
        piece.style.background = fillStyle(stall);
        piece.style.color = stall.ink;
        piece.title = `${stall.name}: ${format.count(cycles)} (${format.share(cycles, whole)})`;
        if (cycles / whole * length >= labelled) {
            piece.textContent = Math.round(100 * cycles / whole) + "%";
        }
    }
    return bar;
}

/** A bar in a narrow column, with its largest reasons in words below it. */
function namedBar(cell, stalls, scale, count) {
    if (total(stalls) > 0) {
        stallBar(cell, stalls, scale, LABELLED_SHARE_NARROW);
        add(cell, "div", "largest", stallText(stalls, count));
    }
}

/** Names and colours of the reasons that occur in any of the stall lists given. */
function stallLegend(parent, lists) {
    const legend = add(parent, "ul", "legend");
    for (const stall of STALLS) {
        if (lists.some((stalls) => (stalls[stall.name] || 0) > 0)) {
            const item = add(legend, "li");
            add(item, "span", "swatch").style.background = fillStyle(stall);
            add(item, "span", "", stall.name);
            item.title = stall.meaning;
        }
    }
    return legend;
}
