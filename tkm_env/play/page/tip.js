// The line that explains what is pointed at, touched, or has the focus.

import { $ } from "./dom.js";

let usual = "";

// Set what the line says while nothing is pointed at.
export function setUsualTip(text) {
  usual = text;
  $("tip").textContent = text;
}

export function explain(text, line = $("tip")) {
  line.textContent = text || (line === $("tip") ? usual : "");
}

// Make an element explain itself; `tell` returns the current text.
export function explained(made, tell, line) {
  for (const name of ["pointerenter", "focus"]) made.addEventListener(name, () => explain(tell(), line?.()));
  for (const name of ["pointerleave", "blur"]) made.addEventListener(name, (event) => event.pointerType !== "touch" && explain("", line?.()));
  return made;
}
