// Games that were left before their end: what this window was showing, and what can be continued.

import { $, element } from "./dom.js";
import { SILENCE, ask } from "./server.js";
import { locale, say } from "./words.js";

const SHOWN = "shown"; // in the window's storage: the session, and its server
const LEFT = "left"; // the game that was left for a lesson

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function remember({ session, server }) {
  sessionStorage.setItem(SHOWN, JSON.stringify({ session, server }));
}

// Whether no person has done anything yet: an agent may have begun, and the page itself chooses the only copy, quietly.
export const isUntouched = ({ log, exercise, players }) => !exercise && log.every((entry) => entry.is_quiet || players[entry.player] !== "person");

// The session that this window showed, if its server was replaced by another, in which nothing was played; else null.
export function lostSession(state) {
  const { session, server } = state;
  const shown = JSON.parse(sessionStorage.getItem(SHOWN) ?? "null");
  const isLost = shown && shown.server !== server && shown.session !== session;
  return isLost && isUntouched(state) ? shown.session : null;
}

// A game that is left for a lesson is offered when the lesson is left.
export async function leave(state) {
  if (state.exercise) return;
  const isLeft = !isUntouched(state) && !state.is_over && (await keeping()).is_keeping;
  if (isLeft) sessionStorage.setItem(LEFT, state.session);
  else sessionStorage.removeItem(LEFT);
}

export const leftGame = () => sessionStorage.getItem(LEFT);

function inWords(seconds) {
  const [amount, unit] = seconds < HOUR ? [seconds / MINUTE, "minute"] : seconds < DAY ? [seconds / HOUR, "hour"] : [seconds / DAY, "day"];
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-Math.floor(amount), unit);
}

// Whether games are kept and, if they should be but cannot, why not.
export const keeping = () => ask("/api/kept").catch(() => ({ is_keeping: false, problem: SILENCE }));

// Fill the list in the dialog for a new game; `resume` continues a game. Returns the latest game, if there is one.
export async function listKept(resume) {
  const { games, problem } = await ask("/api/kept").catch(() => ({ games: [], problem: "" }));
  fill(games, resume);
  $("kept-problem").textContent = problem && say("Unfinished games cannot be kept: {problem}", { problem });
  $("kept-problem").hidden = !problem;
  return games[0];
}

function fill(games, resume) {
  $("unfinished").hidden = !games.length;
  $("unfinished-games").replaceChildren(...games.map(({ id, label, age }) => {
    const item = element("li");
    const button = element("button", "", { type: "button", "data-session": id });
    button.append(element("span", label), element("small", inWords(age)));
    button.addEventListener("click", () => resume(id));
    const forget = element("button", "×", { type: "button", "aria-label": say("Forget: {game}", { game: label }), title: say("Forget this game") });
    forget.addEventListener("click", async () => {
      if (confirm(say("Forget this game?"))) fill((await ask("/api/forget", { id })).games, resume);
    });
    item.append(button, forget);
    return item;
  }));
}

// Before anything is played, the latest game is offered above the boards.
export function offer(latest, resume) {
  $("resume").hidden = !latest;
  if ($("resume").hidden) return;
  $("resume-label").textContent = latest.label;
  $("resume-continue").onclick = () => resume(latest.id);
}
