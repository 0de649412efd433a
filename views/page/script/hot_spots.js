// Where in the program the warps spent their time: source lines, each with its instructions.

/** The columns that lines and instructions share, from the fourth on. */
function hotSpotFigures(report, row) {
    return [
        format.count(row.issues),
        format.fixed(ratio(row.active, row.issues), 1),
        format.percent(ratio(row.executed, LANES * row.issues)),
    ];
}

function instructionRow(report, longest, instruction) {
    return (line) => {
        const row = {issues: instruction.issues, active: instruction.active_lanes, executed: instruction.executed_lanes};
        add(line, "td", "left", format.address(instruction.pc));
        add(line, "td", "left code", instruction.text);
        add(line, "td", "", format.count(instruction.warp_cycles));
        add(line, "td", "", format.share(instruction.warp_cycles, report.warp_cycles));
        hotSpotFigures(report, row).forEach((text) => add(line, "td", "", text));
        const cell = add(line, "td", "left");
        namedBar(cell, instruction.stalls, longest, 2);
        waitsFor(cell, report, instruction);
    };
}

/** Whose results an instruction has waited for, and at which scoreboard. */
function waitsFor(parent, report, instruction) {
    const waits = instruction.waits_for || [];
    if (waits.length === 0) {
        return;
    }
    const whole = d3.sum(waits, (each) => each.warp_cycles);
    const texts = new Map(report.instructions.all.map((each) => [each.pc, each.text]));
    add(parent, "div", "note waits", "waits for " + waits.slice(0, 3).map((each) =>
        `${format.address(each.producer)} ${(texts.get(each.producer) || "").split(" ")[0]} (SB${each.scoreboard}, `
        + `${format.share(each.warp_cycles, whole)})`).join(", "));
}

function hotSpotSection(parent, run) {
    const {report, lines} = run;
    if (lines.length === 0) {
        add(parent, "p", "note", "No instruction was reached.");
        return;
    }
    add(parent, "p", "note", "Warp-cycles are charged to the instruction that waits; those of branches, barriers and "
        + "sleeping to the one that causes them. Active lanes below 32 show divergence; SIMD efficiency counts also the "
        + "lanes that a predicate switched off. The arrow opens the instructions of a line.");
    const longest = lines[0].cycles || 1;
    table(parent, {
        className: "bars hot-spots",
        rows: lines,
        more: (line) => line.instructions.map((instruction) => instructionRow(report, longest, instruction)),
        columns: [
            {title: "Line", left: true, cell: (cell, line) => add(cell, "span", "", line.place)},
            {title: "Source", left: true, code: true, text: (line) => line.text},
            {title: "Warp-cycles", text: (line) => format.count(line.cycles), value: (line) => line.cycles},
            {title: "Share", text: (line) => format.share(line.cycles, report.warp_cycles), value: (line) => line.cycles},
            {title: "Issues", text: (line) => hotSpotFigures(report, line)[0], value: (line) => line.issues},
            {title: "Active lanes", text: (line) => hotSpotFigures(report, line)[1], help: "per issue, of 32",
                value: (line) => ratio(line.active, line.issues)},
            {title: "SIMD", text: (line) => hotSpotFigures(report, line)[2], help: "SIMD efficiency",
                value: (line) => ratio(line.executed, line.issues)},
            {title: "Stall reasons (length: warp-cycles)", left: true,
                cell: (cell, line) => namedBar(cell, line.stalls, longest, 2)},
        ],
    });
    stallLegend(parent, [report.stalls]);
}
