// Lessons and puzzles: all sets, and the solved ones. The server knows the current one.

import { $, element, kept } from "./dom.js";
import { showDaily, showRating } from "./puzzles.js";
import { ask } from "./server.js";
import { say } from "./words.js";

let sets = {};

const key = (name) => `solved ${$("games").value} ${name}`;
const solvedOf = (name) => new Set(JSON.parse(kept(key(name), "[]")));

// Note whether an exercise was solved; returns the label of the next one, null if there is none.
export function noteExercise({ set, number, judgement }) {
  if (judgement === "solved") localStorage.setItem(key(set), JSON.stringify([...solvedOf(set).add(number)]));
  const { count } = sets[set];
  return number + 1 < count ? say("Next: {number} of {all}", { number: number + 2, all: count }) : null;
}

// Show the sets; `start` begins the exercise that is chosen.
export function showLessons(start) {
  let before = "";
  $("sets").replaceChildren(...Object.entries(sets).flatMap(([name, { kind, title, count }]) => {
    const solved = solvedOf(name);
    const button = element("button", "", { type: "button", "data-set": name });
    button.append(element("span", title), element("small", say("{solved} of {all} solved", { solved: solved.size, all: count })));
    button.addEventListener("click", () => {
      const open = [...Array(count).keys()].find((number) => !solved.has(number));
      localStorage.setItem("lessons", "seen");
      $("lessons").close();
      start({ set: name, number: open ?? 0 });
    });
    const heading = kind && kind !== before ? [element("h3", kind)] : [];
    before = kind;
    return [...heading, button];
  }));
  showRating();
  showDaily(sets, solvedOf, (chosen) => {
    $("lessons").close();
    start(chosen);
  });
  $("lessons").showModal();
}

export async function loadLessons() {
  sets = await ask("/api/exercises").catch(() => ({}));
  $("learn").hidden = !Object.keys(sets).length;
}

// On the first visit the lessons are offered.
export function offerLessons(start, isPlaying) {
  if ($("learn").hidden || isPlaying || kept("lessons", "")) return;
  localStorage.setItem("lessons", "seen");
  showLessons(start);
}
