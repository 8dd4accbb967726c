// The boards: the drawing, and over it a grid of places for each board, for pointers, keys and screen readers.
// Boards that stand side by side are one drawing. On a narrow screen it slides, so that places are as large as a fingertip, and boards of
// cards have a line each.

import { $, drawn, element, isStill } from "./dom.js";
import { explained } from "./tip.js";
import { say } from "./words.js";

const NARROW = matchMedia("(max-width: 40rem)");
// Around the drawing, and around a board by itself, whose frame lies beyond its rectangle.
const MARGIN = 12;
const MARGIN_OF_ONE = 6;
const FINGERTIP = 44; // pixels
const MOVE = { duration: 260, easing: "ease-in-out" };
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const around = (boards) => {
  const left = Math.min(...boards.map((board) => board.x));
  const top = Math.min(...boards.map((board) => board.y));
  const right = Math.max(...boards.map((board) => board.x + board.width));
  const bottom = Math.max(...boards.map((board) => board.y + board.height));
  return { x: left, y: top, width: right - left, height: bottom - top };
};

// Fade the sides to which the boards can slide.
function markSliding({ strip }) {
  strip.classList.toggle("more-left", strip.scrollLeft > 4);
  strip.classList.toggle("more-right", strip.scrollLeft + strip.clientWidth < strip.scrollWidth - 4);
}

export class BoardView {
  // `onPlace(name)` is called when a place is clicked, `onPoint(name)` when it is pointed at, with null afterwards.
  constructor(container, { onPlace, onPoint = () => {}, onDrop = () => {}, line }) {
    this.container = container;
    this.onPlace = onPlace;
    this.onPoint = onPoint;
    this.onDrop = onDrop;
    this.line = line;
    this.canvas = null;
    this.cells = new Map();
    this.crops = [];
    this.at = null;
    addEventListener("resize", () => this.crops.forEach(markSliding));
    NARROW.addEventListener("change", () => this.shown && this.show(this.shown));
  }

  // Show `parts` on `boards`. `does(name)` says what can be done at a place, if anything; `picked` is the selected card.
  show({ parts, boards, does = () => "", picked = null, faint = false, hinted = false }) {
    this.shown = { parts, boards, does, picked, faint, hinted };
    const form = JSON.stringify([NARROW.matches, boards.map(({ name, x, y, width, height, rows }) => [name, x, y, width, height, rows.map((row) => row.map((cell) => [cell.name, cell.x]))])]);
    if (form !== this.form) this.build(boards);
    this.form = form;
    for (const crop of this.crops) {
      for (const [name, slot] of crop.slots) {
        const content = parts[name] ?? "";
        if (slot.content !== content) slot.innerHTML = content;
        slot.content = content;
      }
      crop.svg.classList.toggle("faint", faint);
      crop.svg.classList.toggle("hinted", hinted);
    }
    for (const board of boards) this.describe(board);
    this.keepOneStop();
  }

  build(boards) {
    this.cells.clear();
    const groups = [];
    for (const board of boards) {
      const beside = groups.at(-1)?.at(-1);
      if (beside?.y === board.y && !(NARROW.matches && board.cards)) groups.at(-1).push(board);
      else groups.push([board]);
    }
    this.crops = groups.map((group) => this.crop(group, groups.length > 1 ? MARGIN_OF_ONE : MARGIN));
    this.container.replaceChildren(...this.crops.map((crop) => crop.strip));
    const height = this.crops.reduce((sum, { view }) => sum + view.height / view.width, 0);
    for (const crop of this.crops) markSliding(crop);
    this.container.parentElement.style.setProperty("--aspect", 1 / height);
  }

  // Slide the boards so that the places where something can be done are seen or, where there is none, what was done last.
  reveal() {
    for (const { strip } of this.crops) {
      const { top, bottom } = strip.getBoundingClientRect();
      const found = (what) => [...strip.querySelectorAll(what)].map((one) => one.getBoundingClientRect()).filter((one) => one.top < bottom && one.bottom > top);
      let places = found(".place:not([hidden])");
      if (!places.length) places = found("[data-slot=arrows] > *, [data-slot=marks] > *");
      if (strip.scrollWidth <= strip.clientWidth || !places.length) continue;
      const left = Math.min(...places.map((place) => place.left));
      const right = Math.max(...places.map((place) => place.right));
      const middle = strip.getBoundingClientRect().left + strip.clientWidth / 2;
      strip.scrollBy({ left: (left + right) / 2 - middle, behavior: isStill() ? "auto" : "smooth" });
    }
  }

  crop(boards, margin) {
    const box = around(boards);
    const view = { x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin };
    const svg = drawn("svg", this.canvas.background, { viewBox: `${view.x} ${view.y} ${view.width} ${view.height}`, "aria-hidden": "true" });
    svg.setAttribute("stroke-linecap", "round");
    svg.setAttribute("stroke-linejoin", "round");
    const slots = new Map(this.canvas.slots.map(([name, transform]) => {
      const slot = drawn("g", "", { "data-slot": name, transform: transform || undefined });
      svg.append(slot);
      return [name, slot];
    }));
    const preview = drawn("g", "", { class: "preview" });
    svg.append(preview);
    const frame = element("div", "", { class: "crop", "data-boards": boards.map(({ name }) => name).join(" ") });
    const cells = boards.filter(({ cards }) => !cards).flatMap(({ rows }) => rows.flat());
    if (NARROW.matches && cells.length) {
      frame.style.minWidth = `${(FINGERTIP * view.width) / Math.min(...cells.map(({ width }) => width))}px`;
    }
    const strip = element("div", "", { class: "strip" });
    strip.append(frame);
    strip.addEventListener("scroll", () => markSliding({ strip }), { passive: true });
    const put = (made, { x, y, width, height }) => {
      made.style.left = `${(100 * (x - view.x)) / view.width}%`;
      made.style.top = `${(100 * (y - view.y)) / view.height}%`;
      made.style.width = `${(100 * width) / view.width}%`;
      made.style.height = `${(100 * height) / view.height}%`;
      return made;
    };
    frame.append(svg);
    for (const board of boards) {
      if (board.rows.length) frame.append(this.grid(board, put));
      if (board.name) {
        const whole = put(element("button", "", { type: "button", class: "whole", "data-place": board.name, hidden: true }), board);
        whole.addEventListener("click", () => this.onPlace(board.name));
        explained(whole, () => whole.getAttribute("aria-label"), this.line);
        this.cells.set(board.name, { made: whole });
        frame.append(whole);
      }
    }
    return { strip, svg, slots, preview, view };
  }

  grid(board, put) {
    const grid = element("div", "", { role: "grid", "data-grid": board.name });
    board.rows.forEach((row, rowNumber) => {
      const line = element("div", "", { role: "row" });
      row.forEach((cell, column) => {
        const made = put(element("div", "", { role: "gridcell", class: "cell", tabindex: -1, "data-cell": cell.name }), cell);
        made.addEventListener("click", () => !this.dragged && this.onPlace(cell.name));
        made.addEventListener("keydown", (event) => this.onKey(event, cell.name));
        made.addEventListener("focus", () => { this.at = cell.name; this.keepOneStop(); });
        for (const name of ["pointerenter", "focus"]) made.addEventListener(name, () => this.onPoint(cell.name));
        for (const name of ["pointerleave", "blur"]) made.addEventListener(name, () => this.onPoint(null));
        explained(made, () => this.cells.get(cell.name).tip, this.line);
        if (board.cards) this.draggable(made, cell.name);
        this.cells.set(cell.name, { made, board: board.name, row: rowNumber, column });
        line.append(made);
      });
      grid.append(line);
    });
    return grid;
  }

  // What there is on each place, and what can be done there.
  describe(board) {
    const { does, picked } = this.shown;
    const grid = this.container.querySelector(`[data-grid="${board.name}"]`);
    grid?.setAttribute("aria-label", board.label);
    for (const cell of board.rows.flat()) {
      const entry = this.cells.get(cell.name);
      const action = does(cell.name);
      entry.tip = [cell.label[0].toUpperCase() + cell.label.slice(1), action && say("here: {action}", { action }), cell.tip].filter(Boolean).join(" · ");
      entry.made.setAttribute("aria-label", action ? `${cell.label}; ${action}` : cell.label);
      entry.made.classList.toggle("place", Boolean(action));
      entry.made.classList.toggle("picked", cell.name === picked);
      if (action) entry.made.dataset.place = cell.name;
      else delete entry.made.dataset.place;
    }
    const whole = this.cells.get(board.name)?.made;
    if (whole) {
      const action = does(board.name);
      whole.hidden = !action;
      whole.classList.toggle("place", Boolean(action));
      whole.setAttribute("aria-label", `${board.label}; ${action}`);
    }
  }

  // The tab key reaches one place of all boards; the arrow keys lead on from there.
  keepOneStop() {
    const cells = [...this.cells].filter(([, entry]) => entry.board !== undefined);
    if (!cells.some(([name]) => name === this.at)) this.at = null;
    const stop = this.at ?? cells.find(([, entry]) => entry.made.classList.contains("place"))?.[0] ?? cells[0]?.[0];
    for (const [name, entry] of cells) entry.made.tabIndex = name === stop ? 0 : -1;
  }

  onKey(event, name) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.onPlace(name);
      return;
    }
    if (!(event.key in ARROWS)) return;
    event.preventDefault();
    const [down, right] = ARROWS[event.key];
    const { board, row, column } = this.cells.get(name);
    const grids = this.shown.boards.filter((one) => one.rows.length);
    const number = grids.findIndex((one) => one.name === board);
    const rows = grids[number].rows;
    let next = rows[row + down]?.[column + right];
    if (!next) {
      const beside = grids[number + down + right];
      if (!beside) return;
      const into = beside.rows[Math.min(down > 0 ? 0 : down < 0 ? beside.rows.length - 1 : row, beside.rows.length - 1)];
      next = into[right > 0 ? 0 : right < 0 ? into.length - 1 : Math.min(column, into.length - 1)];
    }
    if (next) this.cells.get(next.name).made.focus();
  }

  // Focus a place; returns whether it can be focused.
  focus(name) {
    const entry = this.cells.get(name);
    if (!entry || entry.made.hidden) return false;
    entry.made.focus({ preventScroll: true });
    return true;
  }

  get focused() {
    return document.activeElement?.dataset?.cell ?? (this.container.contains(document.activeElement) ? document.activeElement.dataset.place : undefined);
  }

  // Draw something over the boards, such as a card where it would lie.
  preview(content) {
    for (const crop of this.crops) crop.preview.innerHTML = content;
  }

  // Slide pieces from slot to slot.
  animate(moves) {
    if (isStill()) return;
    const place = Object.fromEntries(this.canvas.slots.map(([name, transform]) => [name, /translate\((\S+) (\S+)\)/.exec(transform)?.slice(1).map(Number)]));
    for (const [from, to] of moves) {
      if (!place[from] || !place[to]) continue;
      const at = ([x, y]) => ({ transform: `translate(${x}px, ${y}px)` });
      for (const crop of this.crops) crop.slots.get(to).animate([at(place[from]), at(place[to])], MOVE);
    }
  }

  // A card follows the pointer until it is dropped on a place.
  draggable(made, name) {
    made.classList.add("card");
    made.addEventListener("pointerdown", (start) => {
      this.dragged = false;
      if (!made.classList.contains("place") || start.button !== 0) return;
      made.setPointerCapture(start.pointerId);
      const move = (event) => {
        if (!this.dragged && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < 8) return;
        if (!this.dragged) this.onDrop(name, null);
        this.dragged = true;
        this.onPoint(this.under(event));
      };
      const end = (event) => {
        made.removeEventListener("pointermove", move);
        made.removeEventListener("pointerup", end);
        made.removeEventListener("pointercancel", end);
        if (!this.dragged) return;
        this.onPoint(null);
        const target = event.type === "pointerup" ? this.under(event) : null;
        if (target) this.onDrop(name, target);
        setTimeout(() => { this.dragged = false; });
      };
      made.addEventListener("pointermove", move);
      made.addEventListener("pointerup", end);
      made.addEventListener("pointercancel", end);
    });
  }

  under(event) {
    return document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.dataset.cell)?.dataset.cell ?? null;
  }
}

// A small drawing of the boards.
export function picture(canvas, parts, boards) {
  const box = around(boards);
  const made = drawn("svg", canvas.background, { viewBox: `${box.x - MARGIN} ${box.y - MARGIN} ${box.width + 2 * MARGIN} ${box.height + 2 * MARGIN}`, class: "picture", "aria-hidden": "true" });
  for (const [name, transform] of canvas.slots) made.append(drawn("g", parts[name] ?? "", { "data-slot": name, transform: transform || undefined }));
  return made;
}

// The glyphs are defined once for all drawings.
export function defineGlyphs(canvas) {
  const definitions = drawn("svg", canvas.glyphs, { width: 0, height: 0, "aria-hidden": "true", class: "definitions" });
  document.body.append(definitions);
}
