// How much of every unit that can be busy was in use: units, lanes of the issued instructions, room for CTAs, and the
// latencies of what the warps wait for.

/** Units whose line over time is shown initially. */
const CHARTED_UNITS = 4;

const SHARE_TEXT = {value: format.percent, axis: (value) => format.percent(value, 0)};

/** The most that all instances of a unit could have been used in this many cycles. */
function possibleUse(unit, cycles) {
    return unit.capacity * unit.instances * cycles;
}

/** Likewise, in one cycle. */
function possibleRate(unit) {
    return possibleUse(unit, 1);
}

function utilisationSection(parent, run) {
    const {report} = run;
    if (report.utilisation === undefined) {
        add(parent, "p", "note", "This report has no utilisation; it was written by an earlier smsim.");
        return;
    }
    const used = report.utilisation.filter((unit) => unit.busy > 0).sort((a, b) => b.utilisation - a.utilisation);
    utilisationStory(parent, report, used);
    utilisationTable(parent, used);
    utilisationOverTime(parent, report, used);
    occupancyLimits(parent, report);
    laneHistogram(parent, report);
    latencyTable(parent, report);
}

function utilisationStory(parent, report, used) {
    if (used.length === 0) {
        add(parent, "p", "note", "No unit was used.");
        return;
    }
    const [first, second] = used;
    const pieces = ["The unit in use most is ", {strong: first.unit}, ", at ", {strong: format.percent(first.utilisation)},
        ` of what it could do (${format.percent(first.peak)} in its busiest interval)`];
    if (second !== undefined) {
        pieces.push(`; next is ${second.unit}, at ${format.percent(second.utilisation)}`);
    }
    const idle = report.utilisation.filter((unit) => unit.busy === 0).map((unit) => unit.unit);
    pieces.push(idle.length > 0 ? `. Not used at all: ${idle.join(", ")}.` : ".");
    paragraph(parent, pieces, "story");
}

function utilisationTable(parent, used) {
    table(parent, {
        className: "bars utilisation",
        shown: 12,
        rows: used,
        columns: [
            {title: "Unit", left: true, text: (unit) => unit.unit, value: (unit) => unit.unit},
            {title: "In use", text: (unit) => format.percent(unit.utilisation), value: (unit) => unit.utilisation},
            barColumn("In use as a bar", (unit) => unit.utilisation, 1),
            {title: "Peak", text: (unit) => format.percent(unit.peak), value: (unit) => unit.peak,
                help: "in the busiest interval"},
            countColumn("Use", "busy"),
            countColumn("Unused", "idle", "use and unused together are the whole launch"),
            {title: "of", text: (unit) => `${format.count(unit.instances)} × ${format.count(unit.capacity)}`,
                value: possibleRate, help: "units, and how much each can be used per cycle"},
            {title: "Counted", left: true, text: (unit) => unit.counts},
            {title: "More of it by", left: true, code: true, text: (unit) => unit.keys.join(", ")},
        ],
    });
}

function utilisationOverTime(parent, report, used) {
    if (report.over_time === undefined) {
        return;
    }
    const width = report.over_time.interval_cycles;
    const intervals = (unit) => unit.over_time.map((use, i) => {
        const begin = i * width;
        const end = Math.min(begin + width, report.cycles);
        return {begin, end, cycles: end - begin, share: ratio(use, possibleUse(unit, end - begin))};
    });
    const lines = used.slice(0, CHARTED_UNITS).map((unit, index) => ({label: unit.unit, intervals: intervals(unit),
        value: (interval) => interval.share, style: runStyle(index)}));
    if (lines.length > 0) {
        lineChart(parent, {title: "Utilisation", cycles: report.cycles, text: SHARE_TEXT, top: 1, lines,
            note: lines.length === 1 ? "" : `the ${lines.length} units that were in use most`});
    }
}

function occupancyLimits(parent, report) {
    const {limits, mean_warps: mean} = report.occupancy;
    subheading(parent, "Room for CTAs");
    paragraph(parent, ["At once there is room for ", {strong: format.plural(limits.ctas, "CTA")},
        ` with ${format.plural(limits.warps, "warp")}`, limits.limited_by.length > 0
            ? `; no more because of ${limits.limited_by.join(", ")}` : "",
        `. On average ${format.fixed(mean, 1)} warps were resident.`]);
    pairs(parent, [["Warp slots", "by_warp_slots"], ["Threads", "by_threads"], ["CTA slots", "by_cta_slots"],
        ["Registers", "by_registers"], ["Shared memory", "by_shared_memory"]].map(([name, key]) =>
        [name, limits[key] === null ? "–" : format.count(limits[key]), limits[key] === null ? "not needed" : "CTAs"]),
    "limits");
}

/** Issues by the number of lanes that executed: SIMD efficiency, broken down. */
function laneHistogram(parent, report) {
    const rows = report.lanes.map((issues, lanes) => ({lanes, issues})).filter((row) => row.issues > 0);
    if (rows.length === 0) {
        return;
    }
    subheading(parent, "Lanes that executed");
    const most = d3.max(rows, (row) => row.issues);
    table(parent, {
        className: "lanes",
        shown: 8,
        rows: rows.sort((a, b) => b.lanes - a.lanes),
        columns: [
            countColumn("Lanes", "lanes"),
            countColumn("Issues", "issues"),
            {title: "Share", text: (row) => format.share(row.issues, report.warp_instructions), value: (row) => row.issues},
            barColumn("Issues as a bar", (row) => row.issues, most),
        ],
    });
}

const LATENCY_MEANINGS = {
    load_l1_hit: "loads of global and local memory that the L1 answered, issue to result",
    load_l1_miss: "other loads of global and local memory",
    global_atomic: "atomics on global memory whose old value is wanted",
    shared_load: "loads of shared memory",
    shared_atomic: "atomics on shared memory",
    barrier_wait: "blocked at a CTA barrier, arrival to wake",
    wake_to_issue: "wake at a barrier or from a sleep to the next issue",
};

function latencyTable(parent, report) {
    const rows = Object.entries(report.latencies).map(([name, latency]) => ({name, ...latency}));
    if (rows.length === 0) {
        return;
    }
    subheading(parent, "Latencies in cycles");
    /** The bins as "16 to 31: 40 %". */
    const bins = (row) => [...row.bins].sort((a, b) => b.count - a.count).slice(0, 3)
        .map((bin) => `${format.count(bin.from)} to ${format.count(bin.below - 1)}: ${format.share(bin.count, row.count)}`);
    table(parent, {
        className: "latencies",
        rows,
        columns: [
            {title: "Of", left: true, text: (row) => row.name, value: (row) => row.name},
            countColumn("Times", "count"),
            {title: "Mean", text: (row) => format.fixed(row.mean, 1), value: (row) => row.mean},
            countColumn("Least", "least"),
            countColumn("Most", "most"),
            {title: "Most often", left: true, text: (row) => bins(row).join("; ")},
            {title: "Meaning", left: true, text: (row) => LATENCY_MEANINGS[row.name] || ""},
        ],
    });
}
