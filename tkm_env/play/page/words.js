// The words of the page. The catalogue has the form of i18next (JSON, version 4): `{{name}}` is filled in, and a number, `count`, chooses
// between the forms `_one`, `_other` and others that the language has. What the server says is not in it.

const catalogue = await (await fetch(new URL("words/en.json", import.meta.url))).json();

// The language of dates, lists and numbers.
export const { locale } = catalogue;
const plurals = new Intl.PluralRules(locale);

export function say(key, filling = {}) {
  const form = filling.count === undefined ? key : `${key}_${plurals.select(filling.count)}`;
  return catalogue[form].replace(/\{\{(\w+)\}\}/g, (_, name) => filling[name]);
}

// Fill in the words of the page as it is loaded.
export function setWords() {
  for (const made of document.querySelectorAll("[data-say]")) made.textContent = say(made.dataset.say);
  for (const made of document.querySelectorAll("[data-label]")) made.setAttribute("aria-label", say(made.dataset.label));
}
