// What several runs seem to be bound by, and how much of each unit they used, side by side.

/** The candidates of a run's verdict; a report of an earlier smsim has none. */
function candidatesOf(run) {
    return run.report.verdict === undefined ? [] : run.report.verdict.candidates;
}

function verdictText(run) {
    const [first] = candidatesOf(run);
    return first !== undefined ? first.relief : run.report.verdict === undefined ? "no verdict in this report"
        : "nothing that stands out";
}

function verdictComparison(parent, runs, base) {
    if (runs.every((run) => candidatesOf(run).length === 0)) {
        add(parent, "p", "note", runs.every((run) => run.report.verdict === undefined)
            ? "None of the reports has a verdict; they were written by an earlier smsim." : "Nothing stands out in any of the runs.");
        return;
    }
    const texts = new Set(runs.map(verdictText));
    paragraph(parent, texts.size === 1 ? ["All of the runs seem to be bound by the same: ", {strong: verdictText(base)}, "."]
        : ["What bounds the runs differs: ", ...runs.flatMap((run, i) =>
            [i === 0 ? "" : "; ", `${run.letter} `, {strong: verdictText(run)}]), "."], "story");
    table(parent, {
        className: "bars verdicts",
        shown: runs.length,
        rows: runs,
        columns: [
            {title: "Run", left: true, text: (run) => comparisonLabel(run, base)},
            {title: "Bound by", left: true, text: verdictText},
            {title: "Score", text: (run) => scoreText(candidatesOf(run)[0])},
            barColumn("Score as a bar", (run) => candidatesOf(run).length > 0 ? candidatesOf(run)[0].score : 0, 1),
            {title: "How sure", left: true, text: (run) =>
                candidatesOf(run).length > 0 ? CERTAINTIES[run.report.verdict.certainty] || "" : "–"},
            {title: "Seen from", left: true, text: (run) =>
                candidatesOf(run).length > 0 ? candidatesOf(run)[0].evidence : "–"},
        ],
    });
    candidateComparison(parent, runs, base);
}

function scoreText(candidate) {
    return candidate === undefined ? "–" : format.fixed(candidate.score, 2);
}

/** The scores of all candidates of any run. */
function candidateComparison(parent, runs, base) {
    const reliefs = Array.from(new Set(runs.flatMap((run) => candidatesOf(run).map((each) => each.relief))));
    const rows = reliefs.map((relief) => ({relief,
        of: runs.map((run) => candidatesOf(run).find((each) => each.relief === relief))}));
    const score = (row, run) => row.of[run.index] === undefined ? 0 : row.of[run.index].score;
    rows.sort((a, b) => score(b, base) - score(a, base));
    table(parent, {
        className: "candidates",
        shown: 8,
        rows,
        columns: [
            {title: "Candidate", left: true, text: (row) => row.relief, value: (row) => row.relief},
            ...runs.map((run) => ({title: comparisonLabel(run, base), text: (row) => scoreText(row.of[run.index]),
                value: (row) => score(row, run)})),
        ],
    });
    add(parent, "p", "note", "Scores: the share of a run's time that the candidate seems to hold.");
}

/** The units that any of the runs used; a unit that a run does not have is undefined there. */
function commonUnits(runs) {
    const units = new Map();
    for (const run of runs) {
        for (const unit of run.report.utilisation || []) {
            const row = units.get(unit.unit) || {name: unit.unit, of: []};
            row.of[run.index] = unit;
            units.set(unit.unit, row);
        }
    }
    return Array.from(units.values()).filter((row) => row.of.some((unit) => unit.busy > 0));
}

/** A thin bar for each run, one above the other. */
function runBars(cell, runs, row) {
    for (const run of runs) {
        const unit = row.of[run.index];
        const bar = lengthBar(cell, unit === undefined ? 0 : unit.utilisation, 1);
        bar.style.background = runStyle(run.index).colour;
        bar.parentNode.classList.add("thin");
    }
}

function utilisationComparison(parent, runs, base) {
    const missing = runs.filter((run) => run.report.utilisation === undefined);
    if (missing.length > 0) {
        add(parent, "p", "note", "Without utilisation, written by an earlier smsim: "
            + `${missing.map((run) => run.label).join(", ")}.`);
    }
    const rows = commonUnits(runs);
    if (rows.length === 0) {
        if (missing.length < runs.length) {
            add(parent, "p", "note", "No unit was used.");
        }
        return;
    }
    const share = (row, run) => row.of[run.index] === undefined ? null : row.of[run.index].utilisation;
    const most = (row) => d3.max(runs, (run) => share(row, run));
    rows.sort((a, b) => most(b) - most(a));
    const change = (row, run) => share(row, run) === null || share(row, base) === null ? null
        : share(row, run) - share(row, base);
    table(parent, {
        className: "bars units",
        shown: 12,
        rows,
        columns: [
            {title: "Unit", left: true, text: (row) => row.name, value: (row) => row.name},
            {title: "", unseen: "In use as bars, one for each run", left: true, cell: (cell, row) => runBars(cell, runs, row)},
            ...runs.flatMap((run) => [
                {title: comparisonLabel(run, base), value: (row) => share(row, run),
                    text: (row) => share(row, run) === null ? "–" : format.share(share(row, run), 1)},
                ...(run === base ? [] : [{title: `${run.letter}\u00a0−\u00a0${base.letter}`, value: (row) => change(row, run),
                    text: (row) => change(row, run) === null ? "–" : format.points(0, change(row, run))}]),
            ]),
        ],
    });
    add(parent, "p", "note", "Use of each unit, of what it could have done in the run's own cycles; a unit near 100 % bounds "
        + `the run. Bars from above: ${runs.map((run) => run.letter).join(", ")}; changes are against ${base.letter}.`);
}
