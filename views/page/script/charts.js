// Charts over time: stacked areas of the stall reasons, and lines. Both step from interval to interval, because the
// figures are sums over intervals and nothing is known in between. Each states its extremes in words under the
// picture: no figure is available by pointing alone.

const CHART = {left: 52, right: 12, top: 8, bottom: 24};

/** Widths of a chart's own scale. In a narrower window its texts would be too small to read, in a wider one they grow. */
const CHART_WIDTH = {least: 320, most: 1000};

/** Draws a chart as wide as its space, and again when that changes. `draw(holder, width)` fills an empty element. */
function fittedChart(parent, draw) {
    const holder = add(parent, "div");
    const room = () => Math.min(CHART_WIDTH.most, Math.max(CHART_WIDTH.least, holder.clientWidth || CHART_WIDTH.most));
    let width = room();
    draw(holder, width);
    window.addEventListener("resize", () => {
        if (holder.clientWidth > 0 && room() !== width) {
            width = room();
            holder.textContent = "";
            draw(holder, width);
        }
    });
}

/** Colours and dashes of runs, which differ in both. */
const RUN_STYLES = [
    {colour: "var(--run-0)", dash: ""},
    {colour: "var(--run-1)", dash: "7 3"},
    {colour: "var(--run-2)", dash: "2 3"},
    {colour: "var(--run-3)", dash: "10 3 2 3"},
    {colour: "var(--run-4)", dash: "4 2"},
    {colour: "var(--run-5)", dash: "12 4"},
];

function runStyle(index) {
    return RUN_STYLES[index % RUN_STYLES.length];
}

/** The frame of a chart: title, axes and grid. Returns its scales and the group to draw into. */
function chartFrame(parent, width, {title, cycles, top, height, yText}) {
    const figure = add(parent, "figure", "chart");
    const caption = add(figure, "figcaption");
    add(caption, "span", "", title + " over cycles");
    const full = height + CHART.top + CHART.bottom;
    const svg = d3.select(figure).append("svg")
        .attr("viewBox", `0 0 ${width} ${full}`)
        .attr("role", "img")
        .attr("aria-label", title);
    const x = d3.scaleLinear([0, Math.max(cycles, 1)], [CHART.left, width - CHART.right]);
    const y = d3.scaleLinear([0, top === 0 ? 1 : top], [CHART.top + height, CHART.top]);
    const bottom = CHART.top + height;
    svg.append("g").attr("class", "axis grid").attr("transform", `translate(${CHART.left},0)`)
        .call(d3.axisLeft(y).ticks(4).tickSize(CHART.left + CHART.right - width).tickFormat(yText || y.tickFormat(4)));
    const plot = svg.append("g");
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
        .call(d3.axisBottom(x).ticks(Math.round(width / 100)).tickFormat(format.axis));
    return {figure, caption, svg, plot, x, y, bottom};
}

/** The corners of a step line: two points for each interval. A value of null is a gap. */
function steps(intervals, value) {
    return intervals.flatMap((interval) => [
        {x: interval.begin, y: value(interval)},
        {x: interval.end, y: value(interval)},
    ]);
}

/** Shows what `describe` returns for the interval under the pointer, or for the one selected with keys. */
function readout(frame, intervals, describe) {
    if (intervals.length === 0) {
        return;
    }
    const line = add(frame.caption, "span", "readout");
    const mark = frame.svg.append("line").attr("class", "mark").attr("y1", CHART.top).attr("y2", frame.bottom)
        .style("display", "none");
    const hide = () => {
        mark.style("display", "none");
        line.textContent = "";
    };
    const show = (interval) => {
        mark.style("display", null).attr("x1", frame.x(interval.begin)).attr("x2", frame.x(interval.begin));
        line.textContent = `cycles ${format.count(interval.begin)} to ${format.count(interval.end - 1)}: ${describe(interval)}`;
        return line.textContent;
    };
    frame.svg.on("mousemove", () => {
        const cycle = frame.x.invert(d3.mouse(frame.svg.node())[0]);
        const interval = intervals.find((each) => each.begin <= cycle && cycle < each.end);
        if (interval === undefined) {
            hide();
        } else {
            show(interval);
        }
    }).on("mouseleave", hide);
    steppedByKeys(frame.svg.node(), intervals.length, (step) => show(intervals[step]), hide);
}

/** "lowest 0.21 in cycles 0 to 63, highest 3.90 in cycles 128 to 191" */
function extremes(intervals, value, text) {
    const whole = intervals.filter((interval) => interval.cycles > 0 && value(interval) !== null);
    if (whole.length === 0) {
        return "";
    }
    const place = (interval) => `${text(value(interval))} in cycles ${format.count(interval.begin)} to `
        + format.count(interval.end - 1);
    const lowest = whole.reduce((a, b) => value(b) < value(a) ? b : a);
    const highest = whole.reduce((a, b) => value(b) > value(a) ? b : a);
    return `lowest ${place(lowest)}, highest ${place(highest)}`;
}

/**
 * Lines over time. `lines` are {label, intervals, value, style}; `top` is the end of the scale, by default the largest
 * value.
 */
function lineChart(parent, chart) {
    fittedChart(parent, (holder, width) => drawLines(holder, width, chart));
}

function drawLines(parent, width, {title, cycles, lines, text, note, top, height = 150}) {
    const largest = d3.max(lines, (line) => d3.max(line.intervals, line.value)) || 0;
    const frame = chartFrame(parent, width, {title, cycles, top: top || 1.05 * largest, height, yText: text.axis});
    const path = d3.line().defined((point) => point.y !== null).x((point) => frame.x(point.x)).y((point) => frame.y(point.y));
    for (const line of lines) {
        frame.plot.append("path").attr("class", "line").attr("d", path(steps(line.intervals, line.value)))
            .style("stroke", line.style.colour).attr("stroke-dasharray", line.style.dash);
    }
    if (lines.length === 1) {
        const [line] = lines;
        readout(frame, line.intervals, (interval) =>
            line.value(interval) === null ? "–" : text.value(line.value(interval)));
        add(frame.figure, "p", "note", `${note}${extremes(line.intervals, line.value, text.value)}`);
    } else {
        lineLegend(frame.figure, lines);
        add(frame.figure, "p", "note", note);
    }
}

function lineLegend(parent, lines) {
    const legend = add(parent, "ul", "legend");
    for (const line of lines) {
        const item = add(legend, "li");
        d3.select(item).append("svg").attr("class", "sample").attr("viewBox", "0 0 34 10").append("line")
            .attr("x1", 0).attr("x2", 34).attr("y1", 5).attr("y2", 5).attr("class", "line")
            .style("stroke", line.style.colour).attr("stroke-dasharray", line.style.dash);
        add(item, "span", "", line.label);
    }
}

/** Hatching for stacked areas, the same as that of the bars. */
function defineHatches(svg, prefix) {
    const definitions = svg.append("defs");
    for (const stall of STALLS.filter((each) => each.hatch)) {
        const pattern = definitions.append("pattern").attr("id", `${prefix}-${stall.name}`)
            .attr("width", 6).attr("height", 6).attr("patternUnits", "userSpaceOnUse")
            .attr("patternTransform", `rotate(${stall.hatch.pattern})`);
        pattern.append("rect").attr("width", 6).attr("height", 6).attr("fill", stall.colour);
        pattern.append("rect").attr("width", 1.6).attr("height", 6).attr("fill", hatchInk(stall));
    }
}

/** Number of the next chart with hatching: the ids of patterns are unique on the whole page. */
let hatchedCharts = 0;

/** Resident warps over time by state: the height of a reason is the mean number of warps in it. */
function stallChart(parent, chart) {
    fittedChart(parent, (holder, width) => drawStalls(holder, width, chart));
}

function drawStalls(parent, width, {title, cycles, intervals, note, height = 210}) {
    const share = (interval, name) => ratio(interval.stalls[name] || 0, interval.cycles);
    const top = d3.max(intervals, (interval) => interval.warps) || 0;
    const frame = chartFrame(parent, width, {title, cycles, top: 1.02 * top, height, yText: format.axis});
    const prefix = "hatch-" + hatchedCharts++;
    defineHatches(frame.svg, prefix);
    const shape = d3.area().x((point) => frame.x(point.x)).y0((point) => frame.y(point.low))
        .y1((point) => frame.y(point.high));
    const below = intervals.map(() => 0);
    for (const stall of STALLS.filter((each) => intervals.some((interval) => interval.stalls[each.name] > 0))) {
        const points = intervals.flatMap((interval, i) => {
            const low = below[i];
            below[i] += share(interval, stall.name);
            return [interval.begin, interval.end].map((x) => ({x, low, high: below[i]}));
        });
        frame.plot.append("path").attr("d", shape(points))
            .attr("fill", stall.hatch ? `url(#${prefix}-${stall.name})` : stall.colour)
            .append("title").text(stall.name);
    }
    readout(frame, intervals, (interval) => `${format.fixed(interval.warps, 1)} warps; ${stallText(interval.stalls, 4)}`);
    stallLegend(frame.figure, intervals.map((interval) => interval.stalls));
    add(frame.figure, "p", "note", note);
}
