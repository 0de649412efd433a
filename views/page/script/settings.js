// What was checked and what was set: checks of the launch, hazards, accesses outside buffers, and the configuration against its defaults.

function checkSection(parent, run) {
    const {checks, hazards} = run.report;
    if (checks.length === 0) {
        add(parent, "p", "note", run.report.run.status !== "completed"
            ? "Nothing was compared: the launch has not completed, and memory is whatever it was."
            : "The launch file asked for no comparison.");
    } else {
        table(parent, {
            className: "checks",
            rows: checks,
            columns: [
                {title: "Buffer", left: true, text: (row) => row.buffer},
                {title: "Result", left: true, text: (row) => row.passed ? "passed" : "FAILED"},
                countColumn("Compared", "compared"),
                countColumn("Mismatches", "mismatches"),
                {title: "First mismatches", left: true, text: (row) => row.first
                    .map((each) => `[${each.index}] is ${each.got}, expected ${each.expected}`).join("; ") || "–"},
            ],
        });
    }
    hazardTable(parent, run);
    outsideTable(parent, run.report.memory_check);
}

/** Accesses outside every buffer; reports from before they were counted have no entry. */
function outsideTable(parent, outside) {
    if (outside === undefined || outside.mode === "strict") {
        return;
    }
    if (outside.list.length === 0) {
        add(parent, "p", "note", outside.mode === "off"
            ? "Accesses outside every buffer were allowed and not counted (--memory-check off)."
            : "No access was outside every buffer.");
        return;
    }
    subheading(parent, "Accesses outside every buffer");
    add(parent, "p", "note", `${format.count(outside.count)} accesses of threads, all performed.`);
    table(parent, {
        className: "outside",
        rows: outside.list,
        columns: [
            {title: "Line", left: true, text: (row) => row.instruction.file
                ? `${format.fileName(row.instruction.file)}:${row.instruction.line}`
                : format.address(row.instruction.pc)},
            {title: "Instruction", left: true, code: true, text: (row) => row.instruction.text},
            countColumn("Times", "count"),
            countColumn("First in cycle", "cycle"),
            {title: "By warp", left: true, text: (row) => `${row.cta}.${row.warp}, thread ${row.thread}`},
            {title: "Address", text: (row) => "0x" + row.address.toString(16)},
            {title: "Where", left: true, text: (row) => row.distance < 0
                ? `${format.plural(-row.distance, "byte")} before the start of ${row.buffer}`
                : `${format.plural(row.distance, "byte")} past the end of ${row.buffer}`},
        ],
    });
}

function hazardTable(parent, run) {
    const {hazards} = run.report;
    if (hazards.list.length === 0) {
        add(parent, "p", "note", !hazardsChecked(run.report) ? "The hazard checker was off (sm.hazard_check=true turns it on)."
            : hazards.count === 0 ? "The hazard checker found nothing."
            : `${format.plural(hazards.count, "hazard")}; none was recorded in detail.`);
        return;
    }
    subheading(parent, "Hazards");
    const place = (end) => (cell, row) => {
        add(cell, "span", "", format.address(row[end].pc) + " ");
        add(cell, "code", "", row[end].text);
    };
    table(parent, {
        className: "hazards",
        rows: hazards.list,
        columns: [
            {title: "Kind", left: true, text: (row) => row.kind.replace(/_/g, " ")},
            {title: "Register", left: true, text: (row) => row.register},
            countColumn("Times", "count"),
            countColumn("First in cycle", "cycle"),
            {title: "Too early by", text: (row) => row.value !== undefined ? `${row.value} acts as ${row.acts_as}`
                : row.missing_cycles ? format.plural(row.missing_cycles, "cycle") : "no scoreboard"},
            {title: "In flight", left: true, cell: place("first")},
            {title: "Came too early", left: true, cell: place("second")},
        ],
    });
}

/** Keys whose value is not the default. */
function changedKeys(data, run) {
    return Array.from(run.config.keys())
        .filter((key) => valueText(run.config.get(key)) !== valueText(data.defaultConfig.get(key)));
}

function keyMeaning(data, key) {
    const known = data.keys[key];
    return known === undefined ? "" : known.meaning + (known.unit === "" ? "" : ` [${known.unit}]`);
}

function keyColumns(data, run) {
    return [
        {title: "Key", left: true, code: true, text: (key) => key, value: (key) => key},
        {title: "Value", text: (key) => valueText(run.config.get(key))},
        {title: "Default", text: (key) => valueText(data.defaultConfig.get(key))},
        {title: "Meaning", left: true, text: (key) => keyMeaning(data, key)},
    ];
}

function configurationSection(parent, run, data) {
    const changed = changedKeys(data, run);
    if (changed.length === 0) {
        add(parent, "p", "", "Every key has its default value.");
    } else {
        add(parent, "p", "", `${format.plural(changed.length, "key")} of ${run.config.size} `
            + `${changed.length === 1 ? "differs" : "differ"} from the default:`);
        table(parent, {className: "changed-keys", shown: 60, rows: changed, columns: keyColumns(data, run)});
    }
    folded(parent, `All ${run.config.size} keys`, (details) => {
        table(details, {className: "all-keys", shown: 500, rows: Array.from(run.config.keys()),
            columns: keyColumns(data, run)});
    });
}
