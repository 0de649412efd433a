// Elements of the page. Texts of reports only go through textContent: they are never markup.

/** A new element at the end of `parent`. */
function add(parent, tag, className = "", text = "") {
    const element = document.createElement(tag);
    if (className !== "") {
        element.className = className;
    }
    if (text !== "") {
        element.textContent = text;
    }
    parent.appendChild(element);
    return element;
}

/**
 * A section with heading, drawn by `draw`. An error in one section is shown in its place, and the others are drawn
 * anyway.
 */
function section(parent, id, title, draw, level = 3) {
    const element = add(parent, "section");
    element.id = id;
    add(element, "h" + level, "", title);
    try {
        draw(element);
    } catch (error) {
        add(element, "p", "problem", "This section could not be drawn: " + error.message);
        console.error(error);
    }
    return element;
}

/** A heading within a section, one level below the section's own: no level is skipped, wherever the section is. */
function subheading(parent, text) {
    const [, level] = parent.closest("section").querySelector("h2, h3").tagName;
    return add(parent, "h" + (Number(level) + 1), "minor", text);
}

/** A paragraph of texts; those given as {strong: text} or {code: text} are highlighted. */
function paragraph(parent, pieces, className = "") {
    const element = add(parent, "p", className);
    for (const piece of pieces) {
        if (typeof piece === "string") {
            element.appendChild(document.createTextNode(piece));
        } else if (piece.code !== undefined) {
            add(element, "code", "", piece.code);
        } else {
            add(element, "strong", "", piece.strong);
        }
    }
    return element;
}

/** A labelled choice; `chosen` is called with the new value. */
function choice(parent, label, options, selected, chosen) {
    const holder = add(parent, "label", "choice", label + " ");
    const select = add(holder, "select");
    for (const [value, text] of options) {
        const option = add(select, "option", "", text);
        option.value = value;
        option.selected = value === selected;
    }
    select.addEventListener("change", () => chosen(select.value));
    return select;
}

function button(parent, text, pressed) {
    const element = add(parent, "button", "", text);
    element.type = "button";
    element.addEventListener("click", pressed);
    return element;
}

/** A part that is folded until opened; its content is drawn when it is first opened, or printed open. */
function folded(parent, title, draw, open = false) {
    const details = add(parent, "details");
    add(details, "summary", "", title);
    let drawn = false;
    const fill = () => {
        if (details.open && !drawn) {
            drawn = true;
            draw(details);
        }
    };
    details.addEventListener("toggle", fill);
    details.open = open;
    fill();
    return details;
}
