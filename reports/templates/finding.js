// The finding of one case in a dialog: clauses, expectations, commands and the timeline.

const dialog = byId("finding");
let opener = null;
let current = null;

const read = (number) => JSON.parse(byId(`case-${number}`).textContent);

function part(title, ...content) {
  return element("section", "part", element("h3", "", title), ...content);
}

function outward(link, words) {
  const made = element("a", "", words);
  if (/^https:/.test(link)) made.href = link;
  made.rel = "noreferrer";
  return made;
}

function clause(row, soft) {
  const level = element("span", "level", soft ? `${row.level}, ambiguous` : row.level);
  const links = row.links.map((link) => outward(link, "Read the clause"));
  return element("li", "", level, " ", element("span", "said", row.title), element("p", "where", element("code", "", row.id), " ", ...links));
}

function claim(violation) {
  const made = element("dl", "claim");
  for (const [name, text] of [["Expected", violation.expected], ["Actual", violation.actual]]) {
    if (text) made.append(element("dt", "", name), element("dd", "said", text));
  }
  return made;
}

function command(text) {
  const button = element("button", "copy", "Copy");
  button.type = "button";
  button.addEventListener("click", () => copy(text, button));
  return element("div", "command", element("code", "", text), button);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(button.previousSibling);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
}

function heading(found) {
  const title = element("h2", "", element("span", "check", found.check));
  title.id = "finding-title";
  const verdict = element("span", `badge ${found.verdict}`, about.names[found.verdict]);
  const place = element("p", "place", `${found.target}  ${found.column}`);
  return element("header", "", element("div", "bar", verdict, title, ...buttons()), element("p", "title", found.title), place);
}

function buttons() {
  const made = [["‹", "Previous case", () => turn(-1)], ["›", "Next case", () => turn(1)], ["×", "Close", () => dialog.close()]];
  return made.map(([sign, name, action]) => {
    const button = element("button", "quiet", sign);
    button.type = "button";
    button.ariaLabel = button.title = name;
    button.addEventListener("click", action);
    return button;
  });
}

function reasons(found) {
  const made = [];
  if (found.reason || found.detail) {
    made.push(part("Why", element("p", "said", element("span", "reason", found.reason ?? ""), " ", found.detail ?? "")));
  }
  if (found.advice) made.push(part("Add to the configuration", command(found.advice)));
  if (found.accepted.length) made.push(part("Accepted", ...found.accepted.map((text) => element("p", "said", text))));
  if (found.traceback) made.push(part("Traceback", element("pre", "body", found.traceback)));
  return made;
}

function curl(lines, redacted) {
  const words = `${lines.length} ${lines.length === 1 ? "request" : "requests"} as curl`;
  const made = element("details", "curl", element("summary", "", words));
  if (redacted) made.append(element("p", "hint", "Secrets are not kept: put them back where it says [redacted]."));
  made.append(...lines.map(command));
  return made;
}

function exchange(found) {
  if (!about.evidence) return part("Timeline", element("p", "hint", "There is no evidence of this run beside the report."));
  if (!found.steps.length) return part("Timeline", element("p", "hint", "Nothing was recorded for this case."));
  const shown = found.steps.filter((step) => step.record && !step.case).length;
  const words = shown < found.total ? `${shown} of ${found.total} records` : `${found.total} records`;
  const made = part("Timeline", element("p", "hint", `${words}. Open a step to see its headers and its body.`));
  made.append(sequence(found));
  return made;
}

function cited(found) {
  if (!found.cited) return [];
  const more = found.cited - found.records.length;
  const numbers = found.records.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [element("p", "hint", `Shown by ${found.cited === 1 ? "record" : "records"} ${numbers} of the `, evidenceLink(), ".")];
}

function body(found) {
  const made = [part("Clause", element("ul", "clauses", ...found.clauses.map((row) => clause(row, found.soft))))];
  if (found.violations.length) made.push(part("Finding", ...found.violations.map(claim), ...cited(found)));
  if (found.notes.length) made.push(part("Notes", ...found.notes.map(claim)));
  made.push(...reasons(found));
  if (found.rerun) made.push(part("Run it again", command(found.rerun)));
  if (found.curl.length) made.push(part("Requests", curl(found.curl, found.redacted)));
  return [...made, exchange(found)];
}

function open(number, from) {
  const found = read(number);
  [current, opener] = [number, from ?? opener];
  dialog.replaceChildren(heading(found), element("div", "parts", ...body(found)));
  dialog.querySelector(".parts").tabIndex = 0;
  if (!dialog.open) dialog.showModal();
  history.replaceState(null, "", `#${encodeURIComponent(found.case)}`);
}

// To the next case that the filters show, in the order of the matrix.
function turn(step) {
  const cells = table ? visibleCells() : [];
  const next = cells[cells.findIndex((cell) => cell.dataset.case === current) + step];
  if (!next) return;
  open(next.dataset.case, next);
  dialog.querySelectorAll("header button")[step < 0 ? 0 : 1].focus();
}

function openNamed() {
  const number = about.cases.findIndex((name) => `#${encodeURIComponent(name)}` === location.hash);
  if (number >= 0) open(String(number), table?.querySelector(`[data-case="${number}"]`));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-case]");
  if (button) open(button.dataset.case, button);
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener("close", () => {
  history.replaceState(null, "", location.pathname + location.search);
  opener?.focus();
});
dialog.addEventListener("keydown", (event) => {
  if (event.key === "ArrowLeft") turn(-1);
  if (event.key === "ArrowRight") turn(1);
});
addEventListener("hashchange", openNamed);
openNamed();
