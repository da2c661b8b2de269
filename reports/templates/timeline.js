// The exchange of a case as a sequence diagram: one row per step, lifelines running through, bodies on demand.

const SVG = "http://www.w3.org/2000/svg";

function element(name, classes, ...content) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...content);
  return made;
}

function drawing(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, given] of Object.entries(attributes)) made.setAttribute(key, given);
  return made;
}

const percent = (place) => `${place}%`;

function sequence(found) {
  const places = new Map(found.lanes.map((lane, n) => [lane, ((n + 0.5) / found.lanes.length) * 100]));
  const list = element("ol", "steps");
  const begin = found.steps.find((step) => step.record)?.time ?? 0;
  for (const step of found.steps) {
    if (step.skipped) list.append(gap(step.skipped));
    list.append(stepRow(step, places, begin));
  }
  if (found.rest) list.append(gap(found.rest));
  return element("div", "sequence", lanes(places), list);
}

function lanes(places) {
  const heads = element("div", "lanes");
  for (const [lane, place] of places) {
    const head = element("span", "", lane);
    head.style.left = percent(place);
    heads.append(head);
  }
  return heads;
}

const gap = (count) => element("li", "gap", `${count} more ${count === 1 ? "record" : "records"} of this case`);

function stepRow(step, places, begin) {
  const row = element("li", `step ${step.shape}${step.cited ? " cited" : ""}`);
  const line = [stamp(step, begin), diagram(step, places)];
  const unfolds = step.head || step.body || step.case;
  row.append(unfolds ? element("details", "", element("summary", "line", ...line), content(step)) : element("div", "line", ...line));
  return row;
}

function stamp(step, begin) {
  const number = element("b", "", step.record ? `#${step.record}` : "");
  const time = element("span", "", step.record ? `+${((step.time ?? 0) - begin).toFixed(3)}` : "");
  return element("span", "stamp", number, time);
}

function diagram(step, places) {
  const [from, to] = [places.get(step.source), places.get(step.goal)];
  const picture = drawing("svg", { "aria-hidden": "true" });
  for (const place of places.values()) {
    picture.append(drawing("line", { class: "life", x1: percent(place), x2: percent(place), y1: "0", y2: "100%" }));
  }
  picture.append(...(from === to ? mark(from) : arrow(from, to, step.shape)));
  return element("span", "picture", picture, caption(step, from, to));
}

function mark(place) {
  return [drawing("circle", { class: "mark", cx: percent(place), cy: "28", r: "4.5" })];
}

// The head is a nested picture, so that its shape keeps its size while the line takes the width there is.
function arrow(from, to, shape) {
  const [ahead, y] = [to > from, 28];
  const line = drawing("line", { class: "arrow", x1: percent(from), x2: percent(shape === "torn" ? (from + to) / 2 : to), y1: y, y2: y });
  const head = drawing("svg", { x: percent(shape === "torn" ? (from + to) / 2 : to), y: y - 5, overflow: "visible" });
  const tips = { torn: "M-5 0 L5 10 M5 0 L-5 10", open: "M-1 5 h2", closed: "M0 -1 v12" };
  head.append(drawing("path", { class: "tip", d: tips[shape] ?? (ahead ? "M-9 0 L0 5 L-9 10" : "M9 0 L0 5 L9 10") }));
  return [line, head];
}

// What is said of a step: above its arrow where that begins, or above its mark in the middle of the picture.
function caption(step, from, to) {
  const words = element("span", "words", step.label);
  const where = element("span", "operation", step.operation ?? "");
  const made = element("span", "caption", words, where);
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  if (left === right && left > 30 && left < 70) {
    made.style.left = percent(left);
    made.style.transform = "translateX(-50%)";
    made.style.width = "max-content";
    made.style.maxWidth = percent(2 * Math.min(left, 100 - left));
  } else if (left < 50) {
    made.style.left = `calc(${left}% + 10px)`;
    made.style.maxWidth = `calc(${100 - left}% - 14px)`;
  } else {
    made.style.right = `calc(${100 - right}% + 10px)`;
    made.style.maxWidth = `calc(${right}% - 14px)`;
  }
  return made;
}

function content(step) {
  const parts = element("div", "content");
  if (step.case) parts.append(element("p", "", `from ${step.case}`));
  if (step.head) parts.append(element("pre", "head", step.head.join("\n")));
  if (step.body) parts.append(element("pre", "body", step.body));
  if (step.size) parts.append(element("p", "cut", `Cut: ${step.size} characters in all, see line ${step.record} of the `, evidenceLink(), "."));
  return parts;
}

function evidenceLink() {
  if (!about.href) return element("span", "", "evidence");
  const link = element("a", "", "evidence");
  link.href = about.href;
  return link;
}
