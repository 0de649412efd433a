// The page: its title, the comparison of several runs, each run, and the table of contents.

/** The parts of a run, in their order: id, title, what draws it, and, where not every report has it, whether it exists. */
const RUN_SECTIONS = [
    ["overview", "Overview", overviewSection],
    ["verdict", "Bound by", verdictSection],
    ["stalls", "Where the time went", stallSection],
    ["utilisation", "Utilisation", utilisationSection],
    ["roofline", "Roofline", rooflineSection],
    ["time", "Over time", timeSection],
    ["lines", "Hot spots", hotSpotSection],
    ["path", "Critical path", criticalPathSection, (run) => run.report.critical_path !== undefined],
    ["warps", "Warps", warpSection],
    ["divergence", "Divergence and branches", divergenceSection],
    ["barriers", "CTA barriers", barrierSection],
    ["memory", "Memory and fetch", memorySection],
    ["checks", "Checks and hazards", checkSection],
    ["engine", "Branch unit and reconvergence engine", engineSection],
    ["validation", "Validation", validationSection],
    ["configuration", "Configuration", configurationSection],
];

function runSections(parent, run, data, level) {
    for (const [id, title, draw] of RUN_SECTIONS.filter(([, , , isThere]) => isThere === undefined || isThere(run))) {
        section(parent, `${run.id}-${id}`, title, (part) => draw(part, run, data), level);
    }
}

function comparisonPart(page, data) {
    section(page, "comparison", "Comparison", (part) => {
        const content = document.createElement("div");
        const options = data.runs.map((run) => [String(run.index), run.label]);
        const draw = (baseline) => {
            content.textContent = "";
            comparison(content, data, Number(baseline));
        };
        choice(part, "Baseline:", options, "0", draw);
        part.appendChild(content);
        draw(0);
    }, 2);
}

/** The runs of a comparison, each folded under its own heading. */
function runParts(page, data) {
    for (const run of data.runs) {
        section(page, run.id, `Run ${run.label}`, (part) => {
            identity(part, run);
            folded(part, `All about run ${run.label}`, (details) => {
                runSections(details, run, data, 3);
                tableOfContents();
            });
        }, 2);
    }
}

/** Links to every existing section, nested as the sections are. */
function tableOfContents() {
    const nav = document.getElementById("contents");
    nav.textContent = "";
    add(nav, "p", "title", "smsim report");
    const list = add(nav, "ol");
    const nested = document.querySelector("main section section") !== null;
    for (const each of document.querySelectorAll("main section")) {
        const heading = each.querySelector("h2, h3");
        const item = add(list, "li", nested && heading.tagName === "H2" ? "part" : "");
        add(item, "a", "", heading.textContent).href = "#" + each.id;
    }
}

function titleOf(runs) {
    return runs.length === 1 ? `${runs[0].report.run.kernel}: ${format.count(runs[0].report.cycles)} cycles`
        : `Comparison of ${runs.length} runs`;
}

function drawPage() {
    const page = document.getElementById("page");
    page.textContent = "";
    try {
        const data = readData();
        document.title = `${titleOf(data.runs)} – smsim report`;
        add(page, "h1", "", titleOf(data.runs));
        if (data.runs.length > 1) {
            comparisonPart(page, data);
            runParts(page, data);
        } else {
            runSections(page, data.runs[0], data, 2);
        }
        tableOfContents();
    } catch (error) {
        add(page, "p", "problem", "The report could not be drawn: " + error.message);
        throw error;
    }
}

drawPage();
watchFocus();
