"use strict";
const at = (name) => document.getElementById(name);
const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
const line = (kind, text, ...children) => {
  const made = document.createElement(kind);
  made.textContent = text; made.append(...children);
  return made;
};
const button = (text, what) => {
  const made = line("button", text);
  made.addEventListener("click", () => say(what));
  return made;
};
const percent = (share) => (100 * share).toFixed(1) + "%";
function card(large, small) { const made = line("div", "", line("b", large), line("span", small)); made.className = "card"; return made; }
function show(answer) {
  const cards = [card(percent(answer.draft.accuracy), `right on these rows: ${answer.draft.errors} errors`)];
  cards.push(card(answer.expected === null ? "…" : percent(answer.expected), "to expect on new rows"));
  cards.push(card(answer.draft.complexity, "complexity"), card(answer.draft.objective, "objective of the draft"));
  if (answer.cost) cards.push(card(answer.cost, "is what is kept and banned costs"));
  at("cards").replaceChildren(...cards);
  at("rules").replaceChildren(...answer.rules.map((text, number) => {
    const place = number + 1, kept = answer.kept[number];
    const buttons = line("div", "");
    const edit = line("button", "edit");
    edit.addEventListener("click", () => { const now = prompt("Put in its place:", text); if (now) say(`edit ${place} ${quoted(now)}`); });
    buttons.append(button(kept ? "release" : "keep", `${kept ? "release" : "keep"} ${place}`), edit, button("drop", `drop ${place}`));
    const item = line("li", text, buttons);
    if (kept) item.className = "kept";
    return item;
  }));
  at("broken").textContent = answer.draft.broken.length ? "Breaks " + answer.draft.broken.join("; ") : "";
  at("banned").replaceChildren(...answer.banned.map((name) => button(`allow ${name}`, `allow ${quoted(name)}`)));
  const done = answer.completed;
  at("state").textContent = answer.failure ?? (done === null ? "None found yet." :
    `${answer.is_optimal ? "Proven best" : answer.is_final ? "Final" : "So far"}: objective ${done.objective}` +
    (answer.bound === null ? "" : `, none is below ${answer.bound}`) + `; ${done.errors} errors (${percent(done.accuracy)})`);
  at("completion").replaceChildren(...(answer.completion ?? []).map((text) => line("li", text)));
}
async function ask(path, body) {
  const reply = await fetch(path, body === undefined ? {} : {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  return reply.json();
}
async function say(text) {
  at("problem").textContent = "";
  const reply = await ask("say", {line: text});
  if (reply.problem) at("problem").textContent = reply.problem;
  else at("said").textContent = `> ${text}\n${reply.said}`;
  if (reply.answer) show(reply.answer);
}
for (const made of document.querySelectorAll("[data-say]")) made.addEventListener("click", () => say(made.dataset.say));
at("add").addEventListener("submit", (event) => { event.preventDefault(); say(`add ${quoted(at("text").value)}`); });
at("ban").addEventListener("submit", (event) => { event.preventDefault(); say(`ban ${quoted(at("name").value)}`); });
at("price-it").addEventListener("click", () => say(`price ban ${quoted(at("name").value)}`));
at("download").addEventListener("click", async () => {
  const reply = await ask("model", {});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([reply.model], {type: "application/json"}));
  link.download = "model.json"; link.click();
});
async function look() { const reply = await ask("state"); show(reply.answer); if (!at("names").children.length) at("names").append(...reply.names.map((name) => new Option(name))); }
look(); setInterval(look, 1500);
