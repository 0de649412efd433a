// The reports as the page uses them: what is computed from the JSON once, before anything is drawn.

/** Threads of a warp. */
const LANES = 32;

/** Adds the stall cycles of `part` to `sum`. */
function addStalls(sum, part) {
    for (const [reason, cycles] of Object.entries(part)) {
        sum[reason] = (sum[reason] || 0) + cycles;
    }
    return sum;
}

/** "A", "B" .. "Z", "AA" and so on. */
function letterOf(index) {
    const last = String.fromCharCode(65 + index % 26);
    return index < 26 ? last : letterOf(Math.floor(index / 26) - 1) + last;
}

/** Combines the instructions of each source line, most warp-cycles first; an instruction without a line stays separate. */
function sourceLines(instructions) {
    const lines = new Map();
    for (const instruction of instructions) {
        const known = instruction.line !== 0;
        const key = known ? instruction.file + ":" + instruction.line : "@" + instruction.pc;
        if (!lines.has(key)) {
            lines.set(key, {
                key,
                place: known ? format.fileName(instruction.file) + ":" + instruction.line
                    : format.address(instruction.pc),
                text: (known ? instruction.source : instruction.text).trim().replace(/\s+/g, " "),
                issues: 0, active: 0, executed: 0, cycles: 0, stalls: {}, instructions: [],
                memory: {accesses: 0, transactions: 0, sectors: 0, shared_passes: 0, conflicts: 0, l1_hits: 0},
            });
        }
        const line = lines.get(key);
        line.issues += instruction.issues;
        line.active += instruction.active_lanes;
        line.executed += instruction.executed_lanes;
        line.cycles += instruction.warp_cycles;
        addStalls(line.stalls, instruction.stalls);
        if (instruction.memory !== undefined) {
            const {memory} = instruction;
            for (const key of ["accesses", "transactions", "sectors", "shared_passes", "l1_hits"]) {
                line.memory[key] += memory[key];
            }
            line.memory.conflicts += memory.bank_conflicts === undefined // older reports have none
                ? Math.max(memory.shared_passes - memory.accesses, 0) : memory.bank_conflicts;
        }
        line.instructions.push(instruction);
    }
    return Array.from(lines.values()).sort((a, b) => b.cycles - a.cycles);
}

/** The series of one sub-partition, or of all (`part` null), as a list of intervals. */
function intervalsOf(report, part) {
    const counters = report.over_time;
    const parts = part === null ? counters.sub_partitions : [counters.sub_partitions[part]];
    return d3.range(counters.intervals).map((i) => {
        const begin = i * counters.interval_cycles;
        const end = Math.min(begin + counters.interval_cycles, report.cycles);
        const interval = {begin, end, cycles: end - begin, instructions: 0, threads: 0, stalls: {}, warpCycles: 0};
        for (const series of parts) {
            interval.instructions += series.warp_instructions[i];
            interval.threads += series.thread_instructions[i];
            for (const [reason, values] of Object.entries(series.stalls)) {
                interval.stalls[reason] = (interval.stalls[reason] || 0) + values[i];
                interval.warpCycles += values[i];
            }
        }
        interval.ipc = ratio(interval.instructions, interval.cycles);
        interval.warps = ratio(interval.warpCycles, interval.cycles);
        interval.simd = ratio(interval.threads, LANES * interval.instructions);
        return interval;
    });
}

/** {"sm": {"warps": 4}} -> Map of "sm.warps" to 4. */
function flatten(object, prefix = "", into = new Map()) {
    for (const [key, value] of Object.entries(object)) {
        if (value !== null && typeof value === "object" && !Array.isArray(value)) {
            flatten(value, prefix + key + ".", into);
        } else {
            into.set(prefix + key, value);
        }
    }
    return into;
}

/** Configuration values are scalars or lists; they are equal when their texts are. */
function valueText(value) {
    return value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value);
}

/** Shortest ends of the paths that still distinguish them. */
function shortNames(names) {
    const pieces = names.map((name) => name.replace(/\/report\.json$/, "").split("/").filter((part) => part !== ""));
    for (let length = 1; length <= d3.max(pieces, (parts) => parts.length); ++length) {
        const ends = pieces.map((parts) => parts.slice(-length).join("/"));
        if (new Set(ends).size === ends.length) {
            return ends;
        }
    }
    return names;
}

/** Everything in the page's data element. */
function readData() {
    const data = JSON.parse(document.getElementById("data").textContent);
    const labels = shortNames(data.reports.map((entry) => entry.name));
    const several = data.reports.length > 1;
    data.runs = data.reports.map(({name, report, what_if: whatIf}, index) => ({
        index,
        name,
        report,
        whatIf,
        id: "run-" + letterOf(index).toLowerCase(),
        label: several ? letterOf(index) + " " + labels[index] : labels[index],
        letter: letterOf(index),
        lines: sourceLines(report.instructions.all),
        config: flatten(report.config),
    }));
    data.defaultConfig = flatten(data.defaults);
    return data;
}
