// Study: any position of the game, the best lines from there, and what was played there in records.

import { awaited } from "./busy.js";
import { $, element, upper } from "./dom.js";
import { ask } from "./server.js";
import { say } from "./words.js";

// What is looked at: the game after `ply` actions, then the turns in `before`, then the first `at` turns of `line`.
let spot = null;
let best = null; // the best lines from there, before the turns of `line`; null if they were not asked for
let begins = []; // the number of actions before each turn, and in the game so far
let canEvaluate = false;
let players = [];
let draw = () => {};
let tell = () => {};
let asked = 0;

export const isStudying = () => spot !== null;

const turnsOfSpot = () => [...spot.before, ...spot.line.slice(0, spot.at)];
const bodyOf = (turns) => ({ ply: spot.ply, actions: turns.flatMap(({ actions }) => actions) });

// Begin, or go on, with the latest state; `show` draws a position, null for the game itself, and `complain` shows a message.
export function study(state, show, complain) {
  [draw, tell, canEvaluate, players] = [show, complain, state.can_evaluate, Object.values(state.called)];
  begins = state.log.flatMap((entry, ply) => (ply === 0 || entry.turn !== state.log[ply - 1].turn || entry.player !== state.log[ply - 1].player ? [ply] : []));
  // The choice of a copy, which does nothing by itself, begins no position of its own.
  if (state.log.slice(begins.at(-1)).some((entry) => !entry.is_quiet) || !begins.length) begins.push(state.log.length);
  goTo({ ply: begins.at(-1) });
  findLines();
}

export function leaveStudy() {
  asked += 1;
  spot = best = null;
  draw(null);
}

function goTo({ ply = spot.ply, before = [], line = [], at = 0 }) {
  const isSame = spot && spot.ply === ply && spot.before.length === before.length;
  if (!isSame) best = null;
  spot = { ply, before, line, at };
  return look();
}

async function look() {
  const mine = (asked += 1);
  try {
    const found = await awaited(ask("/api/look", bodyOf(turnsOfSpot())));
    if (mine !== asked) return;
    draw(found);
    show(found);
  } catch (error) {
    tell(error.message);
  }
}

// The best lines from what is looked at now; the line that led there comes before them.
async function findLines() {
  if (!canEvaluate) return showLines();
  const before = turnsOfSpot();
  spot = { ply: spot.ply, before, line: [], at: 0 };
  best = null;
  const here = spot;
  $("lines").replaceChildren(element("li", say("thinking…")));
  try {
    const found = await awaited(ask("/api/lines", bodyOf(before)));
    if (spot?.ply !== here.ply || spot.before !== here.before) return;
    best = found;
    showLines();
  } catch (error) {
    tell(error.message);
  }
}

function back() {
  if (spot.at) return goTo({ ...spot, at: spot.at - 1 });
  if (spot.before.length) return goTo({ before: spot.before.slice(0, -1) });
  return goTo({ ply: begins.findLast((ply) => ply < spot.ply) ?? 0 });
}

function on() {
  if (spot.at < spot.line.length) return goTo({ ...spot, at: spot.at + 1 });
  if (spot.before.length || spot.at) return undefined;
  return goTo({ ply: begins.find((ply) => ply > spot.ply) ?? begins.at(-1) });
}

function show({ situation, turn, verdict, records }) {
  const turns = turnsOfSpot();
  $("looked").textContent = turns.length
    ? say(["Turn {turn}, {count} turn into a line: {situation}.", "Turn {turn}, {count} turns into a line: {situation}."], { turn, situation, count: turns.length })
    : say("Turn {turn}, {situation}.", { turn, situation });
  $("verdict").textContent = verdict;
  $("study-back").disabled = !turns.length && spot.ply === 0;
  $("study-first").disabled = $("study-back").disabled;
  $("study-on").disabled = spot.at >= spot.line.length && (turns.length > 0 || spot.ply === begins.at(-1));
  $("study-last").disabled = !turns.length && spot.ply === begins.at(-1);
  $("study-best").hidden = !canEvaluate || (best !== null && spot.at === 0);
  showLines();
  showRecords(records);
}

function turnButton(turn, isCurrent, onClick) {
  const button = element("button", "", { type: "button", title: turn.words, "aria-pressed": String(isCurrent) });
  button.append(element("span", `${upper(turn.player)}: ${turn.short}`));
  button.addEventListener("click", onClick);
  return button;
}

function showLines() {
  const isEmpty = best !== null && !best.length;
  $("best").hidden = !canEvaluate || best === null;
  $("lines").replaceChildren(...(isEmpty ? [element("li", say("The game is over."))] : best ?? []).map((line) => {
    if (line instanceof Element) return line;
    const item = element("li");
    item.append(element("p", `${upper(line.worth)}. ${line.why}`));
    const isOpen = spot.line === line.turns;
    item.append(...line.turns.map((turn, index) => turnButton(turn, isOpen && index === spot.at - 1, () => goTo({ ...spot, line: line.turns, at: index + 1 }))));
    return item;
  }));
}

// What was played here, how these games ended, and by whom.
function showRecords(records) {
  $("records-here").hidden = !records;
  if (!records) return;
  const { read, is_complete: isComplete, problems, turns } = records;
  $("records-read").textContent = [isComplete ? say(["{count} game", "{count} games"], { count: read }) : say(["{count} game so far", "{count} games so far"], { count: read }), ...problems].join("; ");
  $("explored").hidden = !turns.length;
  $("won-by").textContent = players.join(" : ");
  $("explored-none").hidden = Boolean(turns.length);
  $("explored").tBodies[0].replaceChildren(...turns.map((turn) => {
    const row = element("tr");
    const cell = element("td");
    cell.append(turnButton(turn, false, () => goTo({ before: turnsOfSpot(), line: [turn], at: 1 })));
    row.append(cell, element("td", turn.games), element("td", turn.won.join(" : ")), element("td", turn.players.join(", ")));
    return row;
  }));
}

export function wireStudy() {
  $("study-first").addEventListener("click", () => goTo({ ply: 0 }));
  $("study-back").addEventListener("click", back);
  $("study-on").addEventListener("click", on);
  $("study-last").addEventListener("click", () => goTo({ ply: begins.at(-1) }));
  $("study-best").addEventListener("click", findLines);
}

// Whether a key was for the study.
export function studyKey(key) {
  if (!isStudying() || document.activeElement?.closest("[role=grid]")) return false;
  const does = { ArrowLeft: back, ArrowRight: on, Escape: leaveStudy }[key];
  does?.();
  return Boolean(does);
}
