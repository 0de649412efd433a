// Memory: the load/store unit, shared memory with its bank conflicts, L1 and global memory; instruction fetch; units.

function memorySection(parent, run) {
    const {memory} = run.report;
    bankConflicts(parent, memory.shared);
    subheading(parent, "L1 and global memory");
    const {l1, global, load_store: unit} = memory;
    pairs(parent, [
        ...l1.sector_hits === undefined ? [] : [ // older reports have none
            ["L1 sector hits", format.count(l1.sector_hits), `${format.percent(l1.hit_rate)} of the sectors that reads asked `
                + "for: present, or already on their way"],
            ["L1 sector misses", format.count(l1.sector_misses), "fetched for the read that asked for them"],
        ],
        ["L1 hits", format.count(l1.hits), "reads that the L1 answered from what it held"],
        ["L1 misses", format.count(l1.misses), "reads of the memory behind it"],
        ["Merged misses", format.count(l1.mshr_merges), "reads that joined a miss already on its way"],
        ["Coalescing", format.percent(unit.coalescing), `${format.count(unit.requested_global_bytes)} bytes asked for, `
            + `${format.count(unit.moved_global_bytes)} moved`],
        ["Misses of LDC", format.count(unit.constant_misses), "lines that its cache of constants did not have"],
        ["Transactions", format.count(unit.transactions_global), "of the load/store unit, global and local"],
        ["Reads", format.count(global.reads), `${format.count(global.read_bytes)} bytes from global memory`],
        ["Writes", format.count(global.writes), `${format.count(global.write_bytes)} bytes to global memory`],
        ["Atomics", format.count(global.atomics), "performed in global memory"],
        ["Busy cycles", format.count(global.busy_cycles), `${format.share(global.busy_cycles, run.report.cycles)} of the `
            + "launch the memory's bandwidth was in use"],
    ], "global");
    accessLines(parent, run);
    instructionMix(parent, run.report);
    subheading(parent, "Instruction fetch");
    const {fetch} = run.report;
    pairs(parent, [
        ["Fetches", format.count(fetch.fetches), ""],
        ["L0 hits", format.count(fetch.l0_hits), format.percent(fetch.l0_hit_rate)],
        ["L0 misses", format.count(fetch.l0_misses), ""],
        ["Discarded", format.count(fetch.discarded), "fetched, then dropped because the warp jumped"],
        ...fetch.l1_hits === undefined ? [] : [ // older reports have none
            ["Lines from the L1", format.count(fetch.l1_hits), `${format.percent(fetch.l1_hit_rate)} of those asked for`],
            ["Lines from behind it", format.count(fetch.l1_misses), ""],
            ["Fetched ahead", format.count(fetch.prefetches), `${format.count(fetch.prefetches_used)} lines used, `
                + `${format.count(fetch.prefetches_unused)} dropped without a use`],
        ],
    ], "fetch");
    fetchCauses(parent, run.report);
}

/** The source lines that access memory: what they cost there. */
function accessLines(parent, run) {
    const rows = run.lines.filter((line) => line.memory.accesses > 0)
        .sort((a, b) => b.memory.transactions - a.memory.transactions);
    if (rows.length === 0) {
        return;
    }
    subheading(parent, "Accesses by source line");
    const column = (title, key, help) => ({title, help, text: (line) => format.count(line.memory[key]),
        value: (line) => line.memory[key]});
    table(parent, {
        className: "accesses",
        shown: 12,
        rows,
        columns: [
            {title: "Line", left: true, cell: (cell, line) => add(cell, "span", "", line.place)},
            {title: "Source", left: true, code: true, text: (line) => line.text},
            column("Accesses", "accesses", "of warps"),
            column("Transactions", "transactions"),
            {title: "Each", text: (line) => format.fixed(ratio(line.memory.transactions, line.memory.accesses), 2),
                value: (line) => ratio(line.memory.transactions, line.memory.accesses), help: "transactions per access"},
            column("Sectors", "sectors", "of global memory, that the transactions touch"),
            column("Passes", "shared_passes", "of the banks of shared memory"),
            column("Conflicts", "conflicts", "passes due to bank conflicts"),
            column("L1 hits", "l1_hits", "accesses that the L1 answered wholly"),
        ],
    });
}

/** What a warp waits for whose next instruction is not there, by the names of the report. */
const FETCH_CAUSES = {
    fetch: "its turn of the fetch, the fetch from L0, decoding",
    redirect: "the same, for the first instruction behind a jump",
    l1_request: "the L1 to take the request for its line",
    l1: "a line that the L1 serves",
    behind_l1: "a line that the level behind the L1 serves",
    stream: "a line that was fetched ahead and is on its way",
};

function fetchCauses(parent, report) {
    const causes = report.no_instruction || {}; // older reports have none
    const whole = report.stalls.no_instruction;
    const rows = Object.keys(FETCH_CAUSES).filter((name) => causes[name] > 0)
        .map((name) => [name, format.count(causes[name]), `${format.share(causes[name], whole)}: ${FETCH_CAUSES[name]}`]);
    if (rows.length > 0) {
        add(parent, "p", "note", `The ${format.count(whole)} warp-cycles of no_instruction by what the warps waited for:`);
        pairs(parent, rows, "causes");
    }
}

function bankConflicts(parent, shared) {
    subheading(parent, "Shared memory and bank conflicts");
    if (shared.accesses === 0) {
        add(parent, "p", "note", "Shared memory was not accessed.");
        return;
    }
    paragraph(parent, [{strong: format.count(shared.accesses)}, " accesses of warps took ",
        {strong: format.count(shared.passes)}, ` passes, ${format.fixed(ratio(shared.passes, shared.accesses), 2)} each; `
        + `${format.count(shared.conflict_passes)} passes are due to conflicts. ${format.count(shared.atomics)} atomics, `
        + `${format.count(shared.read_bytes)} bytes read, ${format.count(shared.write_bytes)} written.`]);
    const rows = shared.passes_histogram.map((accesses, passes) => ({passes, accesses}))
        .filter((row) => row.accesses > 0);
    const most = d3.max(rows, (row) => row.accesses);
    table(parent, {
        className: "conflicts",
        shown: 33,
        rows,
        columns: [
            countColumn("Passes", "passes", "bank passes that one access took: 1, without conflicts 2 and 4 where each "
                + "thread has 8 and 16 bytes of its own"),
            countColumn("Accesses", "accesses"),
            {title: "Share", text: (row) => format.share(row.accesses, shared.accesses), value: (row) => row.accesses},
            barColumn("Accesses as a bar", (row) => row.accesses, most),
        ],
    });
}

/** Instructions by unit, and those of the load/store unit by operation. */
function instructionMix(parent, report) {
    subheading(parent, "Instructions by unit and operation");
    const byUnit = Object.entries(report.instructions.by_unit).filter(([, count]) => count > 0);
    const byOperation = Object.entries(report.memory.load_store.instructions);
    const rows = [
        ...byUnit.map(([name, count]) => ({kind: "unit", name, count})),
        ...byOperation.map(([name, count]) => ({kind: "load/store", name, count})),
    ].sort((a, b) => d3.descending(a.kind, b.kind) || b.count - a.count);
    const most = d3.max(rows, (row) => row.count) || 1;
    table(parent, {
        className: "mix",
        shown: 40,
        rows,
        columns: [
            {title: "Kind", left: true, text: (row) => row.kind},
            {title: "Name", left: true, text: (row) => row.name, value: (row) => row.name},
            countColumn("Instructions", "count"),
            {title: "Share", text: (row) => format.share(row.count, report.warp_instructions), value: (row) => row.count},
            barColumn("Instructions as a bar", (row) => row.count, most),
        ],
    });
}
