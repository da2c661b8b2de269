"use strict";
// The matrix: filters, sorting, the keyboard, and the theme. What a target wrote is only ever set as text.

const byId = (id) => document.getElementById(id);
const about = JSON.parse(byId("about").textContent);
const table = byId("matrix");
const rows = table ? [...table.querySelectorAll("tr[data-check]")] : [];

// --- theme -----------------------------------------------------------------------------------------------------------

const THEMES = ["system", "light", "dark"];

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme").querySelector("span").textContent = name;
  try {
    localStorage.setItem("seatrial-theme", name);
  } catch {
    // A page from a file may have no storage: the choice lasts as long as the page.
  }
}

function storedTheme() {
  try {
    return localStorage.getItem("seatrial-theme");
  } catch {
    return null;
  }
}

byId("theme").addEventListener("click", () => {
  const now = THEMES.indexOf(document.documentElement.dataset.theme);
  setTheme(THEMES[(now + 1) % THEMES.length]);
});
setTheme(THEMES.includes(storedTheme()) ? storedTheme() : "system");

// --- filters ---------------------------------------------------------------------------------------------------------

const chips = [...document.querySelectorAll("[data-verdict]")];
const value = (id) => byId(id)?.value ?? "";
const verdictOf = (cell) => cell.classList[1];

function wantedVerdicts() {
  return new Set(chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.verdict));
}

function showColumns(version) {
  const heads = [...table.tHead.rows[0].cells];
  const away = heads.map((head) => Boolean(version && head.dataset.version && head.dataset.version !== version));
  for (const row of table.rows) [...row.cells].forEach((cell, place) => (cell.hidden = away[place]));
}

function matches(row, text, verdicts) {
  const words = row.cells[0].textContent.toLowerCase();
  const level = row.cells[1].textContent;
  const cells = [...row.querySelectorAll(".cell")].filter((cell) => !cell.parentElement.hidden);
  for (const cell of cells) cell.classList.toggle("aside", verdicts.size > 0 && !verdicts.has(verdictOf(cell)));
  return (
    text.every((word) => words.includes(word)) &&
    (!value("suite") || row.parentElement.dataset.suite === value("suite")) &&
    (!value("level") || level === value("level")) &&
    (!value("protocol") || row.dataset.protocol === value("protocol")) &&
    cells.some((cell) => !verdicts.size || verdicts.has(verdictOf(cell)))
  );
}

function filter() {
  const verdicts = wantedVerdicts();
  const text = value("text").toLowerCase().split(/\s+/);
  showColumns(value("version"));
  for (const row of rows) row.hidden = !matches(row, text, verdicts);
  for (const body of table.tBodies) body.hidden = [...body.rows].slice(1).every((row) => row.hidden);
  const shown = rows.filter((row) => !row.hidden).length;
  byId("shown").textContent = shown === rows.length ? `${shown} checks` : `${shown} of ${rows.length} checks`;
  byId("none").hidden = shown > 0;
  byId("clear").disabled = shown === rows.length && !value("version") && !verdicts.size;
  rove(visibleCells()[0]);
}

// --- sorting ---------------------------------------------------------------------------------------------------------

const ORDER = ["FAIL", "ERROR", "INCONCLUSIVE", "WARN", "PASS", "NOT_APPLICABLE"];
const original = new Map(rows.map((row, place) => [row, place]));

function sortKey(row, by) {
  if (by === "check") return row.dataset.check;
  if (by === "level") return Number(row.dataset.level);
  const cell = row.cells[Number(by) + 2].querySelector(".cell");
  return cell ? ORDER.indexOf(verdictOf(cell)) : ORDER.length;
}

function compare(one, other) {
  return one < other ? -1 : Number(one > other);
}

// Within the suites: ascending, descending, and back to the order of the run.
function sortBy(button) {
  const head = button.closest("th");
  const next = { none: "ascending", ascending: "descending", descending: "none" }[head.ariaSort];
  for (const each of table.tHead.rows[0].cells) each.ariaSort = "none";
  head.ariaSort = next;
  const sign = next === "descending" ? -1 : 1;
  const by = button.dataset.sort;
  const place = (row) => original.get(row);
  const order = (a, b) => (next === "none" ? 0 : sign * compare(sortKey(a, by), sortKey(b, by))) || place(a) - place(b);
  for (const body of table.tBodies) body.append(...[...body.rows].slice(1).sort(order));
}

// --- the keyboard ----------------------------------------------------------------------------------------------------

const seen = (element) => element.getClientRects().length > 0;
const visibleCells = () => [...table.querySelectorAll(".cell")].filter(seen);

// One cell of the matrix is in the tab order; arrow keys move on from there.
function rove(cell) {
  table.querySelector('.cell[tabindex="0"]')?.setAttribute("tabindex", "-1");
  cell?.setAttribute("tabindex", "0");
}

function beside(cell, step) {
  const cells = [...cell.closest("tr").querySelectorAll(".cell")].filter(seen);
  return cells[cells.indexOf(cell) + step];
}

function below(cell, step) {
  const place = cell.parentElement.cellIndex;
  const column = visibleCells().filter((each) => each.parentElement.cellIndex === place);
  return column[column.indexOf(cell) + step];
}

const MOVES = {
  ArrowRight: (cell) => beside(cell, 1),
  ArrowLeft: (cell) => beside(cell, -1),
  ArrowDown: (cell) => below(cell, 1),
  ArrowUp: (cell) => below(cell, -1),
  Home: () => visibleCells()[0],
  End: () => visibleCells().at(-1),
};

function walk(event) {
  const cell = event.target.closest(".cell");
  if (!cell || !MOVES[event.key]) return;
  event.preventDefault();
  MOVES[event.key](cell)?.focus();
}

if (table) {
  table.addEventListener("keydown", walk);
  table.addEventListener("focusin", (event) => event.target.matches(".cell") && rove(event.target));
  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest(".sort");
    if (button) sortBy(button);
  });
  const form = byId("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  byId("clear").addEventListener("click", () => {
    form.reset();
    for (const chip of chips) chip.ariaPressed = "false";
    filter();
  });
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.ariaPressed = String(chip.ariaPressed !== "true");
      filter();
    });
  }
  filter();
}
