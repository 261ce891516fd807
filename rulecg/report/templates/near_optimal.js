"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (name) => document.getElementById(name);
const sets = data.sets, svg = at("picture"), names = data.measures;
const wanted = new Map();
const make = (kind, values) => {
  const found = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(values)) found.setAttribute(name, value);
  return found;
};
const extent = (values) => [Math.min(...values), Math.max(...values)];
const sizes = extent(sets.map((one) => one.values[0]));
at("size").min = sizes[0]; at("size").max = sizes[1]; at("size").value = sizes[1];
names.forEach((name, place) => at("height").append(new Option(name, place)));
for (const column of data.columns) {
  const label = document.createElement("label"), choice = document.createElement("select");
  for (const text of ["with or without", "with", "without"]) choice.append(new Option(text));
  choice.dataset.column = column;
  choice.addEventListener("change", () => { wanted.set(column, choice.value); show(); });
  label.append(column + " ", choice);
  at("columns").append(label);
}
function passes(one, measure, most) {
  if (one.values[0] > Number(at("size").value) || one.values[measure] > most + 1e-12) return false;
  for (const [column, how] of wanted) {
    if (how === "with" && !one.columns.includes(column)) return false;
    if (how === "without" && one.columns.includes(column)) return false;
  }
  return true;
}
function show() {
  const measure = Number(at("height").value);
  const [low, high] = extent(sets.map((one) => one.values[measure]));
  const most = low + (high - low) * Number(at("gap").value) / 1000;
  const [left, right] = extent(sets.map((one) => one.objective));
  const x = (value) => 60 + 680 * (value - left) / Math.max(right - left, 1e-9);
  const y = (value) => 260 - 240 * (value - low) / Math.max(high - low, 1e-9);
  at("size-now").textContent = at("size").value;
  at("gap-now").textContent = most.toFixed(measure ? 3 : 0);
  svg.replaceChildren();
  svg.append(make("line", {x1: 50, y1: 270, x2: 750, y2: 270}), make("line", {x1: 50, y1: 10, x2: 50, y2: 270}));
  const texts = [[left, 60, 286], [right, 730, 286], [low, 5, 262], [high, 5, 24]];
  texts.forEach(([value, across, down], number) => {
    const text = make("text", {x: across, y: down, "text-anchor": number === 1 ? "end" : "start"});
    text.textContent = Number.isInteger(value) ? value : value.toFixed(3);
    svg.append(text);
  });
  const title = make("text", {x: 400, y: 298, "text-anchor": "middle"});
  title.textContent = "objective"; svg.append(title);
  const found = sets.filter((one) => passes(one, measure, most));
  const inside = new Set(found);
  for (const one of sets) {
    const circle = make("circle", {cx: x(one.objective), cy: y(one.values[measure]), r: 5});
    if (!inside.has(one)) circle.setAttribute("class", "out");
    const hint = make("title", {}); hint.textContent = one.text; circle.append(hint); svg.append(circle);
  }
  at("count").textContent = `${found.length} of ${sets.length} rule sets`;
  at("sets").replaceChildren(...found.slice(0, 50).map((one) => {
    const item = document.createElement("li");
    const stands = one.texts === null ? "more texts than were counted" : one.texts === 1 ? "this text only" : `${one.texts} texts`;
    item.textContent = `${one.text} — objective ${one.objective}, errors ${one.errors}, complexity ${one.values[0]}; stands for ${stands}`;
    return item;
  }));
}
for (const name of ["size", "height", "gap"]) at(name).addEventListener("input", show);
show();
