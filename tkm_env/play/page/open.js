// Opening a game record from a file, after any of its actions.

import { $ } from "./dom.js";
import { locale, say } from "./words.js";

const KIND = "tkm_env game record";

let records = [];

// The records in a file: one over several lines, or one on each line.
function recordsIn(text) {
  const parse = (part) => {
    try {
      return JSON.parse(part);
    } catch {
      return null;
    }
  };
  const whole = parse(text);
  const found = whole ? [whole] : text.split("\n").map(parse);
  return found.filter((one) => one?.kind === KIND);
}

function title({ players, result, actions }, index) {
  const names = players ? new Intl.ListFormat(locale).format(Object.values(players)) : say("a game");
  return say(["{number}: {players}, {result}, {count} action", "{number}: {players}, {result}, {count} actions"], { number: index + 1, players: names, result: result ?? say("unfinished"), count: actions.length });
}

function choose() {
  const most = records[$("record").value].actions.length;
  $("ply").max = $("ply").value = most;
  $("ply-most").textContent = say("of {all}", { all: most });
}

// Ask which game of a file to open, and where; `begin` is called with the record and the number of actions.
export async function openFile(file, begin, tell) {
  records = recordsIn(await file.text());
  if (!records.length) {
    tell(say("This file has no game record."));
    return;
  }
  $("record").replaceChildren(...records.map((record, index) => new Option(title(record, index), index)));
  $("record").onchange = choose;
  $("records").querySelector("form").onsubmit = () => begin({ record: records[$("record").value], ply: Number($("ply").value) });
  choose();
  $("records").showModal();
}
