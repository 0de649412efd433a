// How far the configuration of a run is validated against silicon, and what of the run lies outside of that.

/** Percents of the errors of points; without points there are none. */
function errorText(value) {
    return value === null ? "–" : format.fixed(value, 1) + "\u00a0%";
}

/** Reports made before there was a validation have none. */
function validationSection(parent, run) {
    const {validation} = run.report;
    if (validation === undefined) {
        add(parent, "p", "note", "The report does not say how far its configuration is validated.");
        return;
    }
    paragraph(parent, ["Configuration ", {code: validation.configuration}, `: ${validation.statement}.`]);
    if (validation.instructions.length !== 0) {
        add(parent, "p", "note", "Errors are those of the model against published measurements, as absolute values.");
        table(parent, {
            className: "validation",
            rows: validation.instructions,
            columns: [
                {title: "Instructions", left: true, text: (row) => row.kind, value: (row) => row.kind},
                countColumn("Issued", "issued"),
                {title: "Share", text: (row) => format.percent(row.share), value: (row) => row.share},
                countColumn("Points", "points"),
                {title: "Median", text: (row) => errorText(row.median_percent), value: (row) => row.median_percent},
                {title: "P90", text: (row) => errorText(row.p90_percent), value: (row) => row.p90_percent},
                {title: "Remark", left: true, text: (row) => row.remark},
            ],
        });
    }
    if (validation.outside.length !== 0) {
        add(parent, "p", "", "Outside of what was validated:");
        const list = add(parent, "ul", "outside-validation");
        for (const sentence of validation.outside) {
            add(list, "li", "", sentence);
        }
    }
    if (validation.differing_keys.length !== 0) {
        folded(parent, `${format.plural(validation.differing_keys.length, "key")} with other values than in `
            + validation.nearest.file, (details) => {
            table(details, {
                className: "differing-keys",
                shown: 500,
                rows: validation.differing_keys,
                columns: [
                    {title: "Key", left: true, code: true, text: (row) => row.key, value: (row) => row.key},
                    {title: "Value", text: (row) => row.value},
                    {title: "Validated", text: (row) => row.validated},
                ],
            });
        });
    }
}
