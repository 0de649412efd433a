// The page's table of points: sorts by its heads, filters by words, kernel and status. Everything works with the pointer and with keys.
"use strict";
(() => {
  const LIMIT = 100;
  const table = document.getElementById("points-table");
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const rows = Array.from(body.rows);
  const words = new Map(rows.map(row => [row, Array.from(row.cells).slice(0, -1).map(cell => cell.textContent).join(" ").toLowerCase()]));
  const filter = document.getElementById("filter");
  const kernel = document.getElementById("kernel");
  const status = document.getElementById("status");
  const all = document.getElementById("all");
  let limit = LIMIT;

  function fits(row, wanted) {
    return (!kernel.value || row.dataset.kernel === kernel.value) && (!status.value || row.dataset.status === status.value) &&
      wanted.every(word => words.get(row).includes(word));
  }

  function show() {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const row of body.rows) {
      const fit = fits(row, wanted);
      found += fit;
      row.classList.toggle("hidden", !fit);
      row.classList.toggle("beyond", fit && found > limit);
    }
    document.getElementById("count").textContent = `${Math.min(found, limit)} of ${found} shown`;
    all.hidden = found <= LIMIT;
    all.textContent = limit === LIMIT ? "show all" : `show the first ${LIMIT}`;
  }

  function key(row, column) {
    const cell = row.cells[column];
    return "sort" in cell.dataset ? (cell.dataset.sort === "" ? null : Number(cell.dataset.sort)) : cell.textContent;
  }

  function compare(a, b) {
    return typeof a === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0;
  }

  function sort(column) {
    const up = heads[column].getAttribute("aria-sort") !== "ascending";
    heads.forEach(head => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
    const keyed = Array.from(body.rows, row => [key(row, column), row]);
    // Missing figures come last in both directions.
    keyed.sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : (up ? 1 : -1) * compare(a, b)));
    body.append(...keyed.map(([, row]) => row));
    show();
  }

  // No button element: buttons are not printed in heads that are repeated on further pages.
  heads.slice(0, -1).forEach((head, column) => {
    const sorter = document.createElement("span");
    sorter.className = "sort";
    sorter.tabIndex = 0;
    sorter.setAttribute("role", "button");
    sorter.append(...head.childNodes);
    head.append(sorter);
    sorter.addEventListener("click", () => sort(column));
    sorter.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        sort(column);
      }
    });
  });
  [filter, kernel, status].forEach(control => control.addEventListener("input", show));
  all.addEventListener("click", () => { limit = limit === LIMIT ? Infinity : LIMIT; show(); });
  show();

  // Content wider than the window scrolls, also by keys.
  const watcher = new ResizeObserver(entries => entries.forEach(({target}) => {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }));
  document.querySelectorAll(".scroll, figure").forEach(frame => watcher.observe(frame));

  // A printed page cannot be unfolded.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach(each => each.open = true);
  });
  addEventListener("afterprint", () => opened.forEach(each => each.open = false));
})();
