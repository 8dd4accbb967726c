// Making elements.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

function withAttributes(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  return made;
}

export function element(tag, text = "", attributes = {}) {
  const made = withAttributes(document.createElement(tag), attributes);
  made.textContent = text;
  return made;
}

// An element of a drawing; the content comes from the game's drawing.
export function drawn(tag, content = "", attributes = {}) {
  const made = withAttributes(document.createElementNS(SVG, tag), attributes);
  made.innerHTML = content;
  return made;
}

// A glyph beside text.
export const symbol = (content) => drawn("svg", content, { viewBox: "-32 -32 64 64", class: "symbol", "aria-hidden": "true" });

export const upper = (text) => text[0].toUpperCase() + text.slice(1);

export const kept = (name, otherwise) => localStorage.getItem(name) ?? otherwise;

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
