// The page of a game: shows the state that the server sends, and sends back the names of actions. It contains no rules.

const $ = (id) => document.getElementById(id);
const kept = (name, otherwise) => localStorage.getItem(name) ?? otherwise;

const SILENCE = "The server is not responding.";

let state = null;
let busy = false;
let settings = null;

// Talking to the server.

class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function ask(path, body) {
  const response = await fetch(path, body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status === 204) return null;
  const content = await response.json();
  if (!response.ok) throw new Refused(content.message, response.status);
  return content;
}

function view() {
  return new URLSearchParams({ theme: document.documentElement.dataset.theme, hints: $("hints").checked ? 1 : 0 });
}

// One request at a time that changes the game; if it is refused, the page shows why and reloads the state.
async function change(path, body = {}) {
  if (busy) return;
  busy = true;
  try {
    show(await ask(`${path}?${view()}`, { version: state.version, ...body }));
    notify("");
  } catch (error) {
    // Another window may have had the agent play; then there is nothing to tell.
    const isDone = path === "/api/agent" && error.status === 409;
    if (!isDone) notify(error instanceof Refused ? error.message : SILENCE);
    if (error instanceof Refused) await refresh();
  } finally {
    busy = false;
  }
  letAgentPlay();
}

async function refresh(since) {
  const latest = await ask(`/api/state?${view()}${since ? `&since=${since}` : ""}`);
  if (latest) show(latest);
}

// The agent plays one action at a time, so that each can be seen; in the other windows `follow` shows it.
function letAgentPlay() {
  if (!state?.waits_for_agent || state.is_thinking || $("message").hidden === false) return;
  const version = state.version;
  setTimeout(() => {
    if (state.version === version) change("/api/agent");
  }, Number($("pace").value));
}

const play = (name) => change("/api/play", { action: name });

// Another window, or another machine, may play in the same game.
async function follow() {
  try {
    if (!busy && !document.hidden) {
      await refresh(state.version);
      if ($("message").textContent === SILENCE) notify("");
      letAgentPlay();
    }
  } catch {
    notify(SILENCE);
  }
  setTimeout(follow, 3000);
}

// Showing the game.

function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function notify(message) {
  $("message").textContent = message;
  $("message").hidden = !message;
}

function show(latest) {
  const isNews = state?.version !== latest.version;
  const hadFocus = ["board", "actions"].some((id) => $(id).contains(document.activeElement));
  state = latest;
  document.title = $("title").textContent = latest.title;
  $("situation").textContent = latest.waits_for_agent
    ? `${latest.to_act} (${latest.players[latest.to_act]}) is thinking`
    : `${latest.situation}${isAgainstAgent() ? " (your turn)" : ""}`;
  $("situation").classList.toggle("thinking", latest.waits_for_agent);
  $("last").textContent = lastInWords();
  $("over").hidden = !latest.is_over;
  $("result").textContent = latest.is_over ? latest.situation : "";
  $("now").hidden = latest.is_over;
  $("undo").disabled = !latest.can_undo;
  $("save").hidden = !latest.can_save;
  $("advise").disabled = latest.choices.length === 0;
  $("position").textContent = latest.position;
  $("players").textContent = Object.entries(latest.players).map(([side, player]) => `${side}: ${player}`).join(" · ");
  $("rules").replaceChildren(...latest.rules.map((rule) => element("li", rule)));
  if (isNews) $("advice").hidden = true;
  showBoard();
  showActions();
  showLog();
  if (hadFocus) ($("actions").querySelector("button") ?? $("undo")).focus({ preventScroll: true });
}

const isAgainstAgent = () => new Set(Object.values(state.players)).size > 1;

// The last action; once the turn is over, all of it.
function lastInWords() {
  const last = state.log.at(-1);
  if (!last) return "The game begins.";
  const turn = state.log.filter((entry) => entry.turn === last.turn && entry.player === last.player);
  const recent = last.player === state.to_act ? [last] : turn;
  return `${last.player}: ${recent.map(inWords).join(" · ")}`;
}

const inWords = (entry) => (entry.text ? `${entry.action}: ${entry.text}` : entry.action);

function showBoard() {
  const board = $("board");
  const slid = board.scrollLeft;
  const drawing = document.importNode(new DOMParser().parseFromString(state.svg, "image/svg+xml").documentElement, true);
  for (const place of state.places) {
    const choices = state.choices.filter((choice) => choice.place === place.name);
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const attributes = {
      class: "place", role: "button", tabindex: 0, rx: 8, x: place.x, y: place.y, width: place.width, height: place.height,
      "data-place": place.name, "aria-label": `${place.label}: ${choices.map((choice) => choice.name).join(", ")}`,
    };
    for (const [name, value] of Object.entries(attributes)) rect.setAttribute(name, value);
    const title = document.createElementNS(rect.namespaceURI, "title");
    title.textContent = choices.map((choice) => choice.name).join(", ");
    rect.append(title);
    rect.addEventListener("click", () => choose(place, choices));
    rect.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(place, choices);
    });
    drawing.append(rect);
  }
  board.replaceChildren(drawing);
  board.scrollLeft = slid;
  slideToPlaces(board, drawing);
}

// Where the drawing is wider than the screen, scroll to the places where one can act.
function slideToPlaces(board, drawing) {
  if (!state.places.length || board.scrollWidth <= board.clientWidth) return;
  const scale = board.scrollWidth / drawing.viewBox.baseVal.width;
  const left = scale * Math.min(...state.places.map((place) => place.x));
  const right = scale * Math.max(...state.places.map((place) => place.x + place.width));
  if (left >= board.scrollLeft && right <= board.scrollLeft + board.clientWidth) return;
  board.scrollLeft = (left + right - board.clientWidth) / 2;
}

function choose(place, choices) {
  if (choices.length === 1) return play(choices[0].name);
  const form = $("choice").querySelector("form");
  form.replaceChildren(element("h2", place.label), ...choices.map((choice) => {
    const button = actionButton(choice);
    button.append(element("small", choice.help));
    return button;
  }));
  $("choice").showModal();
}

function actionButton(choice, number = 0) {
  const button = element("button", choice.name, { type: "button", title: choice.help, "data-action": choice.name });
  if (number && number <= 9) button.append(element("kbd", number));
  button.addEventListener("click", () => {
    $("choice").close();
    play(choice.name);
  });
  return button;
}

function showActions() {
  const groups = new Map();
  state.choices.forEach((choice, index) => {
    if (!groups.has(choice.group)) groups.set(choice.group, []);
    groups.get(choice.group).push([choice, index + 1]);
  });
  $("actions").replaceChildren(...[...groups].map(([name, members]) => {
    const group = element("div", "", { role: "group", "aria-label": name });
    const buttons = element("div", "", { class: "buttons" });
    const helps = new Set(members.map(([choice]) => choice.help));
    for (const [choice, number] of members) {
      const button = actionButton(choice, number);
      // Where the actions of a group do different things, each button says what it does.
      if (helps.size > 1 && helps.size === members.length) {
        button.classList.add("described");
        button.append(element("small", choice.help));
      }
      buttons.append(button);
    }
    group.append(element("h3", name), buttons);
    return group;
  }));
}

function showLog() {
  const items = [];
  let turn = null;
  for (const entry of state.log) {
    if (`${entry.turn} ${entry.player}` !== turn) {
      turn = `${entry.turn} ${entry.player}`;
      items.push(element("li", `${entry.turn} · ${entry.player}`, { class: "turn" }));
    }
    const item = element("li", entry.action);
    if (entry.text) item.append(element("span", `: ${entry.text}`));
    items.push(item);
  }
  $("log").replaceChildren(...items);
  $("log").scrollTop = $("log").scrollHeight;
}

// Analysis.

async function advise() {
  const version = state.version;
  $("advise").disabled = true;
  $("lines").replaceChildren(element("li", "thinking…"));
  $("advice").hidden = false;
  try {
    const lines = await ask("/api/advice", {});
    if (state.version !== version) return;
    if (lines.length === 0) $("lines").replaceChildren(element("li", "There is no move to suggest."));
    else $("lines").replaceChildren(...lines.map((line) => {
      const item = element("li", line.worth);
      const turns = element("ol");
      turns.append(...line.turns.map((turn) => element("li", turn.join(", "))));
      item.append(turns);
      return item;
    }));
  } catch (error) {
    $("advice").hidden = true;
    notify(error.message);
  } finally {
    $("advise").disabled = state.choices.length === 0;
  }
}

// A new game.

function select(values, otherwise) {
  const made = element("select");
  if (otherwise !== undefined) made.append(new Option(otherwise, ""));
  made.append(...values.filter((value) => value !== otherwise).map((value) => new Option(value, value)));
  return made;
}

// Each kind of setting: its input, preset to the value given last, and how to read it; undefined where nothing was chosen.
const KINDS = {
  choice: (setting) => {
    const input = select(setting.choices, setting.default);
    if ([...input.options].some((option) => option.value === setting.given)) input.value = setting.given;
    return [input, () => input.value || undefined];
  },
  text: (setting) => {
    const input = element("input", "", { placeholder: setting.default, list: `list-${setting.keyword}`, autocomplete: "off" });
    const list = element("datalist", "", { id: `list-${setting.keyword}` });
    list.append(...setting.choices.map((value) => new Option(value, value)));
    input.value = setting.given ?? "";
    const both = element("div");
    both.append(input, list);
    return [both, () => input.value.trim() || undefined];
  },
  pair: (setting) => {
    const both = element("div", "", { class: "pair" });
    const given = String(setting.given ?? "").split(",");
    const inputs = Object.keys(state.players).map((player, index) => {
      const input = select(setting.choices);
      if (setting.choices.includes(given[index])) input.value = given[index];
      input.setAttribute("aria-label", `${setting.keyword} ${player}`);
      return input;
    });
    both.append(...inputs);
    const isDefault = () => inputs.every((input) => input.value === setting.choices[0]);
    return [both, () => (isDefault() ? undefined : inputs.map((input) => input.value).join(","))];
  },
  number: (setting) => {
    const input = element("input", "", { type: "number", min: 0, step: 1, placeholder: setting.default });
    input.value = setting.given ?? "";
    return [input, () => (input.value === "" ? undefined : Number(input.value))];
  },
  switch: (setting) => {
    const input = element("input", "", { type: "checkbox" });
    input.checked = setting.given === true;
    const label = element("label", "", { class: "switch" });
    label.append(input, "on");
    return [label, () => input.checked || undefined];
  },
};

async function setUp() {
  if (!settings) {
    const groups = await ask("/api/settings");
    settings = Object.values(groups).flat().map((setting) => ({ ...setting, made: KINDS[setting.kind](setting) }));
    $("fields").replaceChildren(...Object.entries(groups).map(([name, rows]) => {
      const group = element("fieldset");
      group.append(element("legend", name));
      for (const row of rows) {
        const { keyword, help, made: [input] } = settings.find((setting) => setting.keyword === row.keyword);
        const field = element("div", "", { class: "field", "data-setting": keyword });
        const asked = input.matches("select, input") ? input : input.querySelector("select, input");
        asked.id = `setting-${keyword}`;
        const label = element("label", keyword.replaceAll("_", " "), { for: asked.id });
        const heading = element("span");
        heading.append(label);
        field.append(heading, input, element("small", help));
        group.append(field);
      }
      return group;
    }));
  }
  $("refused").hidden = true;
  $("setup").showModal();
}

async function begin(event) {
  event.preventDefault();
  const asked = {};
  for (const { keyword, made: [, read] } of settings) {
    const value = read();
    if (value !== undefined) asked[keyword] = value;
  }
  try {
    show(await ask(`/api/new?${view()}`, asked));
    notify("");
    $("setup").close();
  } catch (error) {
    $("refused").textContent = error.message;
    $("refused").hidden = false;
    $("refused").scrollIntoView({ block: "nearest" });
    return;
  }
  letAgentPlay();
}

// Keys and buttons.

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.matches("input, select")) return;
  if (event.key === "u" && state.can_undo) change("/api/undo");
  const choice = state.choices[Number(event.key) - 1];
  if (/^[1-9]$/.test(event.key) && choice) play(choice.name);
}

setTheme(kept("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
$("hints").checked = kept("hints", "true") === "true";
$("pace").value = kept("pace", "500");
$("undo").addEventListener("click", () => change("/api/undo"));
$("advise").addEventListener("click", advise);
$("help").addEventListener("click", () => $("about").showModal());
for (const id of ["new", "again"]) $(id).addEventListener("click", setUp);
$("cancel").addEventListener("click", () => $("setup").close());
$("setup").querySelector("form").addEventListener("submit", begin);
$("theme").addEventListener("click", () => {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  localStorage.setItem("theme", document.documentElement.dataset.theme);
  refresh();
});
$("hints").addEventListener("change", () => {
  localStorage.setItem("hints", $("hints").checked);
  refresh();
});
$("pace").addEventListener("change", () => localStorage.setItem("pace", $("pace").value));
for (const dialog of document.querySelectorAll("dialog")) {
  // A click beside a dialog closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}
document.addEventListener("keydown", onKey);
await refresh();
letAgentPlay();
setTimeout(follow, 3000);
