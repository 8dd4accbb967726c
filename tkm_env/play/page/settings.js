// The dialog for a new game: its settings come from the server.

import { $, element, upper } from "./dom.js";
import { ask } from "./server.js";
import { say } from "./words.js";

function select(setting, values, otherwise) {
  const made = element("select");
  const named = (value) => setting.names[value] ?? value;
  if (otherwise !== undefined) made.append(new Option(named(otherwise), ""));
  made.append(...values.filter((value) => value !== otherwise).map((value) => new Option(named(value), value)));
  return made;
}

function preset(input, value) {
  if ([...input.options].some((option) => option.value === String(value))) input.value = value;
  return input;
}

// For each kind of setting: what is shown, and how its value is read, undefined if nothing was chosen; both start from the value given last.
const KINDS = {
  choice: (setting) => {
    const input = preset(select(setting, setting.choices, setting.default), setting.given);
    return { shown: input, read: () => input.value || undefined };
  },
  // The players to choose from, each with its name on the command line; the last choice takes any name.
  level: (setting) => {
    const group = element("div", "", { class: "levels", role: "radiogroup", "aria-label": setting.label });
    const given = setting.given ?? setting.default;
    const isKnown = setting.choices.includes(given);
    const line = element("input", "", { type: "text", "aria-label": say("a bot, by name, as on the command line"), autocomplete: "off", placeholder: setting.choices.findLast((value) => value.includes(":")) });
    line.value = isKnown ? "" : given;
    for (const value of [...setting.choices, ""]) {
      const radio = element("input", "", { type: "radio", name: setting.keyword, value });
      radio.checked = value === (isKnown ? given : "");
      const label = element("label", "", { class: value ? "level" : "level any", title: value && value !== "person" ? value : undefined });
      label.append(radio, element("span", value ? setting.names[value] ?? value : say("a bot, by name")));
      if (!value) label.append(line);
      group.append(label);
    }
    line.addEventListener("input", () => { group.querySelector('[value=""]').checked = true; });
    return { shown: group, read: () => group.querySelector(":checked").value || line.value.trim() || undefined };
  },
  text: (setting) => {
    const input = element("input", "", { type: "text", placeholder: setting.names[setting.default], list: `list-${setting.keyword}`, autocomplete: "off" });
    const list = element("datalist", "", { id: `list-${setting.keyword}` });
    list.append(...setting.choices.map((value) => new Option(value, value)));
    input.value = setting.given ?? "";
    const both = element("div");
    both.append(input, list);
    return { shown: both, read: () => input.value.trim() || undefined, write: (value) => { input.value = value; } };
  },
  pair: (setting, called) => {
    const both = element("div", "", { class: "pair" });
    const given = String(setting.given ?? "").split(",");
    const inputs = Object.values(called).map((side, index) => {
      const input = preset(select(setting, setting.choices), given[index]);
      input.setAttribute("aria-label", say("{setting} {side}", { setting: setting.label, side }));
      return input;
    });
    both.append(...inputs);
    const isDefault = () => inputs.every((input) => input.value === setting.choices[0]);
    return { shown: both, read: () => (isDefault() ? undefined : inputs.map((input) => input.value).join(",")) };
  },
  number: (setting) => {
    const input = element("input", "", { type: "number", min: 0, step: 1, placeholder: setting.names[setting.default] });
    input.value = setting.given ?? "";
    return { shown: input, read: () => (input.value === "" ? undefined : Number(input.value)) };
  },
  switch: (setting) => {
    const input = element("select");
    input.append(new Option(say("default"), ""), new Option(say("on"), "true"), new Option(say("off"), "false"));
    if (setting.given === true) input.value = "true";
    return { shown: input, read: () => (input.value ? input.value === "true" : undefined) };
  },
};

let settings = null;

const inputsOf = ({ shown }) => (shown.matches("select, input") ? [shown] : [...shown.querySelectorAll("select, input")]);

function field(setting) {
  const { keyword, label, help, shown } = setting;
  const whole = element("div", "", { class: "field", "data-setting": keyword });
  const [asked] = inputsOf(setting);
  const isGroup = shown.matches(".levels, .pair");
  asked.id = `setting-${keyword}`;
  for (const input of inputsOf(setting)) input.setAttribute("aria-describedby", `help-${keyword}`);
  const heading = element(isGroup ? "span" : "label", label, isGroup ? {} : { for: asked.id });
  heading.classList.add("name");
  setting.help = element("small", help, { id: `help-${keyword}` });
  setting.words = help;
  whole.append(heading, shown, setting.help);
  return whole;
}

// Disable whatever the choices rule out, with the reason beside it; clear earlier refusals.
function applyExclusions() {
  const excluded = settings.flatMap((setting) => setting.excludes.filter(({ choice }) => choice === (setting.read() ?? "")));
  for (const setting of settings) {
    const here = excluded.filter(({ keyword }) => keyword === setting.keyword);
    const whole = here.find(({ values }) => !values.length);
    setting.isOut = Boolean(whole);
    setting.help.textContent = whole?.reason ?? setting.words;
    setting.help.classList.remove("bad");
    for (const input of inputsOf(setting)) {
      input.disabled = setting.isOut;
      input.removeAttribute("aria-invalid");
      for (const option of input.options ?? []) {
        const why = here.filter(({ values }) => values.includes(option.value)).map(({ reason }) => reason).join(", ");
        option.dataset.name ??= option.text;
        option.text = why ? `${option.dataset.name} (${why})` : option.dataset.name;
        option.disabled = Boolean(why);
      }
      if (input.selectedOptions?.[0]?.disabled) [input.value] = [...input.options].map(({ value }) => value);
    }
  }
  $("refused").hidden = true;
}

// Ask for the settings of a new game; `called` names the sides, and `position` is its first position, if not the start.
export async function setUp(called, position = "") {
  if (!settings) {
    const groups = Object.values(await ask("/api/settings")).flat();
    settings = groups.map((setting) => ({ ...setting, ...KINDS[setting.kind](setting, called) }));
    $("fields").replaceChildren(...settings.filter((setting) => setting.is_first).map(field));
    const more = settings.filter((setting) => !setting.is_first);
    $("more-fields").replaceChildren(...more.map(field));
    $("more").hidden = !more.length;
    $("setup").addEventListener("input", applyExclusions);
  }
  settings.find((setting) => setting.keyword === "position").write(position);
  applyExclusions();
  // Settings that differ from their defaults are never folded away.
  $("more").open = settings.some((setting) => !setting.is_first && setting.read() !== undefined);
  $("setup").showModal();
}

// What was chosen, by keyword.
export function chosen() {
  return Object.fromEntries(settings.filter(({ isOut }) => !isOut).map(({ keyword, read }) => [keyword, read()]).filter(([, value]) => value !== undefined));
}

// Show beside its field why a setting is refused or, if it has no field, above the buttons.
export function refuse({ message, setting: keyword, reason }) {
  const setting = settings.find((one) => one.keyword === keyword);
  $("refused").textContent = setting ? `${upper(setting.label)}: ${reason}` : message;
  $("refused").hidden = false;
  if (!setting) return;
  if (!setting.is_first) $("more").open = true;
  setting.help.textContent = upper(reason);
  setting.help.classList.add("bad");
  const inputs = inputsOf(setting);
  for (const input of inputs) input.setAttribute("aria-invalid", "true");
  (inputs.find((input) => input.matches(":checked, select, [type=text], [type=number]")) ?? inputs[0]).focus({ preventScroll: true });
  setting.help.closest(".field").scrollIntoView({ block: "center" });
}
