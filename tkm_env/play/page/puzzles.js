// The puzzle of the day, and a rating of one's own, which never leaves the browser.

import { $, element, kept } from "./dom.js";
import { locale, say } from "./words.js";

const DAY = 24 * 60 * 60 * 1000;
const FIRST_RATING = 1000;
// What a puzzle is worth, by its difficulty.
const EASIEST = 800;
const HARDER = 250;
// How far a puzzle moves the rating, at first and later.
const MOVES = [48, 24];
const SETTLED = 20; // puzzles

const key = (name) => `${name} ${$("games").value}`;
const ratingKept = () => JSON.parse(kept(key("rating"), JSON.stringify({ rating: FIRST_RATING, tries: 0, tried: [] })));
const signed = (change) => (change < 0 ? `−${-change}` : `+${change}`);

// Count the first try at a puzzle; returns the rating in words once the puzzle is judged, else null.
export function rate({ set, number, judgement, difficulty }) {
  if (difficulty === null || judgement === "open") return null;
  const { rating, tries, tried, change } = ratingKept();
  const name = `${set} ${number}`;
  if (tried.includes(name)) return tried.at(-1) === name ? `${rating} (${signed(change)})` : String(rating);
  const worth = EASIEST + HARDER * difficulty;
  const expected = 1 / (1 + 10 ** ((worth - rating) / 400));
  const moved = Math.round(MOVES[Number(tries >= SETTLED)] * ((judgement === "solved") - expected));
  const after = { rating: rating + moved, tries: tries + 1, tried: [...tried, name], change: moved };
  localStorage.setItem(key("rating"), JSON.stringify(after));
  return `${after.rating} (${signed(moved)})`;
}

export function showRating() {
  const { rating, tries } = ratingKept();
  $("rating").hidden = !tries;
  $("rating").textContent = say(["Your puzzle rating is {rating} after {count} puzzle. Only this browser knows it.", "Your puzzle rating is {rating} after {count} puzzles. Only this browser knows it."], { rating, count: tries });
}

// The same puzzle for everybody on a day, by the calendar here.
function puzzleOf(date, sets) {
  const puzzles = Object.entries(sets).flatMap(([set, { kind, count }]) => (kind ? [...Array(count).keys()].map((number) => ({ set, number })) : []));
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY;
  return puzzles[((day * 2654435761) % 2 ** 32) % puzzles.length];
}

export function showDaily(sets, solvedOf, start) {
  const today = new Date();
  const puzzle = puzzleOf(today, sets);
  $("daily").hidden = !puzzle;
  if (!puzzle) return;
  const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" }).format(today);
  const named = { day: date, set: sets[puzzle.set].title };
  const isSolved = solvedOf(puzzle.set).has(puzzle.number);
  $("daily").replaceChildren(element("span", say("Puzzle of the day")), element("small", isSolved ? say("{day}, {set}, solved", named) : say("{day}, {set}", named), { class: "faint" }));
  $("daily").onclick = () => start(puzzle);
}
