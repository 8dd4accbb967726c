/* How the site's search ranks what it finds; Sphinx puts this file into its searchtools.js.
   An index entry or a heading that says what was asked comes first. Pages that answer questions about the interfaces
   come before the rules of the game and the reference of the API, and before what is about the project itself. */
/** What a page's results are multiplied by: the first pattern that matches its name counts. */
const PAGE_WEIGHTS = [
  [/^(changelog|contributing|releasing|testing|attacks|proofs|citing)$/, 0.3],
  [/^(rules|games|api)\//, 0.6],
  [/^(rules|rulings|powers|the-game|campaign|openings|endgames|terminus)$/, 0.6],
  [/^tutorials\//, 0.8],
];

/** The share of the query's words that a title or heading contains, by their stems. */
const shareOfWords = (text) => {
  const stemmer = new Stemmer();
  const stems = (words) =>
    splitQuery(words.toLowerCase()).map((word) => stemmer.stemWord(word));
  const asked = stems(new URLSearchParams(window.location.search).get("q") || "");
  const there = new Set(stems(text));
  return asked.filter((stem) => there.has(stem)).length / Math.max(asked.length, 1);
};

/** The pages that an index entry has led to: their text need not be found a second time. */
const foundByIndex = new Set();

var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) => {
    const [, weight] = PAGE_WEIGHTS.find(([pattern]) => pattern.test(page)) || [, 1];
    // A page with all the words in its title answers more of the question than one with some of them.
    const bonus = kind === "text" ? 10 * shareOfWords(title) : 0;
    // Attributes and methods share their names with what guides explain: mask, seed, reward.
    const isMember = kind === "object" && /^Python (attribute|method|property)/.test(description);
    if (kind === "index") foundByIndex.add(page);
    const isTwice = kind === "text" && foundByIndex.has(page);
    return (score + bonus) * weight * (isMember ? 0.3 : 1) * (isTwice ? 0.1 : 1);
  },

  objNameMatch: 35,
  objPartialMatch: 5,
  objPrio: { 0: 0, 1: 0, 2: 0 },
  objPrioDefault: 0,

  title: 30,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
