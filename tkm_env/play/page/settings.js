// The dialog for a new game: its settings come from the server.

import { $, element } from "./dom.js";
import { ask } from "./server.js";

function select(setting, values, otherwise) {
  const made = element("select");
  const named = (value) => setting.names[value] ?? value;
  if (otherwise !== undefined) made.append(new Option(named(otherwise), ""));
  made.append(...values.filter((value) => value !== otherwise).map((value) => new Option(named(value), value)));
  return made;
}

// A player as commands take it; its text may break after punctuation.
function broken(line) {
  const made = element("small");
  for (const part of line.split(/(?<=[:,+])/)) made.append(part, element("wbr"));
  return made;
}

// For each kind of setting: its input, preset to the value given last, and how to read it; undefined if nothing was chosen.
const KINDS = {
  choice: (setting) => {
    const input = select(setting, setting.choices, setting.default);
    if ([...input.options].some((option) => option.value === setting.given)) input.value = setting.given;
    return [input, () => input.value || undefined];
  },
  // The players to choose from, each as commands take it; the last one takes any player.
  level: (setting) => {
    const group = element("div", "", { class: "levels", role: "radiogroup", "aria-label": setting.label });
    const given = setting.given ?? setting.default;
    const isKnown = setting.choices.includes(given);
    const line = element("input", "", { type: "text", "aria-label": "another player, as commands take it", autocomplete: "off", placeholder: "alphabeta:seconds=5" });
    line.value = isKnown ? "" : given;
    for (const value of [...setting.choices, ""]) {
      const radio = element("input", "", { type: "radio", name: setting.keyword, value });
      radio.checked = value === (isKnown ? given : "");
      const label = element("label", "", { class: "level" });
      const words = element("span", value ? setting.names[value] ?? value : "another player");
      if (value && value !== "person") words.append(broken(value));
      label.append(radio, words);
      if (!value) label.append(line);
      group.append(label);
    }
    line.addEventListener("input", () => { group.querySelector('[value=""]').checked = true; });
    return [group, () => group.querySelector(":checked").value || line.value.trim() || undefined];
  },
  text: (setting) => {
    const input = element("input", "", { type: "text", placeholder: setting.default, list: `list-${setting.keyword}`, autocomplete: "off" });
    const list = element("datalist", "", { id: `list-${setting.keyword}` });
    list.append(...setting.choices.map((value) => new Option(value, value)));
    input.value = setting.given ?? "";
    const both = element("div");
    both.append(input, list);
    return [both, () => input.value.trim() || undefined, (value) => { input.value = value; }];
  },
  pair: (setting, sides) => {
    const both = element("div", "", { class: "pair" });
    const given = String(setting.given ?? "").split(",");
    const inputs = sides.map((side, index) => {
      const input = select(setting, setting.choices);
      if (setting.choices.includes(given[index])) input.value = given[index];
      input.setAttribute("aria-label", `${setting.label} ${side}`);
      return input;
    });
    both.append(...inputs);
    const isDefault = () => inputs.every((input) => input.value === setting.choices[0]);
    return [both, () => (isDefault() ? undefined : inputs.map((input) => input.value).join(","))];
  },
  number: (setting) => {
    const input = element("input", "", { type: "number", min: 0, step: 1, placeholder: setting.default });
    input.value = setting.given ?? "";
    return [input, () => (input.value === "" ? undefined : Number(input.value))];
  },
  switch: (setting) => {
    const input = element("select");
    input.append(new Option("default", ""), new Option("on", "true"), new Option("off", "false"));
    if (setting.given === true) input.value = "true";
    return [input, () => (input.value ? input.value === "true" : undefined)];
  },
};

let settings = null;

function field({ keyword, label, help, made: [input] }) {
  const whole = element("div", "", { class: "field", "data-setting": keyword });
  const asked = input.matches("select, input") ? input : input.querySelector("select, input");
  const isGroup = input.matches(".levels, .pair");
  asked.id = `setting-${keyword}`;
  asked.setAttribute("aria-describedby", `help-${keyword}`);
  const heading = element(isGroup ? "span" : "label", label, isGroup ? {} : { for: asked.id });
  heading.classList.add("name");
  whole.append(heading, input, element("small", help, { id: `help-${keyword}` }));
  return whole;
}

// Ask for the settings of a new game; `position` is its first position, if not the start.
export async function setUp(sides, position) {
  if (!settings) {
    const groups = Object.values(await ask("/api/settings")).flat();
    settings = groups.map((setting) => ({ ...setting, made: KINDS[setting.kind](setting, sides) }));
    $("fields").replaceChildren(...settings.filter((setting) => setting.is_first).map(field));
    const more = settings.filter((setting) => !setting.is_first);
    $("more-fields").replaceChildren(...more.map(field));
    $("more").hidden = !more.length;
  }
  if (position !== undefined) {
    settings.find((setting) => setting.keyword === "position").made[2](position);
    $("more").open = true;
  }
  $("refused").hidden = true;
  $("setup").showModal();
}

// What was chosen, by keyword.
export function chosen() {
  return Object.fromEntries(settings.map(({ keyword, made: [, read] }) => [keyword, read()]).filter(([, value]) => value !== undefined));
}
