// Evaluations: the bar beside the board, and the course of a whole game.

import { picture } from "./board.js";
import { $, element } from "./dom.js";
import { ask } from "./server.js";
import { say } from "./words.js";

export function showBar(value, own) {
  const first = value?.chance ?? 0.5;
  $("bar").setAttribute("aria-label", say("evaluation: {value}", { value: value?.words ?? say("unknown") }));
  $("bar").title = value?.words ?? "";
  $("bar").classList.toggle("turned", own === 1);
  $("bar").firstElementChild.style.setProperty("--share", `${100 * first}%`);
}

// Evaluate the game turn by turn and show the result; `called` are the names of the sides, and `isCurrent()` says whether the game is still
// the same.
export async function review(canvas, boards, called, isCurrent) {
  $("course").hidden = false;
  $("course").scrollIntoView({ block: "nearest" });
  for (;;) {
    const found = await ask("/api/review", {});
    if (!isCurrent()) return;
    const isDone = found.done >= found.of && found.is_complete;
    $("progress").textContent = isDone
      ? (found.turning.length ? say("The costliest turns, and what was better:") : say("No single turn changed the game."))
      : found.done < found.of ? say("{done} of {all} turns…", { done: found.done, all: found.of }) : say("Looking for better turns…");
    $("moments").replaceChildren(...found.moments.map(({ title, played, better }) => {
      const made = element("article");
      made.append(element("h3", title));
      for (const [name, heading, { parts, short, words, worth, why }] of [["played", say("Played"), played], ["better", say("Better"), better]]) {
        const figure = element("figure", "", { class: name });
        figure.append(picture(canvas, parts, boards), element("figcaption", `${heading}: ${short}. ${why ? `${why} ` : ""}(${worth})`, { title: words }));
        made.append(figure);
      }
      return made;
    }));
    $("graph").innerHTML = found.graph;
    $("graph").firstElementChild?.setAttribute("aria-label", found.graph_label);
    $("graph").querySelectorAll(".player").forEach((made, index) => { made.textContent = called[index]; });
    $("graph").querySelectorAll("title").forEach((made, index) => { made.textContent = found.graph_titles[index]; });
    for (const column of $("graph").querySelectorAll("[data-ply]")) column.addEventListener("click", () => window.open(`/replay#ply=${column.dataset.ply}`));
    $("turning").replaceChildren(...found.turning.map(({ ply, text }) => {
      const item = element("li");
      item.append(element("a", text, { href: `/replay#ply=${ply}`, target: "_blank" }));
      return item;
    }));
    if (isDone || !found.done) return;
  }
}
