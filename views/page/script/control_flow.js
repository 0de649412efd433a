// Control flow and synchronisation: branches and where they reconverge, syncs by kind of release, yields and sleeps,
// and CTA barriers with which warp waited for which.

/** The columns that name an instruction. */
const PLACE_COLUMNS = [
    {title: "Line", left: true, text: (row) => row.line !== 0 ? `${format.fileName(row.file)}:${row.line}` : "–",
        value: (row) => row.line},
    {title: "Address", left: true, text: (row) => format.address(row.pc), value: (row) => row.pc},
    {title: "Instruction", left: true, code: true, text: (row) => row.text},
];

function countColumn(title, key, help) {
    return {title, help, text: (row) => format.count(row[key]), value: (row) => row[key]};
}

function divergenceSection(parent, run) {
    const {report} = run;
    const {branch_unit: unit} = report;
    const sums = branchTotals(report);
    paragraph(parent, ["SIMD efficiency ", {strong: format.percent(report.simd_efficiency)}, ": ",
        `${format.count(report.thread_instructions)} lanes executed in ${format.count(report.warp_instructions)} warp `
        + `instructions of ${LANES} lanes. `, {strong: format.plural(sums.diverged, "execution")},
        ` of ${format.count(sums.executions)} of branches split their warp.`]);
    branchTable(parent, unit);
    syncTable(parent, unit);
}

/** What the branch unit and its reconvergence engine did: for readers who study them, not the kernel. */
function engineSection(parent, run) {
    const {branch_unit: unit} = run.report;
    unitFigures(parent, unit);
    measuredTables(parent, unit);
}

function branchTable(parent, unit) {
    subheading(parent, "Branches");
    if (unit.branches.length === 0) {
        add(parent, "p", "note", "No branch was executed.");
        return;
    }
    add(parent, "p", "note", "Reconverged: divergences that a later sync brought together again; the path is what the "
        + "warp issued in between, in warp instructions.");
    table(parent, {
        className: "branches",
        rows: unit.branches.slice().sort((a, b) => b.diverged - a.diverged || b.executions - a.executions),
        columns: [
            ...PLACE_COLUMNS,
            countColumn("Exe\u00adcutions", "executions"),
            countColumn("Taken", "taken", "executions in which some thread jumped"),
            {title: "Lanes that jump", text: (row) => format.share(row.taken_lanes, row.active_lanes),
                value: (row) => ratio(row.taken_lanes, row.active_lanes)},
            countColumn("Di\u00adverged", "diverged", "executions that split the active threads"),
            {title: "Share di\u00adverged", text: (row) => format.share(row.diverged, row.executions),
                value: (row) => ratio(row.diverged, row.executions)},
            countColumn("Recon\u00adverged", "reconverged"),
            {title: "Mean path", text: (row) => row.reconverged ? format.fixed(row.path_mean, 1) : "–",
                value: (row) => row.path_mean},
            countColumn("Longest path", "path_max"),
        ],
    });
}

function syncTable(parent, unit) {
    if (unit.syncs.length === 0) {
        return;
    }
    subheading(parent, "Syncs (BSYNC, WARPSYNC, JOIN, SYNC, BRK, CONT, RET)");
    add(parent, "p", "note", "Switched: the sync did not pass and another path of the warp went on. Releases of a BSYNC "
        + "by kind: all threads had come (complete), or it let go those that were there because of a yield, a sleep, a "
        + "turn of the scheduler, or because all others are blocked.");
    const kinds = Object.keys(unit.syncs[0].releases);
    table(parent, {
        className: "syncs",
        rows: unit.syncs.slice().sort((a, b) => b.executions - a.executions),
        columns: [
            ...PLACE_COLUMNS,
            countColumn("Exe\u00adcutions", "executions"),
            countColumn("Passed", "passed"),
            countColumn("Switched", "switched"),
            ...kinds.map((kind) => ({title: `Release: ${kind}`, text: (row) => format.count(row.releases[kind]),
                value: (row) => row.releases[kind]})),
        ],
    });
}

function unitFigures(parent, unit) {
    subheading(parent, "Yields, sleeps and the branch unit");
    pairs(parent, [
        ["Yields", format.count(unit.yields), "YIELD by all active threads of a diverged warp"],
        ["Yields without effect", format.count(unit.yields_converged), "of a warp that had not diverged"],
        ["Sleeps", format.count(unit.sleeps), "NANOSLEEP with a time above zero"],
        ["Warps asleep", format.count(unit.warp_sleeps), "times that a whole warp went to sleep"],
        ["Wakes", format.count(unit.wakes), "expiries of the sleep timer"],
        ["Parked", format.count(unit.parked), "uses of the parking rule"],
        ["System calls", format.count(unit.syscalls), ""],
        ["Instructions", format.count(unit.instructions), "of the branch unit"],
        ["Busy cycles", format.count(unit.busy_cycles), "initiation intervals summed over its pipelines"],
        ...Object.entries(unit.engine || {}).map(([name, value]) => [name, format.count(value),
            "counter of the reconvergence engine"]),
    ], "branch-unit");
}

/** What the reconvergence engine measures over time, such as the depth of a stack; not every engine does. */
function measuredTables(parent, unit) {
    const {measured} = unit;
    if (!measured) {
        return;
    }
    const total = d3.sum(measured.sizes, (row) => row.warp_cycles);
    const longest = d3.max(measured.sizes, (row) => row.warp_cycles) || 1;
    subheading(parent, `Over time: ${measured.name}`);
    paragraph(parent, [`${measured.meaning}: at most `, {strong: format.count(measured.most)}, ", on average ",
        {strong: format.fixed(measured.mean, 2)}, " over the time of all warps."]);
    table(parent, {
        className: "measured",
        shown: 16,
        rows: measured.sizes,
        columns: [
            {title: "Size", text: (row) => format.count(row.size), value: (row) => row.size,
                help: "64 stands for itself and all above"},
            countColumn("Warp-cycles", "warp_cycles"),
            {title: "Share", text: (row) => format.share(row.warp_cycles, total), value: (row) => row.warp_cycles},
            barColumn("Warp-cycles as a bar", (row) => row.warp_cycles, longest),
        ],
    });
    table(parent, {
        className: "measured-warps",
        shown: 8,
        rows: measured.warps.slice().sort((a, b) => b.most - a.most || b.mean - a.mean),
        columns: [
            countColumn("CTA", "cta"),
            countColumn("Warp in CTA", "warp"),
            countColumn("Most", "most"),
            {title: "Mean", text: (row) => format.fixed(row.mean, 2), value: (row) => row.mean, help: "weighted with time"},
        ],
    });
}

function barrierSection(parent, run) {
    const {barrier_unit: unit, warp_cycles: warpCycles} = run.report;
    if (unit.barriers.length === 0) {
        add(parent, "p", "note", "No warp arrived at a CTA barrier.");
        return;
    }
    const wait = barrierWait(run.report);
    paragraph(parent, [{strong: format.count(wait)}, ` warp-cycles of waiting, ${format.share(wait, warpCycles)} of all. `
        + "Imbalance is the time from the first to the last arrival at a barrier."]);
    table(parent, {
        className: "barriers",
        rows: unit.barriers,
        columns: [
            countColumn("Barrier", "barrier"),
            countColumn("Arrivals", "arrivals", "BAR.SYNC and BAR.RED"),
            countColumn("Without waiting", "arrivals_nonblocking", "BAR.ARV"),
            countColumn("Completions", "completions"),
            countColumn("Reductions", "reductions"),
            countColumn("Wait cycles", "wait_cycles"),
            {title: "Wait per arrival", text: (row) => format.fixed(ratio(row.wait_cycles, row.arrivals), 1),
                value: (row) => ratio(row.wait_cycles, row.arrivals)},
            {title: "Mean imbalance", text: (row) => format.fixed(row.imbalance_mean, 1),
                value: (row) => row.imbalance_mean},
            countColumn("Largest imbalance", "imbalance_max"),
        ],
    });
    barrierWarps(parent, unit);
}

/** Which warps wait and which are waited for. Reports of earlier versions do not have this. */
function barrierWarps(parent, unit) {
    const rows = unit.barriers.flatMap((barrier) => (barrier.warps || []).map((warp) =>
        ({...warp, barrier: barrier.barrier, completions: barrier.completions})));
    if (rows.length === 0) {
        return;
    }
    const longest = d3.max(rows, (row) => row.wait_cycles) || 1;
    const latest = d3.max(rows, (row) => row.last_arrivals) || 1;
    subheading(parent, "Warps at the barriers");
    add(parent, "p", "note", "By number of the warp in its CTA, summed over CTAs. A warp that is often the last one is the "
        + "one that the others wait for.");
    table(parent, {
        className: "barrier-warps",
        shown: 32,
        rows,
        columns: [
            countColumn("Barrier", "barrier"),
            countColumn("Warp in CTA", "warp"),
            countColumn("Arrivals", "arrivals"),
            countColumn("Without waiting", "arrivals_nonblocking"),
            countColumn("Wait cycles", "wait_cycles"),
            barColumn("Wait cycles as a bar", (row) => row.wait_cycles, longest),
            countColumn("Last to arrive", "last_arrivals", "arrivals that completed the barrier"),
            {title: "Of completions", text: (row) => format.share(row.last_arrivals, row.completions),
                value: (row) => ratio(row.last_arrivals, row.completions)},
            barColumn("Last to arrive as a bar", (row) => row.last_arrivals, latest),
        ],
    });
}
