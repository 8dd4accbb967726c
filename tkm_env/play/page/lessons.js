// Lessons and puzzles: all sets, the current exercise, and the solved ones.

import { $, element, kept } from "./dom.js";
import { ask } from "./server.js";

let sets = {};
let current = null; // the set and the number of the exercise that is shown

const key = (name) => `solved ${$("games").value} ${name}`;
const solvedOf = (name) => new Set(JSON.parse(kept(key(name), "[]")));

// Note whether the current exercise was solved; returns the label of the next one, null if there is none.
export function noteExercise(isSolved) {
  if (!current) return null;
  const { set, number } = current;
  if (isSolved) localStorage.setItem(key(set), JSON.stringify([...solvedOf(set).add(number)]));
  return number + 1 < sets[set] ? `Next: ${number + 2} of ${sets[set]}` : null;
}

export function beginExercise(step, begin) {
  current = { ...current, number: current.number + step };
  return begin(current);
}

// Show the sets; `start(0)` begins the exercise that is chosen.
export function showLessons(start) {
  let kind = "";
  $("sets").replaceChildren(...Object.entries(sets).flatMap(([name, count]) => {
    const solved = solvedOf(name);
    const [last, first] = name.split(": ").reverse();
    const button = element("button", "", { type: "button", "data-set": name });
    button.append(element("span", last), element("small", `${solved.size} of ${count} solved`));
    button.addEventListener("click", () => {
      const open = [...Array(count).keys()].find((number) => !solved.has(number));
      current = { set: name, number: open ?? 0 };
      localStorage.setItem("lessons", "seen");
      $("lessons").close();
      start(0);
    });
    const heading = first && first !== kind ? [element("h3", first)] : [];
    kind = first;
    return [...heading, button];
  }));
  $("lessons").showModal();
}

// On the first visit the lessons are offered.
export async function offerLessons(start, isPlaying) {
  sets = await ask("/api/exercises").catch(() => ({}));
  $("learn").hidden = !Object.keys(sets).length;
  if ($("learn").hidden || isPlaying || kept("lessons", "")) return;
  localStorage.setItem("lessons", "seen");
  showLessons(start);
}
