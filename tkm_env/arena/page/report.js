"use strict";
// Lists the games of a report, sorts its tables, and opens replays. All text is set as plain text.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const games = data.games.map(([section, settings, first, second, result, turns, kind, shell], index) => (
  { number: data.before + index + 1, section, settings, players: [first, second], result, turns, kind, shell }
));
const SHOWN = 100;
const WORDS = { "1-0": "1 – 0", "0-1": "0 – 1", "1/2": "½ – ½", "*": "cut off" };

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The list of games.

const filters = { game: byId("of-game"), one: byId("of-one"), other: byId("of-other"), settings: byId("of-settings"), end: byId("of-end") };

function fill(select, names) {
  names.forEach((name, number) => select?.append(element("option", name, { value: number })));
}

const ENDS = {
  "": () => true,
  win: (game) => game.result === "1-0" || game.result === "0-1",
  draw: (game) => game.result === "1/2" || game.result === "*",
  fault: (game) => game.kind !== null,
};

function matches(game) {
  const [one, other] = [filters.one.value, filters.other.value];
  const seats = game.players.map(String);
  return (!filters.game?.value || String(game.section) === filters.game.value)
    && (!filters.settings.value || String(game.settings) === filters.settings.value)
    && (!one || seats.includes(one)) && (!other || (seats.includes(other) && one !== other))
    && ENDS[filters.end.value](game);
}

function address(game) {
  if (data.folder !== null) return `${data.folder}/${game.number}.html`;
  return game.shell === null ? null : `#game=${game.number}`;
}

function player(game, seat) {
  const won = game.result === (seat ? "0-1" : "1-0");
  const name = element("bdi", data.short[game.players[seat]], { class: `${seat ? "second" : "first"}${won ? " won" : ""}` });
  name.title = data.players[game.players[seat]];
  return name;
}

function row(game) {
  const to = address(game);
  const line = to === null ? element("span", "", { class: "row" }) : element("a", "", { href: to });
  const how = game.kind === null ? `${game.turns} turns` : data.kinds[game.kind];
  const words = data.sections.length > 1 ? [data.sections[game.section]] : [];
  if (words.length === 0 || data.settings[game.settings] !== data.usual) words.push(data.settings[game.settings]);
  line.append(
    element("span", game.number, { class: "of" }),
    player(game, 0), element("span", WORDS[game.result], { class: "result" }), player(game, 1),
    element("span", words.join(", "), { class: "settings" }),
    element("span", how, { class: game.kind === null ? "how" : "how fault" }),
  );
  const item = element("li");
  item.append(line);
  return item;
}

let listed = [];

function more() {
  const begin = byId("list").childElementCount;
  byId("list").append(...listed.slice(begin, begin + SHOWN).map(row));
  byId("more").hidden = byId("list").childElementCount >= listed.length;
}

function list() {
  listed = games.filter(matches).reverse(); // what was just played comes first
  byId("count").textContent = listed.length === 1 ? "1 game" : `${listed.length} games`;
  byId("list").replaceChildren();
  more();
}

function showGamesOf({ game, one, other }) {
  for (const select of Object.values(filters)) if (select) select.value = "";
  if (filters.game) filters.game.value = game;
  filters.one.value = one;
  filters.other.value = other;
  list();
}

// Tables that sort by the column whose head is pressed.

function valueOf(cell) {
  const number = Number.parseFloat(cell.dataset.value ?? cell.textContent);
  return cell.classList.contains("number") ? (Number.isNaN(number) ? -Infinity : number) : cell.textContent;
}

function sort(table, head, column) {
  const down = head.getAttribute("aria-sort") === "descending" || (!head.hasAttribute("aria-sort") && !head.classList.contains("number"));
  for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((line) => [valueOf(line.cells[column]), line]);
  rows.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0) * (down ? 1 : -1));
  body.append(...rows.map(([, line]) => line));
}

for (const table of document.querySelectorAll(".sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = element("button", head.textContent, { type: "button", title: "sort" });
    button.addEventListener("click", () => sort(table, head, column));
    head.replaceChildren(button);
  });
}

// Replays.

const dialog = byId("replay");
let open = null;
let page = null;

async function unpacked(number) {
  const bytes = Uint8Array.from(atob(byId(`game-${number}`).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

async function show(number, ply) {
  const game = games[number - 1];
  if (game === undefined || game.shell === null) return;
  open = number;
  byId("replay-title").textContent = `Game ${number} of ${games.length}`;
  byId("previous").disabled = beside(-1) === undefined;
  byId("next").disabled = beside(1) === undefined;
  byId("trouble").hidden = true;
  if (!dialog.open) dialog.showModal();
  try {
    const [before, after] = data.shells[game.shell];
    const theme = document.documentElement.dataset.theme;
    const begin = theme ? before.replace("<html", `<html data-theme="${theme}"`) : before;
    const content = await unpacked(number);
    if (open !== number) return; // another one was opened meanwhile
    if (page !== null) URL.revokeObjectURL(page);
    page = URL.createObjectURL(new Blob([begin, content, after], { type: "text/html" }));
    // Replaced, so that a step back leads out of the replay, not to the one before.
    const frame = element("iframe", "", { id: "frame", title: `replay of game ${number}`, src: `${page}#ply=${ply}` });
    byId("frame").replaceWith(frame);
    frame.addEventListener("load", () => frame.focus());
  } catch (error) {
    byId("trouble").textContent = `This browser cannot unpack the replay: ${error}`;
    byId("trouble").hidden = false;
  }
}

function beside(way) {
  const numbers = (listed.some((game) => game.number === open) ? listed : games).filter((game) => game.shell !== null).map((game) => game.number).sort((one, other) => one - other);
  return numbers[numbers.indexOf(open) + way];
}

function fromHash() {
  const found = /^#game=(\d+)(?:&ply=(\d+))?$/.exec(location.hash);
  if (found) show(Number(found[1]), Number(found[2] ?? 0));
  else if (dialog.open) dialog.close();
}

function close() {
  open = null;
  if (dialog.open) dialog.close();
  byId("frame").removeAttribute("src");
  if (location.hash.startsWith("#game=")) history.replaceState(null, "", "#games");
}

function changeTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  if (fresh) localStorage.setItem("theme", root.dataset.theme);
}

// A page that a server makes keeps that choice, and is loaded again from time to time, unless somebody is at work on it.
const fresh = Number(document.documentElement.dataset.fresh);
if (fresh) {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "";
  setInterval(() => {
    const reading = document.activeElement !== document.body || String(getSelection());
    if (!document.hidden && !reading && !Object.values(filters).some((one) => one?.value)) location.reload();
  }, 1000 * fresh);
}

fill(filters.game, data.sections);
fill(filters.one, data.players);
fill(filters.other, data.players);
fill(filters.settings, data.settings);
byId("filters").addEventListener("change", list);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("more").addEventListener("click", more);
byId("theme").addEventListener("click", changeTheme);
byId("previous").addEventListener("click", () => { location.hash = `#game=${beside(-1)}`; });
byId("next").addEventListener("click", () => { location.hash = `#game=${beside(1)}`; });
byId("close").addEventListener("click", close);
dialog.addEventListener("close", close);
for (const link of document.querySelectorAll("a[data-one]")) link.addEventListener("click", () => showGamesOf(link.dataset));
addEventListener("hashchange", fromHash);
addEventListener("message", (event) => { if (event.data === "close" && dialog.open) close(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "t" && !event.ctrlKey && !event.altKey && !event.metaKey && !event.target.matches("input, select")) changeTheme();
});
list();
fromHash();
