// Stall reasons in bars, legends and words. Their order, colours and meanings are those of stall_reasons.json, which
// the pictures of scripts/explore use too; the build puts it before the scripts as STALL_REASONS.
//
// Colours that look alike without full colour vision differ in lightness or in hatching: not_selected and wait,
// dispatch and mio_throttle, long_scoreboard and no_instruction.

/** Directions of hatching: the angle of the gradient in style sheets, and of the pattern in drawings. */
const HATCHES = {diagonal: {gradient: 45, pattern: 45}, level: {gradient: 0, pattern: 90}};

const STALLS = STALL_REASONS.map((stall) => ({...stall, hatch: HATCHES[stall.hatch]}));

/** Segments narrower than this share of the bar's space have no figure; the second value is for narrow spaces. */
const LABELLED_SHARE = 0.07;
const LABELLED_SHARE_NARROW = 0.18;

function fillStyle(stall) {
    return stall.hatch
        ? `repeating-linear-gradient(${stall.hatch.gradient}deg, transparent 0 4px, ${hatchInk(stall)} 4px 5.5px), ${stall.colour}`
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
 * One stacked bar; its length is the share of its cycles in `scale`. Shares inside the bar are of the bar itself. Keys
 * step through its pieces as the pointer does.
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
            // On its own background, so that hatching does not run through the figure.
            add(piece, "span", "figure", Math.round(100 * cycles / whole) + "%").style.background = stall.colour;
        }
    }
    stepThroughPieces(bar);
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
