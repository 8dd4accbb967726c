// What the players have beside the boards, and their clocks.

import { $, element, symbol } from "./dom.js";
import { explained } from "./tip.js";

// Up to this number, pieces are drawn one by one.
const DRAWN = 7;

function thing({ label, tip, icon, amount }, owner) {
  const made = element("button", "", { type: "button", class: "thing" });
  if (icon) {
    const icons = element("span", "", { class: "icons" });
    for (let number = 0; number < Math.min(Math.max(amount ?? 1, 1), DRAWN); number += 1) icons.append(symbol(icon));
    made.append(icons);
  } else {
    made.classList.add("named");
  }
  const words = amount === null ? label : `${amount} ${label}`;
  if (amount !== null) made.append(element("span", amount));
  made.append(element("span", label, { class: "label" }));
  made.setAttribute("aria-label", owner ? `${owner}: ${words}` : words);
  if (amount === 0) made.classList.add("none");
  return explained(made, () => `${words} · ${tip}`);
}

function clockText(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function showSides(state, own, icons) {
  const other = Object.keys(state.players).find((side) => side !== own);
  for (const [id, name] of [["own", own], ["other", other], ["shared", ""]]) {
    const side = state.sides.find((one) => one.name === name);
    const things = (side?.things ?? []).map((one) => thing(one, state.called[name]));
    $(id).hidden = !side;
    if (!name) {
      $(id).replaceChildren(...things);
      continue;
    }
    const who = element("span", "", { class: "who" });
    who.append(symbol(icons[name]), element("strong", state.called[name]), element("span", state.exercise ? "" : state.names[name], { class: "faint", title: state.players[name] }));
    const time = element("span", state.clock ? clockText(state.clock[name]) : "", { class: "clock", "data-clock": name, hidden: !state.clock });
    time.classList.toggle("runs", state.runs === name);
    $(id).classList.toggle("acts", !state.is_over && state.to_act === name);
    $(id).replaceChildren(who, ...things, time);
    // Without room for everything, show only pictures and numbers.
    $(id).classList.remove("tight");
    $(id).classList.toggle("tight", $(id).scrollWidth > $(id).clientWidth);
  }
}

// The clocks run on between two answers of the server; `isUp` is called when a player runs out of time.
export function tick(state, since, isUp) {
  if (!state?.clock || !state.runs || state.is_over) return;
  const left = state.clock[state.runs] - (performance.now() - since) / 1000;
  document.querySelector(`[data-clock="${state.runs}"]`).textContent = clockText(Math.max(left, 0));
  if (left <= 0) isUp();
}
