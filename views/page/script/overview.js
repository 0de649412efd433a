// The beginning of a run's part: what ran and how it ended, the headline figures, and where the time went.

/** Sums that several headline figures need. */
function branchTotals(report) {
    const sums = {executions: 0, diverged: 0};
    for (const branch of report.branch_unit.branches) {
        sums.executions += branch.executions;
        sums.diverged += branch.diverged;
    }
    return sums;
}

function barrierWait(report) {
    return d3.sum(report.barrier_unit.barriers, (barrier) => barrier.wait_cycles);
}

/** The time of the launch at the clock of its configuration; older reports have only the cycles. */
function microseconds(report) {
    return report.microseconds === undefined ? report.cycles / (1000 * report.config.sm.clock_ghz) : report.microseconds;
}

/**
 * The headline figures. `rate`: a fraction, whose differences are percentage points; `better`: whether "less" or
 * "more" of it is better, if that is clear. A value of null: not measured.
 */
const FIGURES = [
    {key: "cycles", label: "Cycles", value: (r) => r.cycles, better: "less", note: () => "length of the launch"},
    {key: "microseconds", label: "Microseconds", value: microseconds, decimals: 3, better: "less",
        note: (r) => `at ${r.config.sm.clock_ghz} GHz`},
    {key: "ipc", label: "IPC", value: (r) => r.ipc, decimals: 3, better: "more",
        note: (r) => `warp instructions per cycle, of at most ${r.sub_partitions.length}`},
    {key: "warp_instructions", label: "Warp instructions", value: (r) => r.warp_instructions, better: "less",
        note: () => "issued"},
    {key: "thread_instructions", label: "Thread instructions", value: (r) => r.thread_instructions,
        note: () => "executed lanes"},
    {key: "simd_efficiency", label: "SIMD efficiency", value: (r) => r.simd_efficiency, rate: true, better: "more",
        note: () => "executed lanes of the 32 of each issue"},
    {key: "occupancy", label: "Occupancy", value: (r) => r.occupancy.mean_fraction, rate: true,
        note: (r) => `${format.fixed(r.occupancy.mean_warps, 1)} resident warps on average`},
    {key: "ctas", label: "CTAs completed", value: (r) => r.ctas,
        note: (r) => `of ${format.count(r.run.grid[0] * r.run.grid[1] * r.run.grid[2])}; `
            + format.plural(r.warps.length, "warp")},
    {key: "warp_cycles", label: "Warp-cycles", value: (r) => r.warp_cycles, better: "less",
        note: () => "lifetimes of all warps"},
    {key: "l1_hit_rate", label: "L1 hit rate", value: (r) => r.memory.l1.hit_rate, rate: true, better: "more",
        note: (r) => r.memory.l1.sector_hits === undefined // older reports have none
            ? `${format.count(r.memory.l1.hits)} hits, ${format.count(r.memory.l1.misses)} misses`
            : `${format.count(r.memory.l1.sector_hits)} sectors hit, ${format.count(r.memory.l1.sector_misses)} missed`},
    {key: "conflict_passes", label: "Bank conflicts", value: (r) => r.memory.shared.conflict_passes, better: "less",
        note: (r) => `extra passes on ${format.plural(r.memory.shared.accesses, "shared access")
            .replace("accesss", "accesses")}`},
    {key: "coalescing", label: "Coalescing", value: (r) => r.memory.load_store.coalescing, rate: true, better: "more",
        note: () => "global bytes asked for, of those moved"},
    {key: "global_bytes", label: "Global traffic", value: (r) => r.memory.global.read_bytes + r.memory.global.write_bytes,
        better: "less", note: () => "bytes beyond the L1"},
    {key: "l0_hit_rate", label: "Instruction L0 hit rate", value: (r) => r.fetch.l0_hit_rate, rate: true, better: "more",
        note: (r) => format.plural(r.fetch.fetches, "fetch").replace("fetchs", "fetches")},
    {key: "diverged", label: "Divergent branches", value: (r) => branchTotals(r).diverged, better: "less",
        note: (r) => `of ${format.plural(branchTotals(r).executions, "execution")}`},
    {key: "barrier_wait", label: "Barrier waiting", value: barrierWait, better: "less",
        note: () => "blocked warp-cycles"},
    {key: "hazards", label: "Hazards", value: (r) => hazardsChecked(r) ? r.hazards.count : null, better: "less",
        note: (r) => hazardsChecked(r) ? "registers touched too early" : "not looked for"},
];

/** Whether hazards were checked for: only then does finding none mean something. */
function hazardsChecked(report) {
    return report.config.sm.hazard_check || report.hazards.count > 0;
}

function figureText(figure, value) {
    return value === null ? "–" : figure.rate ? format.percent(value) : figure.decimals ? format.fixed(value, figure.decimals)
        : format.count(value);
}

function size(list) {
    return list.join(" × ");
}

/** Kernel, program and how the run ended. */
function identity(parent, run) {
    const {report} = run;
    const status = {completed: "completed", check_failed: "a check failed", exception: "ended with an exception",
        interrupted: "interrupted", instruction_limit: "ended at the instruction limit"};
    const line = add(parent, "p", "identity");
    add(line, "span", "status " + report.run.status, status[report.run.status] || report.run.status);
    add(line, "span", "", " kernel ");
    add(line, "strong", "", report.run.kernel);
    add(line, "span", "", `, grid ${size(report.run.grid)}, block ${size(report.run.block)}`);
    if (report.run.dynamic_shared !== 0) {
        add(line, "span", "", `, ${format.count(report.run.dynamic_shared)} bytes of dynamic shared memory`);
    }
    paragraph(parent, ["Program ", {code: report.run.program}, ", launch ", {code: report.run.launch}, ", smsim "
        + report.smsim + ". Report ", {code: run.name}, "."], "origin");
    if (report.untimed) {
        add(parent, "p", "note", `${format.plural(report.untimed.ctas, "CTA")} and `
            + `${format.count(report.untimed.warp_instructions)} warp instructions more of the launch had no timing: `
            + "nothing here counts them.");
    }
    if (report.run.exception !== "") {
        // A watchdog's message has a line for each warp: it scrolls in its own frame, also by keys.
        const message = add(parent, "pre", "problem message", report.run.exception);
        message.tabIndex = 0;
        message.setAttribute("role", "group");
        message.setAttribute("aria-label", "how the run ended");
    }
    for (const check of report.checks.filter((each) => !each.passed)) {
        add(parent, "p", "problem", `Check of ${check.buffer}: ${format.count(check.mismatches)} of `
            + `${format.count(check.compared)} elements differ.`);
    }
}

function tiles(parent, run) {
    const list = add(parent, "dl", "tiles");
    for (const figure of FIGURES) {
        const tile = add(list, "div");
        tile.dataset.figure = figure.key;
        add(tile, "dt", "", figure.label);
        add(tile, "dd", "", figureText(figure, figure.value(run.report)));
        add(tile, "dd", "note", figure.note(run.report));
    }
}

/** What a reader of the report would say in the first half minute. */
function story(parent, run) {
    const {report} = run;
    const reasons = largestStalls(report.stalls);
    if (reasons.length === 0) {
        paragraph(parent, ["No warp was ever resident."], "story");
        return;
    }
    const issued = report.stalls.selected || 0;
    const slots = report.cycles * report.sub_partitions.length;
    const pieces = ["In ", {strong: format.plural(report.cycles, "cycle")}, " the warps were resident for ",
        `${format.count(report.warp_cycles)} warp-cycles. They issued in `,
        {strong: format.share(issued, report.warp_cycles)}, ", which used ",
        {strong: format.share(report.warp_instructions, slots)}, " of the issue slots. Most of the rest went to "];
    reasons.filter(({stall}) => stall.name !== "selected").slice(0, 3).forEach(({stall, cycles}, index) => {
        pieces.push(index === 0 ? "" : "; ", {strong: `${stall.name} ${format.share(cycles, report.warp_cycles)}`},
            ` (${stall.meaning})`);
    });
    pieces.push(".");
    paragraph(parent, pieces, "story");
    storyOfLines(parent, run);
}

function storyOfLines(parent, run) {
    const {report, lines} = run;
    const [first] = lines;
    const top = lines.slice(0, 3);
    const pieces = ["The most expensive line is ", {strong: first.place}, " ", {code: first.text}, " with ",
        {strong: format.share(first.cycles, report.warp_cycles)}, ` of all warp-cycles (${stallText(first.stalls, 2)})`];
    if (top.length > 1) {
        pieces.push("; then ");
        top.slice(1).forEach((line, index) => {
            pieces.push(index === 0 ? "" : " and ", {strong: line.place}, " ", {code: line.text},
                ` with ${format.share(line.cycles, report.warp_cycles)}`);
        });
    }
    pieces.push(".");
    if (lines.length > top.length) {
        pieces.push(` These ${top.length} of the ${lines.length} lines reached take `
            + `${format.share(d3.sum(top, (line) => line.cycles), report.warp_cycles)} together.`);
    }
    paragraph(parent, pieces, "story");
}

function overviewSection(parent, run) {
    identity(parent, run);
    tiles(parent, run);
}

/** Stall reasons of the SM and of its sub-partitions: one bar each, and the figures. */
function stallSection(parent, run) {
    const {report} = run;
    story(parent, run);
    const parts = report.sub_partitions;
    const longest = d3.max(parts, (part) => part.warp_cycles) || 1;
    table(parent, {
        className: "bars sub-partitions",
        rows: parts,
        columns: [
            {title: "Sub-partition", text: (part) => String(part.sub_partition), value: (part) => part.sub_partition},
            {title: "Warps", text: (part) => format.count(part.warps), value: (part) => part.warps},
            {title: "Instructions", text: (part) => format.count(part.warp_instructions),
                value: (part) => part.warp_instructions},
            {title: "IPC", text: (part) => format.fixed(part.ipc, 3), value: (part) => part.ipc},
            {title: "Warp-cycles", text: (part) => format.count(part.warp_cycles), value: (part) => part.warp_cycles},
            {title: "Stall reasons (length: warp-cycles)", left: true,
                cell: (cell, part) => stallBar(cell, part.stalls, longest)},
        ],
    });
    stallLegend(parent, [report.stalls]);
    table(parent, {
        className: "stalls",
        shown: STALLS.length,
        rows: largestStalls(report.stalls),
        columns: [
            {title: "Reason", left: true, cell: stallName, value: (row) => row.stall.name},
            {title: "Warp-cycles", text: (row) => format.count(row.cycles), value: (row) => row.cycles},
            {title: "Share", text: (row) => format.share(row.cycles, report.warp_cycles), value: (row) => row.cycles},
            ...parts.map((part) => ({
                title: `SP ${part.sub_partition}`,
                text: (row) => format.share(part.stalls[row.stall.name] || 0, part.warp_cycles),
                value: (row) => part.stalls[row.stall.name] || 0,
            })),
            {title: "Meaning", left: true, text: (row) => row.stall.meaning},
        ],
    });
}

/** A stall reason with its colour, as the first cell of a row. */
function stallName(cell, {stall}) {
    add(cell, "span", "swatch").style.background = fillStyle(stall);
    add(cell, "span", "", stall.name);
}
