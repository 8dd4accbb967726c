// The words of the page, in the language that somebody reads. As in gettext, English is the key of each entry, so it needs no catalogue.

import { kept } from "./dom.js";

// In the order in which gettext lists the forms for numbers.
const CATEGORIES = ["zero", "one", "two", "few", "many", "other"];

// Without its words the page shows nothing, so it asks until there is a server.
async function fetched(name) {
  for (;;) {
    try {
      return await (await fetch(new URL(`words/${name}.json`, import.meta.url))).json();
    } catch {
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}

export const languages = await fetched("languages");

// The language that a link asks for is kept, and leaves the address.
const address = new URL(location.href);
const asked = address.searchParams.get("language");
if (languages.includes(asked)) {
  localStorage.setItem("language", asked);
  address.searchParams.delete("language");
  history.replaceState(history.state, "", address);
}

const wanted = [kept("language", ""), ...navigator.languages];
export const language = wanted.map((tag) => tag.split("-")[0]).find((one) => languages.includes(one)) ?? languages[0];
document.documentElement.lang = language;

// The language of dates, lists and numbers, as it is written where the reader lives.
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

const words = language === languages[0] ? {} : await fetched(language);
const plurals = new Intl.PluralRules(language);
const categories = CATEGORIES.filter((one) => plurals.resolvedOptions().pluralCategories.includes(one));

// Say something in the language: the English words or, for a number that is called `count`, their singular and plural; `filling` is filled in
// by name.
export function say(text, filling = {}) {
  const isCounted = Array.isArray(text);
  const found = words[isCounted ? text[0] : text] ?? text;
  const form = isCounted ? found[Math.min(categories.indexOf(plurals.select(filling.count)), found.length - 1)] : found;
  return form.replace(/\{(\w+)\}/g, (_, name) => filling[name]);
}

// Fill in the words of the page as it is loaded.
export function setWords() {
  for (const made of document.querySelectorAll("[data-say]")) made.textContent = say(made.textContent);
  for (const made of document.querySelectorAll("[aria-label]")) made.setAttribute("aria-label", say(made.getAttribute("aria-label")));
}
