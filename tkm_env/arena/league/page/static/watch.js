"use strict";
// Steps through the games on the boards, at a pace at which they can be watched, and fetches others when they are over.

const EVERY = 1200; // milliseconds for an action
const STAYS = 4; // steps for which a finished game stays
const ASKS = 5; // steps between two looks for new positions of live games

const boards = [...document.querySelectorAll("[data-watch] figure")];
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
let step = 0;

function draw(figure) {
  const { seed, ply, actions } = figure.dataset;
  for (const image of figure.querySelectorAll("img")) {
    const theme = image.classList.contains("dark") ? "dark" : "light";
    if (getComputedStyle(image).display !== "none") image.src = `/boards/${seed}/${ply}.svg?theme=${theme}`;
    image.alt = `the board after ${ply} of ${actions} actions`;
  }
}

function advance(figure) {
  const shown = Number(figure.dataset.ply);
  const last = Number(figure.dataset.actions);
  if (shown < last) {
    figure.dataset.ply = shown + 1;
    figure.dataset.over = 0;
    draw(figure);
  } else {
    figure.dataset.over = Number(figure.dataset.over ?? 0) + 1;
  }
}

async function refresh() {
  const answer = await fetch("/api/live");
  if (!answer.ok) return;
  const found = new Map((await answer.json()).boards.map((board) => [board.seed, board]));
  for (const figure of boards) {
    const board = found.get(figure.dataset.seed);
    if (board) figure.dataset.actions = board.actions;
  }
  const isNew = [...found.keys()].some((seed) => !boards.some((figure) => figure.dataset.seed === seed));
  if (isNew && boards.every((figure) => Number(figure.dataset.over ?? 0) > STAYS)) location.reload();
}

if (boards.length && !calm) {
  setInterval(() => {
    if (document.hidden) return;
    step += 1;
    boards.forEach(advance);
    if (step % ASKS === 0) refresh().catch(() => {});
  }, EVERY);
}
