// The roofline: how much work the launch did per byte of each level of the memories, and what the configuration allows
// at that intensity. The chart has the work that the report names first; the table has all.

const WORK_NAMES = {
    fp32: "32-bit floating-point operations",
    fp64: "64-bit floating-point operations",
    fp16: "16-bit floating-point operations",
    tensor_f16: "operations of F16 products of matrices",
    tensor_f16_to_f32: "operations of F16 products of matrices with F32 results",
    tensor_bf16: "operations of BF16 products of matrices",
    tensor_tf32: "operations of TF32 products of matrices",
    tensor_fp8: "operations of FP8 products of matrices",
    tensor_fp8_to_f32: "operations of FP8 products of matrices with F32 results",
    tensor_s8: "operations of 8-bit integer products of matrices",
    tensor_s4: "operations of 4-bit integer products of matrices",
    tensor_b1: "operations of products of matrices of bits",
    tensor_f64: "operations of F64 products of matrices",
    lanes: "instructions of threads",
};

const LEVEL_NAMES = {
    shared: "shared memory",
    l1: "L1, transactions",
    global: "path to global memory",
    dram: "path to DRAM",
};

function rooflineSection(parent, run) {
    const {roofline} = run.report;
    if (roofline === undefined) {
        add(parent, "p", "note", "This report has no roofline; it was written by an earlier smsim.");
        return;
    }
    if (roofline.points.length === 0) {
        add(parent, "p", "note", "The launch moved no data, or did nothing: there is no work per byte to show.");
        return;
    }
    const peaks = new Map(roofline.traffic.map((level) => [level.name, level.peak]));
    const rows = roofline.points.map((point) => ({...point, share: ratio(point.achieved, point.attainable),
        // left of the point where the two limits meet, the memory limit is the lower one
        limit: point.attainable < point.intensity * peaks.get(point.traffic) ? "pipes" : "memory"}));
    const [work] = roofline.work;
    const shown = rows.filter((row) => row.work === work.name);
    const closest = shown.reduce((a, b) => b.share > a.share ? b : a);
    paragraph(parent, ["The launch did ", {strong: `${format.fixed(closest.achieved, 1)} ${WORK_NAMES[work.name]}`},
        ` per cycle; the pipes allow ${format.fixed(work.peak, 0)}. Closest to its roof is the level `,
        {strong: LEVEL_NAMES[closest.traffic] || closest.traffic}, `: at ${format.fixed(closest.intensity, 2)} per byte it allows `
        + `${format.fixed(closest.attainable, 1)}, of which ${format.percent(closest.share)} is reached.`], "story");
    fittedChart(parent, (holder, width) => drawRoofline(holder, width, work, roofline.traffic, shown));
    table(parent, {
        className: "bars roofline",
        rows,
        columns: [
            {title: "Work", left: true, text: (row) => row.work, value: (row) => row.work},
            {title: "Over bytes of", left: true, text: (row) => row.traffic, value: (row) => row.traffic},
            {title: "Per byte", text: (row) => format.fixed(row.intensity, 3), value: (row) => row.intensity},
            {title: "Attainable", text: (row) => format.fixed(row.attainable, 1), value: (row) => row.attainable,
                help: "operations per cycle at that intensity"},
            {title: "Achieved", text: (row) => format.fixed(row.achieved, 1), value: (row) => row.achieved,
                help: "operations per cycle"},
            {title: "Share", text: (row) => format.percent(row.share), value: (row) => row.share},
            barColumn("Share as a bar", (row) => row.share, 1),
            {title: "Lower limit", left: true, text: (row) => row.limit},
        ],
    });
}

/** Both axes are logarithmic. */
function drawRoofline(parent, width, work, traffic, points) {
    const height = 240;
    const left = CHART.left;
    const right = width - CHART.right;
    const bottom = CHART.top + height;
    const ridges = traffic.map((level) => work.peak / level.peak);
    const intensities = [...ridges, ...points.map((point) => point.intensity)];
    const x = d3.scaleLog([d3.min(intensities) / 4, d3.max(intensities) * 8], [left, right]);
    const least = d3.min(points, (point) => Math.min(point.achieved, point.attainable));
    const y = d3.scaleLog([least / 3, work.peak * 2], [bottom, CHART.top]);
    const figure = add(parent, "figure", "chart");
    const caption = add(figure, "figcaption");
    const title = `${WORK_NAMES[work.name]} per cycle over operations per byte`;
    add(caption, "span", "", title);
    const svg = d3.select(figure).append("svg").attr("viewBox", `0 0 ${width} ${bottom + CHART.bottom}`)
        .attr("role", "img").attr("aria-label", title);
    /** Powers of ten in a scale's domain, and where these are few, two and five times them. */
    const ticks = ({domain}) => {
        const [low, high] = domain();
        const powers = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))).map((power) => 10 ** power);
        return (powers.length > 3 ? powers : powers.flatMap((power) => [power, 2 * power, 5 * power]))
            .filter((tick) => low <= tick && tick <= high);
    };
    svg.append("g").attr("class", "axis grid").attr("transform", `translate(${left},0)`)
        .call(d3.axisLeft(y).tickValues(ticks(y)).tickSize(left - right).tickFormat((value) => d3.format("~g")(value)));
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
        .call(d3.axisBottom(x).tickValues(ticks(x)).tickFormat((value) => d3.format("~g")(value)));
    traffic.forEach((level, i) => {
        const style = runStyle(i);
        const roof = [x.domain()[0], ridges[i], x.domain()[1]]
            .map((intensity) => [intensity, Math.min(work.peak, intensity * level.peak)])
            .filter(([, height]) => height >= y.domain()[0]);
        const foot = y.domain()[0] / level.peak;
        if (foot > x.domain()[0]) {
            roof.unshift([foot, y.domain()[0]]);
        }
        svg.append("path").attr("class", "line").attr("d", d3.line()(roof.map(([a, b]) => [x(a), y(b)])))
            .style("stroke", style.colour).attr("stroke-dasharray", style.dash);
        const point = points.find((each) => each.traffic === level.name);
        svg.append("line").attr("class", "mark").attr("x1", x(point.intensity)).attr("x2", x(point.intensity))
            .attr("y1", y(point.achieved)).attr("y2", y(point.attainable)).attr("stroke-dasharray", "2 2");
        svg.append("circle").attr("class", "point").attr("cx", x(point.intensity)).attr("cy", y(point.achieved))
            .attr("r", 5).style("fill", style.colour);
        // Points of levels that are close to each other are on one line: their names must not be.
        svg.append("text").attr("class", "label").attr("x", x(point.intensity)).attr("text-anchor", "middle")
            .attr("y", y(point.achieved) + (i % 2 === 0 ? 20 : -10)).text(level.name);
    });
    lineLegend(figure, traffic.map((level, i) => ({label: `${LEVEL_NAMES[level.name] || level.name}: `
        + `${format.fixed(level.peak, 0)} bytes per cycle`, style: runStyle(i)})));
    add(figure, "p", "note", "A line is what one level of the memories and the pipes allow; its point is the launch, "
        + "and above the point is the room to its roof. Both axes are logarithmic.");
}
