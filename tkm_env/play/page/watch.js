// Watching two agents: pause and step, and what the one that last planned thought.

import { $, element } from "./dom.js";
import { say } from "./words.js";

let isPaused = false;

export const waits = (state) => state.is_watched && isPaused;

export function pause(paused = !isPaused) {
  isPaused = paused;
  $("pause").firstChild.textContent = isPaused ? say("Go on") : say("Pause");
}

function inWords({ player, short }) {
  return `${player}: ${short}`;
}

export function showWatch({ is_watched: isWatched, is_over: isOver, thinking }) {
  $("watch").hidden = !isWatched || isOver;
  $("step").disabled = !isPaused;
  $("thoughts").hidden = !thinking;
  if (!thinking) return;
  $("thoughts-title").textContent = say("What {player} considered", { player: thinking.player });
  $("thoughts-lines").replaceChildren(...thinking.lines.map(({ worth, turns: [first, ...rest] }) => {
    const item = element("li");
    if (first) item.append(element("strong", first.short, { title: first.words }), " ");
    item.append(element("span", worth, { class: "faint" }));
    if (rest.length) item.append(element("p", rest.map(inWords).join(" · "), { class: "faint" }));
    return item;
  }));
}
