// Evaluations: the bar beside the board, and the course of a whole game.

import { picture } from "./board.js";
import { $, element } from "./dom.js";
import { ask } from "./server.js";

export function showBar(value, own) {
  const first = value?.chance ?? 0.5;
  $("bar").setAttribute("aria-label", `evaluation: ${value?.words ?? "unknown"}`);
  $("bar").title = value?.words ?? "";
  $("bar").classList.toggle("turned", own === 1);
  $("bar").firstElementChild.style.setProperty("--share", `${100 * first}%`);
}

// Evaluate the game turn by turn and show the result; `isCurrent()` says whether the game is still the same.
export async function review(canvas, boards, isCurrent) {
  $("course").hidden = false;
  $("course").scrollIntoView({ block: "nearest" });
  for (;;) {
    const found = await ask("/api/review", {});
    if (!isCurrent()) return;
    const isDone = found.done >= found.of && found.is_complete;
    $("progress").textContent = isDone
      ? (found.turning.length ? "The costliest turns, and what was better:" : "No single turn changed the game.")
      : found.done < found.of ? `${found.done} of ${found.of} turns…` : "Looking for better turns…";
    $("moments").replaceChildren(...found.moments.map(({ title, played, better }) => {
      const made = element("article");
      made.append(element("h3", title));
      for (const [word, { parts, short, words, worth, why }] of [["Played", played], ["Better", better]]) {
        const figure = element("figure", "", { class: word.toLowerCase() });
        figure.append(picture(canvas, parts, boards), element("figcaption", `${word}: ${short}. ${why ? `${why} ` : ""}(${worth})`, { title: words }));
        made.append(figure);
      }
      return made;
    }));
    $("graph").innerHTML = found.graph;
    for (const column of $("graph").querySelectorAll("[data-ply]")) column.addEventListener("click", () => window.open(`/replay#ply=${column.dataset.ply}`));
    $("turning").replaceChildren(...found.turning.map(({ ply, text }) => {
      const item = element("li");
      item.append(element("a", text, { href: `/replay#ply=${ply}`, target: "_blank" }));
      return item;
    }));
    if (isDone || !found.done) return;
  }
}
