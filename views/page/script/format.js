// Numbers as text: the same figure looks the same everywhere on the page.
"use strict";

const format = {
    /** 1234567 -> "1,234,567" */
    count(value) {
        return Math.round(value).toLocaleString("en-US");
    },

    /** With `digits` decimals. */
    fixed(value, digits = 2) {
        return value.toLocaleString("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits});
    },

    /** A fraction as percent: 0.5 -> "50.0 %", never with a line break before the sign. */
    percent(fraction, digits = 1) {
        return format.fixed(100 * fraction, digits) + "\u00a0%";
    },

    /** A share that may be too small for its digits: "< 0.1 %" rather than "0.0 %", which would read as none. */
    share(part, whole) {
        const fraction = ratio(part, whole);
        return fraction > 0 && fraction < 0.0005 ? "<\u00a00.1\u00a0%" : format.percent(fraction);
    },

    /** A difference with its sign: "+12", "−3"; the minus sign is as wide as the plus sign. */
    signed(value, text) {
        return value === 0 ? "0" : (value > 0 ? "+" : "−") + text(Math.abs(value));
    },

    /** Change from `from` to `to` in percent; as a factor where the percentage would be long. */
    change(from, to) {
        if (from === to) {
            return "=";
        }
        if (from !== 0 && Math.abs(to / from) >= 10) {
            return "×\u00a0" + format.fixed(to / from, 1);
        }
        const digits = from !== 0 && Math.abs(to / from - 1) < 0.01 ? 2 : 1;
        return from === 0 ? "from 0" : format.signed(to / from - 1, (fraction) => format.percent(fraction, digits));
    },

    /** A fraction's change in percentage points. */
    points(from, to) {
        const points = 100 * (to - from);
        return Math.abs(points) < 0.05 ? "=" : format.signed(points, (value) => format.fixed(value, 1)) + "\u00a0pp";
    },

    /** An instruction address. */
    address(pc) {
        return "0x" + pc.toString(16).padStart(4, "0");
    },

    /** "1 warp", "2 warps" */
    plural(count, noun) {
        return format.count(count) + " " + noun + (count === 1 ? "" : "s");
    },

    /** Short axis labels: 20000 -> "20k". */
    axis(value) {
        return value === 0 ? "0" : Math.abs(value) < 10000 ? d3.format(",~r")(value) : d3.format(".3~s")(value);
    },

    /** The end of a path, which is more informative than its beginning. */
    fileName(path) {
        return path.slice(path.lastIndexOf("/") + 1);
    },
};

/** numerator / denominator; 0 when the denominator is 0, as in the report. */
function ratio(numerator, denominator) {
    return denominator === 0 ? 0 : numerator / denominator;
}

/** Sum of a list of numbers, or of the values of an object. */
function total(values) {
    let sum = 0;
    for (const value of Array.isArray(values) ? values : Object.values(values)) {
        sum += value;
    }
    return sum;
}
