// What happened when: IPC, resident warps with their stall reasons, and SIMD efficiency over the cycles of the launch.

const NO_INTERVALS = "This report has no counters over time; it was written by an earlier smsim.";

const IPC_TEXT = {value: (value) => format.fixed(value, 2), axis: null};
const WARPS_TEXT = {value: (value) => format.fixed(value, 1), axis: format.axis};
const SIMD_TEXT = {value: format.percent, axis: (value) => format.percent(value, 0)};

/** SIMD efficiency of an interval; none without an issue. */
function simdOf(interval) {
    return interval.instructions > 0 ? interval.simd : null;
}

function timeSection(parent, run) {
    const {report} = run;
    if (report.over_time === undefined) {
        add(parent, "p", "note", NO_INTERVALS);
        return;
    }
    const width = format.plural(report.over_time.interval_cycles, "cycle");
    add(parent, "p", "note", `${format.plural(report.over_time.intervals, "interval")} of ${width}; each figure is the sum `
        + "or the mean over its interval.");
    const options = [["all", "whole SM"],
        ...report.over_time.sub_partitions.map((part, i) => [String(i), `sub-partition ${part.sub_partition}`])];
    const charts = document.createElement("div");
    choice(parent, "Shown:", options, "all", (value) => {
        charts.textContent = "";
        timeCharts(charts, report, value === "all" ? null : Number(value));
    });
    parent.appendChild(charts);
    timeCharts(charts, report, null);
    folded(parent, "The figures as a table", (details) => timeTable(details, report));
}

function timeCharts(parent, report, part) {
    const intervals = intervalsOf(report, part);
    const {cycles} = report;
    const [line] = RUN_STYLES;
    const peak = part === null ? report.sub_partitions.length : 1;
    const instructions = d3.sum(intervals, (interval) => interval.instructions);
    lineChart(parent, {
        title: "IPC", cycles, text: IPC_TEXT,
        note: `mean ${format.fixed(ratio(instructions, cycles), 2)} of at most ${peak}; `,
        lines: [{label: "IPC", intervals, value: (interval) => interval.ipc, style: line}],
    });
    stallChart(parent, {
        title: "Resident warps by what they do", cycles, intervals,
        note: "height of a colour: warps in that state on average; "
            + extremes(intervals, (interval) => interval.warps, (value) => format.fixed(value, 1) + " warps"),
    });
    lineChart(parent, {
        title: "SIMD efficiency", cycles, text: SIMD_TEXT, top: 1, height: 90,
        note: "executed lanes of the 32 of each issue; intervals without an issue are left out; ",
        lines: [{label: "SIMD efficiency", intervals, value: simdOf, style: line}],
    });
}

function timeTable(parent, report) {
    table(parent, {
        className: "intervals",
        shown: 300,
        rows: intervalsOf(report, null),
        columns: [
            {title: "From cycle", text: (row) => format.count(row.begin), value: (row) => row.begin},
            {title: "Warp instructions", text: (row) => format.count(row.instructions), value: (row) => row.instructions},
            {title: "Thread instructions", text: (row) => format.count(row.threads), value: (row) => row.threads},
            {title: "IPC", text: (row) => format.fixed(row.ipc, 3), value: (row) => row.ipc},
            {title: "SIMD efficiency", text: (row) => format.percent(row.simd), value: (row) => row.simd},
            {title: "Resident warps", text: (row) => format.fixed(row.warps, 2), value: (row) => row.warps},
            {title: "Warp-cycles", text: (row) => format.count(row.warpCycles), value: (row) => row.warpCycles},
            {title: "Stall reasons, most first", left: true, text: (row) => stallText(row.stalls, 3)},
        ],
    });
}
