"use strict";
// Shows a replay of any game. The contents of slots and the icons come from the game's drawing; everything else is set as plain text.

const byId = (id) => document.getElementById(id);
const replay = JSON.parse(byId("replay").textContent);
const sides = replay.sides.map(([name, player, icon]) => ({ name, player, icon }));
const frames = replay.frames.map(([turn, side, action, events]) => ({ turn, side, action, events }));
const last = frames.length - 1;
const slots = [...document.querySelectorAll("[id^=slot-]")];

// The index of each slot's content in every frame.
const drawn = [];
for (const [, , , , changes] of replay.frames) {
  const now = drawn.length ? [...drawn[drawn.length - 1]] : slots.map(() => 0);
  for (let n = 0; n < changes.length; n += 2) now[changes[n]] = changes[n + 1];
  drawn.push(now);
}

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function icon(side) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("viewBox", "-30 -30 60 60");
  made.setAttribute("class", "icon");
  made.setAttribute("aria-hidden", "true");
  made.innerHTML = side.icon;
  return made;
}

// What never changes.

function head() {
  if (sides.every((side) => side.player)) {
    for (const [number, side] of sides.entries()) {
      if (number) byId("title").append(element("span", "–"));
      const player = element("div");
      const name = element("span");
      // A long name breaks between its options.
      for (const part of side.player.split(/(?<=[:,])/)) name.append(part, element("wbr"));
      player.append(icon(side), name);
      byId("title").append(player);
    }
  } else {
    byId("title").textContent = replay.title;
  }
  for (const words of replay.about) byId("about").append(element("li", words));
  byId("about").append(element("li", replay.result, { class: "result" }));
}

const links = [];

function list() {
  const start = element("a", "start", { href: "#ply=0" });
  links.push(start);
  byId("steps").append(start);
  for (let ply = 1; ply <= last; ply += 1) {
    const { turn, side, action, events } = frames[ply];
    const before = frames[ply - 1];
    if (ply === 1 || turn !== before.turn || side !== before.side) {
      const heading = element("h2");
      heading.append(icon(sides[side]), `turn ${turn} · ${sides[side].name}`);
      byId("steps").append(heading);
    }
    const link = element("a", action, { href: `#ply=${ply}` });
    for (const clause of events) link.append(element("span", clause));
    links.push(link);
    byId("steps").append(link);
  }
  byId("steps").append(element("p", replay.result));
}

// The current frame.

let at = 0;
let shown = slots.map(() => 0);

function show(ply) {
  at = Math.min(Math.max(ply, 0), last);
  slots.forEach((slot, n) => {
    if (drawn[at][n] !== shown[n]) slot.innerHTML = replay.contents[drawn[at][n]];
  });
  shown = drawn[at];
  showEvents(frames[at]);
  showPlaceInGraph();
  showNotes();
  byId("slider").value = at;
  byId("slider").style.setProperty("--done", `${last ? (100 * at) / last : 100}%`);
  byId("ply").textContent = `${at} / ${last}`;
  for (const button of document.querySelectorAll("[data-go]")) button.disabled = target(button.dataset.go) === at;
  document.querySelector("#steps [aria-current]")?.removeAttribute("aria-current");
  links[at].setAttribute("aria-current", "step");
  reveal(links[at]);
  // Within another page, as in a notebook, it has no address of its own.
  if (location.protocol !== "about:" && location.hash !== `#ply=${at}`) history.replaceState(null, "", `#ply=${at}`);
}

// The graph of an analysed game; a click shows the turn.
const columns = [];

function drawGraph() {
  if (!replay.graph) return;
  byId("graph").innerHTML = replay.graph;
  byId("graph").hidden = false;
  for (const column of byId("graph").querySelectorAll("[data-ply]")) {
    columns.push(column);
    column.addEventListener("click", () => { pause(); show(Number(column.dataset.ply)); });
  }
}

function showPlaceInGraph() {
  const now = columns.findLast((column) => Number(column.dataset.ply) <= at);
  for (const column of columns) column.classList.toggle("now", column === now);
}

function showEvents({ turn, side, action, events }) {
  const line = element("p");
  if (action === null) line.append(`Turn ${turn}: the start`);
  else line.append(icon(sides[side]), `${sides[side].name}: ${action}`);
  const clauses = element("ul");
  for (const clause of events) clauses.append(element("li", clause));
  if (at === last) clauses.append(element("li", replay.result));
  byId("events").replaceChildren(line, clauses);
}

// Notes about the position, shown until the end of the turn that was played from it.
const noted = Object.keys(replay.notes ?? {}).map(Number);

function showNotes() {
  const from = noted.findLast((frame) => frame <= at);
  const isOver = from !== at && (frames[at].side !== frames[from + 1]?.side || frames[at].turn !== frames[from + 1].turn);
  byId("notes").hidden = noted.length === 0;
  byId("notes").replaceChildren(...(from === undefined || isOver ? [] : replay.notes[from]).map(([heading, text, isOpen]) => {
    const note = element("details");
    note.open = isOpen;
    note.append(element("summary", heading), element("pre", replay.contents[text]));
    return note;
  }));
}

// Scrolls the list only, never the page.
function reveal(link) {
  const steps = byId("steps");
  const [inside, around] = [link.getBoundingClientRect(), steps.getBoundingClientRect()];
  // The heading of the turn stays where it is, over the list.
  const top = around.top + (steps.querySelector("h2")?.offsetHeight ?? 0);
  const margin = Math.min(80, (around.bottom - top) / 4);
  if (inside.top < top + margin || inside.bottom > around.bottom - margin) {
    steps.scrollTop += inside.top - top - Math.max(0, (around.bottom - top - inside.height) / 2);
  }
}

// Navigation.

function turnStart(ply, way) {
  const isStart = (n) => n === 0 || n === last || frames[n].turn !== frames[n + 1].turn;
  let to = ply + way;
  while (to > 0 && to < last && !isStart(to)) to += way;
  return Math.min(Math.max(to, 0), last);
}

function target(go) {
  switch (go) {
    case "first": return 0;
    case "turn-back": return turnStart(at, -1);
    case "back": return Math.max(at - 1, 0);
    case "on": return Math.min(at + 1, last);
    case "turn-on": return turnStart(at, 1);
    default: return last;
  }
}

let timer = null;

function pause() {
  clearTimeout(timer);
  timer = null;
  byId("play").setAttribute("aria-pressed", "false");
}

function wait() {
  timer = setTimeout(() => {
    show(at + 1);
    if (at < last) wait();
    else pause();
  }, 1000 / Number(byId("speed").value));
}

function toggle() {
  if (timer !== null) return pause();
  if (at === last) show(0);
  byId("play").setAttribute("aria-pressed", "true");
  return wait();
}

function go(where) {
  pause();
  show(target(where));
}

function faster(way) {
  const { options, selectedIndex } = byId("speed");
  byId("speed").selectedIndex = Math.min(Math.max(selectedIndex + way, 0), options.length - 1);
}

function changeTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

const KEYS = {
  ArrowLeft: () => go("back"),
  ArrowRight: () => go("on"),
  ArrowUp: () => go("turn-back"),
  ArrowDown: () => go("turn-on"),
  PageUp: () => go("turn-back"),
  PageDown: () => go("turn-on"),
  Home: () => go("first"),
  End: () => go("last"),
  " ": toggle,
  "+": () => faster(1),
  "-": () => faster(-1),
  t: changeTheme,
  Escape: () => parent.postMessage("close", "*"), // a page around it may close it
};

function fromHash() {
  const found = /^#ply=(\d+)$/.exec(location.hash);
  return found ? Number(found[1]) : 0;
}

head();
list();
drawGraph();
byId("slider").max = last;
byId("slider").addEventListener("input", () => { pause(); show(Number(byId("slider").value)); });
byId("play").addEventListener("click", toggle);
byId("theme").addEventListener("click", changeTheme);
byId("controls").addEventListener("submit", (event) => event.preventDefault());
for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(button.dataset.go));
addEventListener("hashchange", () => { if (fromHash() !== at) { pause(); show(fromHash()); } });
document.addEventListener("keydown", (event) => {
  const { target: on, key, ctrlKey, altKey, metaKey } = event;
  // A focused control keeps the keys it needs.
  if (ctrlKey || altKey || metaKey || !KEYS[key] || on.matches("input, select") || (key === " " && on.matches("button"))) return;
  event.preventDefault();
  KEYS[key]();
});
show(fromHash());
