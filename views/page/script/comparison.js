// Several runs side by side: figures, settings, stall reasons, source lines and time, each against a baseline that the
// reader chooses.

function comparison(parent, data, baseline) {
    const {runs} = data;
    const base = runs[baseline];
    section(parent, "comparison-figures", "Headline figures", (part) => figureComparison(part, runs, base));
    section(parent, "comparison-settings", "What was set differently", (part) => settingComparison(part, data));
    section(parent, "comparison-verdict", "Bound by", (part) => verdictComparison(part, runs, base));
    section(parent, "comparison-stalls", "Where the time went", (part) => stallComparison(part, runs, base));
    section(parent, "comparison-utilisation", "Utilisation", (part) => utilisationComparison(part, runs, base));
    section(parent, "comparison-lines", "Hot spots by source line", (part) => lineComparison(part, runs, base));
    section(parent, "comparison-time", "Over time", (part) => timeComparison(part, runs));
    section(parent, "comparison-control-flow", "Control flow", (part) => controlFlowComparison(part, runs, base));
}

/** "4 % slower": the length of the run relative to the baseline. */
function speedText(run, base) {
    const from = base.report.cycles;
    const to = run.report.cycles;
    if (from === to) {
        return "takes the same cycles as";
    }
    return `takes ${format.plural(Math.abs(to - from), "cycle")} ${to > from ? "more" : "fewer"} `
        + `(${format.change(from, to)}) than`;
}

/** A note where the clocks differ, which cycles do not show. */
function clockText(run, base) {
    const [from, to] = [base, run].map((each) => microseconds(each.report));
    return run.report.config.sm.clock_ghz === base.report.config.sm.clock_ghz ? ""
        : ` At their clocks, ${run.report.config.sm.clock_ghz} and ${base.report.config.sm.clock_ghz} GHz, these are `
            + `${format.fixed(to, 3)} and ${format.fixed(from, 3)} microseconds (${format.change(from, to)}).`;
}

/** The reasons whose warp-cycles differ most from those of the baseline. */
function stallChanges(run, base) {
    return STALLS.map((stall) => ({stall,
        change: (run.report.stalls[stall.name] || 0) - (base.report.stalls[stall.name] || 0)}))
        .filter((row) => row.change !== 0)
        .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

function comparisonStory(parent, runs, base) {
    for (const run of runs.filter((each) => each !== base)) {
        const pieces = [{strong: run.label}, ` ${speedText(run, base)} `, {strong: base.label}, ".", clockText(run, base)];
        const changes = stallChanges(run, base).slice(0, 3);
        if (changes.length > 0) {
            pieces.push(" Largest changes in warp-cycles: ", changes.map(({stall, change}) =>
                `${stall.name} ${format.signed(change, format.count)}`).join(", "), ".");
        }
        if (run.report.warp_instructions !== base.report.warp_instructions) {
            pieces.push(` It issues ${format.count(run.report.warp_instructions)} warp instructions against `
                + `${format.count(base.report.warp_instructions)}.`);
        }
        paragraph(parent, pieces, "story");
    }
}

/** Whether two runs did the same work, so that less of something is better. */
function sameKernel(run, other) {
    return run.report.run.kernel === other.report.run.kernel;
}

/** A value and, under any run but the baseline, its change; marked when it is clearly better or worse. */
function figureCell(figure, run, base) {
    return (cell) => {
        const value = figure.value(run.report);
        const from = figure.value(base.report);
        add(cell, "span", "value", figureText(figure, value));
        if (run === base || value === null || from === null) {
            return;
        }
        const change = add(cell, "span", "change", figure.rate ? format.points(from, value) : format.change(from, value));
        // A change too small for any percentage is neither.
        const slight = !figure.rate && Math.abs(value - from) < 0.001 * Math.abs(from);
        if (figure.better && sameKernel(run, base) && change.textContent !== "=" && !slight) {
            const good = (value < from) === (figure.better === "less");
            change.classList.add(good ? "better" : "worse");
            change.title = good ? "better" : "worse";
        }
    };
}

function comparisonLabel(run, base) {
    return run.label + (run === base ? " (baseline)" : "");
}

function figureComparison(parent, runs, base) {
    comparisonStory(parent, runs, base);
    const rows = FIGURES.filter((figure) => runs.some((run) => figure.value(run.report)));
    table(parent, {
        className: "figures",
        shown: FIGURES.length,
        rows,
        columns: [
            {title: "Figure", left: true, text: (figure) => figure.label},
            ...runs.map((run) => ({
                title: comparisonLabel(run, base),
                cell: (cell, figure) => figureCell(figure, run, base)(cell),
            })),
        ],
    });
    add(parent, "p", "note", "Changes are against the baseline; pp are percentage points. "
        + (runs.every((run) => sameKernel(run, base)) ? "▲ marks the better and ▼ the worse, where one is."
            : "Of different kernels, none is better or worse."));
}

function settingComparison(parent, data) {
    const {runs} = data;
    const identity = [
        ["kernel", (run) => run.report.run.kernel],
        ["program", (run) => run.report.run.program],
        ["launch", (run) => run.report.run.launch],
        ["grid", (run) => size(run.report.run.grid)],
        ["block", (run) => size(run.report.run.block)],
        ["dynamic shared memory", (run) => format.count(run.report.run.dynamic_shared)],
        ["status", (run) => run.report.run.status],
        ["smsim", (run) => run.report.smsim],
    ].map(([key, text]) => ({key, values: runs.map(text), meaning: ""}));
    const keys = new Set(runs.flatMap((run) => Array.from(run.config.keys())));
    const settings = Array.from(keys, (key) => ({
        key, meaning: keyMeaning(data, key), values: runs.map((run) => valueText(run.config.get(key))),
    }));
    const rows = [...identity, ...settings].filter((row) => new Set(row.values).size > 1);
    if (rows.length === 0) {
        add(parent, "p", "", "Nothing: kernel, launch and configuration are the same.");
        return;
    }
    table(parent, {
        className: "settings",
        shown: 100,
        rows,
        columns: [
            {title: "Key", left: true, code: true, text: (row) => row.key},
            ...runs.map((run, i) => ({title: run.label, text: (row) => row.values[i]})),
            {title: "Meaning", left: true, text: (row) => row.meaning},
        ],
    });
}

/** What each run spent on control flow, and what its branch unit held while warps were diverged. */
function controlFlowComparison(parent, runs, base) {
    const unitOf = (run) => run.report.branch_unit;
    const measured = (run, member, text) => {
        const {measured: level} = unitOf(run);
        return level ? text(level[member]) : "–";
    };
    add(parent, "p", "note", "Instructions of the branch unit are those that steer: branches, meetings, ends. What the "
        + "reconvergence engine holds (B registers with threads, entries of a stack) is measured for each warp over time.");
    table(parent, {
        className: "control-flow",
        shown: runs.length,
        rows: runs,
        columns: [
            {title: "Run", left: true, text: (run) => comparisonLabel(run, base)},
            {title: "Engine", left: true, code: true, text: (run) => valueText(run.config.get("bru.engine"))},
            {title: "Cycles", text: (run) => format.count(run.report.cycles), value: (run) => run.report.cycles},
            {title: "Warp instruc\u00adtions", text: (run) => format.count(run.report.warp_instructions),
                value: (run) => run.report.warp_instructions},
            {title: "SIMD effi\u00adciency", text: (run) => format.percent(run.report.simd_efficiency),
                value: (run) => run.report.simd_efficiency},
            {title: "Of the branch unit", help: "instructions", text: (run) => format.count(unitOf(run).instructions),
                value: (run) => unitOf(run).instructions},
            {title: "Share", text: (run) => format.share(unitOf(run).instructions, run.report.warp_instructions),
                value: (run) => ratio(unitOf(run).instructions, run.report.warp_instructions)},
            {title: "Di\u00adverged", help: "branches that split their warp",
                text: (run) => format.count(branchTotals(run.report).diverged),
                value: (run) => branchTotals(run.report).diverged},
            {title: "Held", left: true, text: (run) => measured(run, "meaning", (text) => text)},
            {title: "Most", text: (run) => measured(run, "most", format.count)},
            {title: "Mean", text: (run) => measured(run, "mean", (value) => format.fixed(value, 2))},
        ],
    });
}

/** One bar for each run; lengths are to scale, or all equal to show only the mix. */
function stallBars(parent, runs, asMix) {
    const longest = d3.max(runs, (run) => run.report.warp_cycles) || 1;
    table(parent, {
        className: "bars stall-bars",
        shown: runs.length,
        rows: runs,
        columns: [
            {title: "Run", left: true, text: (run) => run.label},
            {title: "Cycles", text: (run) => format.count(run.report.cycles)},
            {title: "Warp-cycles", text: (run) => format.count(run.report.warp_cycles)},
            {title: "Stall reasons", left: true,
                cell: (cell, run) => stallBar(cell, run.report.stalls, asMix ? run.report.warp_cycles || 1 : longest)},
        ],
    });
}

function stallComparison(parent, runs, base) {
    const bars = document.createElement("div");
    choice(parent, "Length of the bars:", [["cycles", "warp-cycles, one scale"], ["mix", "all the same"]], "cycles",
        (value) => {
            bars.textContent = "";
            stallBars(bars, runs, value === "mix");
        });
    parent.appendChild(bars);
    stallBars(bars, runs, false);
    stallLegend(parent, runs.map((run) => run.report.stalls));
    const rows = STALLS.filter((stall) => runs.some((run) => (run.report.stalls[stall.name] || 0) > 0))
        .map((stall) => ({stall, cycles: runs.map((run) => run.report.stalls[stall.name] || 0)}))
        .sort((a, b) => b.cycles[base.index] - a.cycles[base.index]);
    table(parent, {
        className: "stall-changes",
        shown: STALLS.length,
        rows,
        columns: [
            {title: "Reason", left: true, cell: stallName, value: (row) => row.stall.name},
            ...runs.flatMap((run) => cyclesColumns(run, base)),
        ],
    });
}

/** Warp-cycles of a run and, except for the baseline, their difference. */
function cyclesColumns(run, base) {
    const own = {title: run.label, text: (row) => format.count(row.cycles[run.index]),
        value: (row) => row.cycles[run.index]};
    const change = (row) => row.cycles[run.index] - row.cycles[base.index];
    return run === base ? [own] : [own, {title: `${run.letter}\u00a0−\u00a0${base.letter}`,
        cell: (cell, row) => changeBar(cell, change(row)), value: change}];
}

function changeBar(cell, change) {
    cell.textContent = format.signed(change, format.count);
    cell.className = change > 0 ? "grown" : change < 0 ? "shrunk" : "";
}

/** The texts of the lines that a place names: one, unless two files have the same name. */
function textsByPlace(run) {
    const texts = new Map();
    for (const line of run.lines) {
        texts.set(line.place, (texts.get(line.place) || new Set()).add(line.text));
    }
    return texts;
}

/** The file with the most warp-cycles: the kernel's, rather than a header. */
function mainFile(run) {
    const cycles = new Map();
    for (const line of run.lines) {
        const [file] = line.place.split(":");
        cycles.set(file, (cycles.get(file) || 0) + line.cycles);
    }
    const names = Array.from(cycles.keys());
    return names.sort((a, b) => cycles.get(b) - cycles.get(a))[0];
}

/**
 * Why the lines of two runs are not compared, or null: kernels differ, the sources do (one compiled from CUDA C, the
 * other from its PTX, whose lines have nothing in common), or the text of a line differs.
 */
function linesDiffer(run, other) {
    if (!sameKernel(run, other)) {
        return "of different programs";
    }
    const sources = [mainFile(other), mainFile(run)];
    if (sources[0] !== sources[1]) {
        return `of different sources (${sources.join(" and ")})`;
    }
    const texts = textsByPlace(other);
    return run.lines.every((line) => !texts.has(line.place) || texts.get(line.place).has(line.text)) ? null
        : "of different programs";
}

/** The lines of all runs, each with its warp-cycles by run. */
function commonLines(runs) {
    const rows = new Map();
    for (const run of runs) {
        for (const line of run.lines) {
            const key = line.place + "\n" + line.text;
            const row = rows.get(key) || {place: line.place, text: line.text, cycles: runs.map(() => 0)};
            row.cycles[run.index] += line.cycles;
            rows.set(key, row);
        }
    }
    return Array.from(rows.values());
}

function lineComparison(parent, runs, base) {
    const reason = runs.map((run) => linesDiffer(run, base)).find((text) => text !== null);
    if (reason !== undefined) {
        add(parent, "p", "note", `The runs are ${reason}; their lines are not compared.`);
        return;
    }
    const rows = commonLines(runs);
    const change = (row) => d3.max(row.cycles, (cycles) => Math.abs(cycles - row.cycles[base.index]));
    rows.sort((a, b) => change(b) - change(a) || b.cycles[base.index] - a.cycles[base.index]);
    add(parent, "p", "note", "Warp-cycles, the lines that differ most first.");
    table(parent, {
        className: "line-changes",
        rows,
        columns: [
            {title: "Line", left: true, text: (row) => row.place, value: (row) => row.place},
            {title: "Source", left: true, code: true, text: (row) => row.text},
            ...runs.flatMap((run) => cyclesColumns(run, base)),
        ],
    });
}

function timeComparison(parent, runs) {
    const timed = runs.filter((run) => run.report.over_time !== undefined);
    if (timed.length < runs.length) {
        add(parent, "p", "note", NO_INTERVALS);
    }
    if (timed.length === 0) {
        return;
    }
    const cycles = d3.max(timed, (run) => run.report.cycles);
    const series = timed.map((run) => ({run, intervals: intervalsOf(run.report, null)}));
    const lines = (value) => series.map(({run, intervals}) => ({
        label: run.label, intervals, value, style: runStyle(run.index),
    }));
    lineChart(parent, {title: "IPC", cycles, text: IPC_TEXT, note: "", lines: lines((interval) => interval.ipc)});
    lineChart(parent, {title: "Resident warps", cycles, text: WARPS_TEXT, note: "",
        lines: lines((interval) => interval.warps)});
    lineChart(parent, {title: "SIMD efficiency", cycles, text: SIMD_TEXT, top: 1, note: "", height: 100,
        lines: lines(simdOf)});
}
