"use strict";
// Search, filters and sorting of the table of claims and numbers, whose rows are all in the page.
(() => {
  const STEP = 200;
  const table = document.getElementById("rows");
  const body = table.tBodies[0];
  const form = document.getElementById("finder");
  const words = document.getElementById("words");
  const found = document.getElementById("found");
  const more = document.getElementById("more");
  const selects = [...form.querySelectorAll("select")];
  let limit = STEP;
  let rows = [...body.rows].map((row) => ({
    row,
    cells: [...row.cells].map((cell) => cell.textContent),
    text: row.textContent.toLowerCase(),
  }));

  function show() {
    closeOrigins();
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = selects.filter((select) => select.value);
    let count = 0;
    for (const { row, cells, text } of rows) {
      const fits =
        wanted.every((word) => text.includes(word)) &&
        chosen.every((select) => cells[select.dataset.column] === select.value);
      count += fits;
      row.hidden = !fits || count > limit;
    }
    found.textContent = `${count} of ${rows.length} rows${count > limit ? `, the first ${limit} shown` : ""}`;
    more.hidden = count <= limit;
  }

  function number(text) {
    return parseFloat(text.replace("\u2212", "-"));
  }

  function sort(heading) {
    const place = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numeric = rows.every(({ cells }) => !cells[place] || !isNaN(number(cells[place])));
    const order = new Intl.Collator("en", { numeric: true }).compare;
    rows.sort((first, second) => {
      const [a, b] = [first.cells[place], second.cells[place]];
      if (!a || !b) return !a - !b; // what is empty comes last in both directions
      return (down ? -1 : 1) * (numeric ? number(a) - number(b) : order(a, b));
    });
    closeOrigins();
    body.append(...rows.map(({ row }) => row));
    show();
  }

  function closeOrigins() {
    for (const row of body.querySelectorAll(".origin")) row.remove();
    for (const link of body.querySelectorAll("[aria-expanded=true]")) link.ariaExpanded = "false";
  }

  function openOrigin(event) {
    const link = event.target.closest('a[href^="#o"]');
    if (!link) return;
    event.preventDefault();
    const open = link.getAttribute("aria-expanded") === "true";
    closeOrigins();
    if (open) return;
    const row = document.createElement("tr");
    row.className = "origin";
    const cell = row.insertCell();
    cell.colSpan = table.tHead.rows[0].cells.length;
    cell.append(...document.querySelector(link.hash).cloneNode(true).childNodes);
    link.closest("tr").after(row);
    link.setAttribute("aria-expanded", "true");
  }

  for (const select of selects) {
    const values = new Set(rows.map(({ cells }) => cells[select.dataset.column]).filter(Boolean));
    for (const value of [...values].sort()) select.add(new Option(value));
  }
  for (const heading of [...table.tHead.rows[0].cells].slice(0, -1)) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(heading));
    heading.append(button);
  }
  const again = () => {
    limit = STEP;
    show();
  };
  form.addEventListener("input", again);
  form.addEventListener("reset", () => setTimeout(again));
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => {
    limit += STEP;
    show();
  });
  body.addEventListener("click", openOrigin);
  form.hidden = false;
  document.documentElement.classList.add("js");
  show();
})();
