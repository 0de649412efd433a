// What determined the time of one CTA: the path back from its end, through the barriers that its warps waited for.

function criticalPathSection(parent, run) {
    const path = run.report.critical_path;
    const sum = d3.sum(Object.values(path.stalls)) + path.before;
    const worst = Object.entries(path.stalls).reduce((a, b) => b[1] > a[1] ? b : a);
    const handovers = path.stretches.length + path.stretches_left_out - 1;
    paragraph(parent, ["CTA ", {strong: format.count(path.cta)}, " took ", {strong: format.plural(path.cycles, "cycle")},
        `, from cycle ${format.count(path.begin)} on. Its path spends ${format.share(worst[1], sum)} of them in ${worst[0]}`,
        handovers === 0 ? ", all of it in one warp." : ` and goes from warp to warp ${format.plural(handovers, "time")}.`,
    ], "story");
    subheading(parent, "What took the path's time");
    table(parent, {
        className: "bars path-costs",
        shown: 10,
        rows: path.costs,
        columns: [
            {title: "Reason", left: true, text: (cost) => cost.reason, value: (cost) => cost.reason},
            countColumn("Cycles", "cycles"),
            {title: "Share", text: (cost) => format.share(cost.cycles, path.cycles), value: (cost) => cost.cycles},
            barColumn("Cycles as a bar", (cost) => cost.cycles, path.costs[0].cycles),
            countColumn("Times", "times"),
            {title: "Instruction", left: true, code: true, text: (cost) => instructionAt(run, cost.pc),
                value: (cost) => cost.pc},
            {title: "Line", text: (cost) => cost.line === 0 ? "–" : format.count(cost.line), value: (cost) => cost.line},
            {title: "Waited for", left: true, code: true,
                text: (cost) => cost.producer === null ? "" : instructionAt(run, cost.producer)},
        ],
    });
    subheading(parent, "The warps it goes through");
    table(parent, {
        className: "bars path-stretches",
        shown: 10,
        rows: path.stretches,
        columns: [
            countColumn("From cycle", "begin"),
            countColumn("Warp", "warp"),
            {title: "Cycles", text: (each) => format.count(each.end - each.begin), value: (each) => each.end - each.begin},
            barColumn("Cycles as a bar", (each) => each.end - each.begin, path.cycles),
            {title: "Most of it at", left: true, code: true, text: (each) => instructionAt(run, each.pc)},
            {title: "Then", left: true,
                text: (each) => each.barrier === null ? "the CTA has ended" : `barrier ${each.barrier} is complete`},
        ],
    });
    if (path.stretches_left_out > 0) {
        add(parent, "p", "note", `The report lists the first ${format.count(path.stretches.length)} of them.`);
    }
}

/** "0x0040 LDG R6, [R[6:7]]" */
function instructionAt(run, pc) {
    const found = run.report.instructions.all.find((each) => each.pc === pc);
    return format.address(pc) + (found !== undefined && found.text ? ` ${found.text}` : "");
}
