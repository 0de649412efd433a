// What the launch seems to be bound by: the verdict of the report, with its reasons and what would confirm it.

const CERTAINTIES = {
    clear: "It stands out clearly.",
    likely: "It is the most probable of several.",
    open: "Nothing stands out.",
};

function verdictSection(parent, run) {
    const {verdict} = run.report;
    if (verdict === undefined) {
        add(parent, "p", "note", "This report has no verdict; it was written by an earlier smsim.");
    } else {
        verdictOf(parent, run, verdict);
    }
    if (run.whatIf !== undefined) {
        experiment(parent, run);
    }
}

function verdictOf(parent, run, verdict) {
    if (verdict.candidates.length === 0) {
        add(parent, "p", "note", "Nothing that the launch did takes a noticeable part of its time.");
        return;
    }
    const [first] = verdict.candidates;
    paragraph(parent, ["The launch seems to be bound by ", {strong: first.relief},
        `: ${first.evidence}. ${CERTAINTIES[verdict.certainty] || ""}`], "story");
    table(parent, {
        className: "bars verdict",
        shown: 5,
        rows: verdict.candidates,
        columns: [
            {title: "Candidate", left: true, text: (each) => each.relief, value: (each) => each.relief},
            {title: "Score", text: (each) => format.fixed(each.score, 2), value: (each) => each.score,
                help: "the share of the time that it seems to hold"},
            barColumn("Score as a bar", (each) => each.score, 1),
            {title: "Seen from", left: true, text: (each) => each.evidence},
            {title: "An experiment", left: true, text: (each) => each.meaning || "–"},
            {title: "Settings", left: true, code: true, text: (each) => each.settings.join(" ")},
        ],
    });
    scatteredAccesses(parent, verdict.scattered || []); // older reports have none
    if (run.whatIf === undefined) {
        paragraph(parent, ["A score is a guess from counters. ", {code: `smsim run --what-if ${run.report.run.launch}`},
            " runs the launch with each of these, and ranks what they gain."], "note");
    }
}

/** Accesses to global memory that touch more sectors than they would coalesced. */
function scatteredAccesses(parent, scattered) {
    if (scattered.length === 0) {
        return;
    }
    paragraph(parent, ["The accesses below are scattered: a request, which is the access of a warp, touches more sectors than "
        + "would hold what its threads ask for. Neighbouring threads that access neighbouring words need fewer."], "note");
    table(parent, {
        className: "scattered",
        rows: scattered,
        columns: [
            {title: "Line", left: true, text: (each) => each.line === 0 ? format.address(each.pc)
                : `${format.fileName(each.file)}:${each.line}`, value: (each) => each.pc},
            {title: "Sectors per request", text: (each) => format.fixed(each.sectors_per_request, 1),
                value: (each) => each.sectors_per_request},
            {title: "Would do", text: (each) => format.fixed(each.sectors_needed, 1), value: (each) => each.sectors_needed},
            {title: "Beyond need", text: (each) => format.percent(each.share), value: (each) => each.share,
                help: "of all sectors of the launch"},
        ],
    });
}

/** A relief that changes the cycles by less is not significant. */
const SHOWN_GAIN = 0.005;

/** What `smsim run --what-if` has found: each relief with its gain. */
function experiment(parent, run) {
    const {cycles, reliefs} = run.whatIf;
    subheading(parent, "What if");
    if (cycles !== run.report.cycles) {
        add(parent, "p", "note", `The experiment beside this report is of another run, of ${format.count(cycles)} cycles.`);
    }
    const gains = (each) => each.speedup === null || Math.abs(each.speedup - 1) >= SHOWN_GAIN;
    const rows = reliefs.filter(gains);
    const others = reliefs.length - rows.length;
    const slight = `${format.plural(others, "relief")} ${others === 1 ? "changes" : "change"} the cycles by less than `
        + `${100 * SHOWN_GAIN} %.`;
    add(parent, "p", "note", "The launch was run again with one thing made cheaper at a time. " + (others > 0 ? slight : "")
        + (rows.some((each) => each.changes_results)
            ? " * as no machine does: the results are then not those of the program." : ""));
    if (rows.length === 0) {
        return;
    }
    const most = d3.max(rows, (each) => each.speedup) || 1;
    table(parent, {
        className: "bars what-if",
        shown: 12,
        rows,
        columns: [
            {title: "Relief", left: true, text: (each) => each.relief + (each.changes_results ? " *" : ""),
                value: (each) => each.relief},
            {title: "Cycles", text: (each) => each.cycles === null ? each.status : format.count(each.cycles),
                value: (each) => each.cycles || 0},
            {title: "Speedup", text: (each) => each.speedup === null ? "–" : format.fixed(each.speedup, 3),
                value: (each) => each.speedup || 0, help: "cycles of the launch by those with the relief"},
            barColumn("Speedup as a bar", (each) => each.speedup || 0, most),
            {title: "What is given away", left: true, text: (each) => each.meaning},
            {title: "Settings", left: true, code: true, text: (each) => each.settings.join(" ")},
        ],
    });
}
