// Editing a position: a click on the board places what is selected in the palette. The server answers with the result.

import { BoardView } from "./board.js";
import { $, drawn, element, symbol } from "./dom.js";
import { ask } from "./server.js";
import { explained } from "./tip.js";
import { say } from "./words.js";

let view = null;
let edited = null;
let boards = null;
let tool = null;

function showTools() {
  const isSame = edited.tools.map(({ value }) => value).join() === [...$("palette").querySelectorAll("input")].map((input) => input.value).join();
  if (isSame) return;
  if (!edited.tools.some(({ value }) => value === tool)) tool = edited.tools[1].value;
  $("palette").replaceChildren(...edited.tools.map(({ value, label, tip, icon }) => {
    const radio = element("input", "", { type: "radio", name: "tool", value, "aria-label": label });
    radio.checked = value === tool;
    radio.addEventListener("change", () => { tool = value; });
    const made = element("label", "", { class: "tool", title: label });
    made.append(radio, icon ? symbol(icon) : drawn("svg", '<path d="M-14-14L14 14M14-14L-14 14" stroke="currentColor" stroke-width="4"/>', { viewBox: "-32 -32 64 64", class: "symbol", "aria-hidden": "true" }));
    return explained(made, () => `${label} · ${tip}`, () => $("editor-tip"));
  }));
}

function showFields() {
  const focused = document.activeElement?.dataset?.field;
  $("editor-fields").replaceChildren(...edited.fields.map(({ name, label, choices, words, value }) => {
    const made = element("label", label, { class: "field" });
    const input = element("select", "", { "data-field": name });
    input.append(...choices.map((choice, index) => new Option(words[index], choice)));
    input.value = value;
    input.addEventListener("change", () => change(name, input.value));
    made.append(input);
    return made;
  }));
  if (focused) $("editor-fields").querySelector(`[data-field="${CSS.escape(focused)}"]`)?.focus();
}

// Each change starts from the result of the one before, so it waits for that, however fast they are made.
let changed = Promise.resolve();

function change(field, value) {
  const next = async () => {
    edited = await ask("/api/edit", { position: edited.position, field, value });
    show();
  };
  changed = changed.then(next, next);
}

function show() {
  showTools();
  showFields();
  const labelled = boards.map((board) => ({
    ...board,
    label: edited.labels[board.name],
    rows: board.rows.map((row) => row.map((cell) => ({ ...cell, label: edited.labels[cell.name], tip: "" }))),
  }));
  const spaces = new Set(boards.flatMap(({ rows }) => rows.flat()).map(({ name }) => name));
  view.show({ parts: edited.parts, boards: labelled, does: (name) => (spaces.has(name) ? say("place the selected piece") : "") });
  $("problem").textContent = edited.problem ? say("A game cannot start here: {reason}.", { reason: edited.problem }) : say("A game can start here.");
  $("problem").classList.toggle("bad", Boolean(edited.problem));
  $("editor-done").disabled = Boolean(edited.problem);
}

// Edit the position of `state`; `use` is called with the text of the result.
export async function edit(canvas, state, use) {
  if (!view) {
    view = new BoardView($("editor-board"), { onPlace: (name) => change(name, tool), line: () => $("editor-tip") });
    view.canvas = canvas;
    $("editor-cancel").addEventListener("click", () => $("editor").close());
    $("editor-done").addEventListener("click", () => {
      $("editor").close();
      use(edited.position);
    });
  }
  boards = state.boards;
  edited = await ask("/api/edit", { position: state.position });
  $("editor").showModal();
  show();
}
