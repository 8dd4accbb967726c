// The next level, which is offered after two wins in a row against a level.

import { $, kept } from "./dom.js";
import { say } from "./words.js";

const WINS = 2;

// Note how a game ended, once, and return whether the next level is due.
function isDue({ session, game, players }, isWon) {
  const level = Object.values(players).find((player) => player !== "person");
  const name = `wins ${game} ${level}`;
  const won = JSON.parse(kept(name, "[]"));
  const wins = isWon ? [...new Set([...won, session])].slice(-WINS) : [];
  localStorage.setItem(name, JSON.stringify(wins));
  return wins.length === WINS;
}

// `isWon` is null unless the person has won or lost against an agent.
export function offerLevel(state, isWon) {
  const { next_level: next } = state;
  $("level").hidden = isWon === null || !next || !isDue(state, isWon);
  if (next) $("level").textContent = say("Next level: {level}", { level: next.name });
  $("level").dataset.player = next?.player ?? "";
}
