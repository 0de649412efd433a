// What the launch seems to be bound by: the verdict of the report, with its reasons and what would tell for certain.

const CERTAINTIES = {
    clear: "It stands out clearly.",
    likely: "It is the most probable of several.",
    open: "Nothing stands out.",
};

function verdictSection(parent, run) {
    const {verdict} = run.report;
    if (verdict === undefined) {
        add(parent, "p", "note", "This report has no verdict; it was written by an earlier smsim.");
        return;
    }
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
    paragraph(parent, ["A score is a guess from counters. ", {code: `smsim run --what-if ${run.report.run.launch}`},
        " runs the launch with each of these, and ranks what they gain."], "note");
}
