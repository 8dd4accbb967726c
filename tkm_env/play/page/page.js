// The page of a game: shows the state that the server sends, and sends back the names of actions. It contains no rules.

import { askedByAddress, gameAsked, isNewAddress, linkTo, noteAddress } from "./address.js";
import { BoardView, defineGlyphs, picture } from "./board.js";
import { awaited } from "./busy.js";
import { $, element, kept, symbol, upper } from "./dom.js";
import { edit } from "./editor.js";
import { LOST, resign, showInvitation, showSeat, showWhoIsHere, wireFriend } from "./friend.js";
import { isUntouched, keeping, leave, leftGame, listKept, lostSession, offer, remember } from "./kept.js";
import { offerLevel } from "./levels.js";
import { rate } from "./puzzles.js";
import { loadLessons, noteExercise, offerLessons, showLessons } from "./lessons.js";
import { openFile } from "./open.js";
import { review, showBar } from "./review.js";
import { SILENCE, Refused, ask, whenReady } from "./server.js";
import { chosen, refuse, setUp } from "./settings.js";
import { showSides, tick } from "./sides.js";
import { isStudying, leaveStudy, study, studyKey, wireStudy } from "./study.js";
import { explained, setUsualTip } from "./tip.js";
import { pause, showWatch, waits } from "./watch.js";
import { language, languages, say, setWords } from "./words.js";

let state = null;
let since = 0; // when the state came
let busy = false;
let beginning = false; // whether another game has been asked for
let isEvaluating = false; // one evaluation at a time, however fast somebody plays
let changes = 0; // the requests so far that change the game
let canvas = null;
let hint = null; // the marks of the turn that is suggested
let undone = null; // the version that an undo led to
let complaint = ""; // why the last attempt to follow the game failed
let picked = null; // the place of the selected card
let variant = 0; // the way in which it is played
let unfolded = null; // the group of actions that is shown while no card is selected

const board = new BoardView($("board"), { onPlace: choose, onPoint: point, onDrop: drop });

function view() {
  return new URLSearchParams({ hints: $("hints").checked ? 1 : 0 });
}

// One request at a time that changes the game; if it is refused, the page shows why and reloads the state.
async function change(path, body = {}, isAsked = true) {
  if (busy || beginning) return;
  const before = state;
  let isAgain = false;
  busy = true;
  changes += 1;
  const mine = changes;
  const waiting = setInterval(explainDelay, 1000);
  try {
    const latest = await awaited(ask(`${path}?${view()}`, { session: state.session, server: state.server, version: state.version, ...body }));
    if (changes === mine) {
      if (path === "/api/undo") undone = latest.version;
      show(latest);
      if (isAsked && path !== "/api/agent") notify(""); // a person has read the message, if there is one
    } // else another game has begun meanwhile
  } catch (error) {
    // Another window may have done it before; that is no error.
    const isDone = (path === "/api/agent" || !isAsked) && error.status === 409;
    if (!isDone) notify(error instanceof Refused ? error.message : silence());
    if (error instanceof Refused) await refresh();
    // The game is where the person saw it, though on another server, or told in a version that was not yet its last.
    const isNewer = state.server !== before.server || state.version !== before.version;
    isAgain = isNewer && state.session === before.session && state.position === before.position;
  } finally {
    clearInterval(waiting);
    busy = false;
  }
  if (isAgain) await change(path, body, isAsked);
  else goOn();
}

async function explainDelay() {
  const { is_compiling: isCompiling } = await ask("/api/compiling").catch(() => ({}));
  if (isCompiling && busy) $("last").textContent = say("Preparing this opponent (once, up to a minute).");
}

// What was asked for before a change began is out of date, or offers actions while the page is still busy with that change.
async function refresh(version) {
  const before = changes;
  const known = version ? `&since=${version}&session=${state.session}&server=${state.server}` : "";
  const latest = await recovered(await ask(`/api/state?${view()}${known}`));
  if (latest && changes === before) show(latest);
}

// Where the server was replaced by another, the game that this window showed goes on.
async function recovered(latest) {
  const lost = latest && !latest.seat && lostSession(latest);
  if (!lost) return latest;
  return ask(`/api/continue?${view()}`, { id: lost }).catch((error) => {
    if (error instanceof Refused) return latest; // it is not kept
    throw error;
  });
}

const goesWithoutSaying = ({ obvious, version, steps }) => obvious && version !== undone && !steps.length;

// The obvious action is played for the person, unless they have just undone it. The agent plays one action at a time, so that each can be
// seen; in the other windows `follow` shows it.
function goOn() {
  if (goesWithoutSaying(state) && !busy) change("/api/play", { action: state.obvious }, false);
  if (!state?.waits_for_agent || state.is_thinking || waits(state) || $("message").hidden === false) return;
  const version = state.version;
  setTimeout(() => {
    if (state.version === version && !waits(state)) change("/api/agent");
  }, Number($("pace").value));
}

async function play(choice) {
  $("choice").close();
  if (choice.question && !confirm(choice.question)) return;
  picked = null;
  if (state.earlier.includes(choice)) await change("/api/undo"); // it comes before the action that goes without saying
  change("/api/play", { action: choice.name });
}

// Another window, or another machine, may play in the same game.
async function follow() {
  try {
    if (!busy && !beginning && (state.seat || !document.hidden)) {
      await refresh(state.version);
      if (state.seat) await showWhoIsHere(state);
      if ([SILENCE, LOST, complaint].includes($("message").textContent)) notify("");
      goOn();
    }
  } catch (error) {
    complaint = error instanceof Refused ? error.message : silence();
    notify(complaint);
  }
  setTimeout(follow, pollPause());
}

const pollPause = () => (state.seat ? 1000 : 3000);
const silence = () => (state.seat ? LOST : SILENCE);

function notify(message) {
  if ($("message").textContent !== message) $("message").textContent = message; // it is announced once
  $("message").hidden = !message;
}

// Showing the game.

const sides = () => Object.keys(state.players);
const isAgainstAgent = () => !state.is_watched && Object.values(state.players).some((player) => player !== "person");
// The side of the person at this page; undefined if both, or neither, are.
const mine = () => (state.seat ? state.seat.side ?? undefined : isAgainstAgent() ? sides().find((side) => state.players[side] === "person") : undefined);
const own = () => mine() ?? sides()[0];

function show(latest) {
  remember(latest);
  if (latest.game !== canvas.game) return location.reload(); // another game is drawn in another way
  const before = state?.session === latest.session ? state : null;
  const isNews = before?.version !== latest.version;
  if (!before) pause(false);
  const place = board.focused;
  const inActions = $("actions").contains(document.activeElement);
  const inAfter = $("after").contains(document.activeElement);
  state = goesWithoutSaying(latest) ? { ...latest, choices: [] } : latest;
  since = performance.now();
  if (!isUntouched(latest)) $("resume").hidden = true;
  document.title = latest.seat && latest.to_act === mine() && !latest.is_over ? say("Your turn: {game}", { game: latest.title }) : latest.title;
  const actor = { side: latest.called[latest.to_act], player: latest.names[latest.to_act] };
  $("situation").textContent = latest.waits_for_agent
    ? (waits(latest) ? say("{side} ({player}) is to act", actor) : say("{side} ({player}) is thinking", actor))
    : !mine() ? latest.situation
      : latest.to_act === mine() ? say("{situation} (your turn)", { situation: latest.situation }) : say("{side} ({player}) is to act", actor);
  $("situation").classList.toggle("thinking", latest.waits_for_agent && !waits(latest));
  $("last").textContent = $("last").title = lastInWords();
  showEnd();
  showMatch();
  $("undo").disabled = !latest.can_undo;
  $("take-back").disabled = !latest.can_take_back;
  $("save").hidden = !latest.can_save;
  $("edit").hidden = !latest.can_edit;
  $("bar-switch").hidden = !latest.can_evaluate;
  $("review").hidden = !latest.can_evaluate;
  $("pace-switch").hidden = !isAgainstAgent() && !latest.is_watched;
  for (const id of ["undo", "take-back", "hints-switch"]) $(id).hidden = latest.is_watched;
  $("study-open").hidden = !latest.can_evaluate && !latest.has_records;
  showWatch(latest);
  $("advise").hidden = !latest.can_evaluate;
  $("advise").disabled = latest.choices.length === 0;
  $("position").textContent = latest.position;
  showExercise();
  showSeat(latest);
  if (isNews) {
    if (isStudying()) leaveStudy();
    $("advice").hidden = true;
    $("course").hidden = true;
    hint = null;
    unfolded = null;
    pickTheOnlyCard();
  }
  showSides(latest, own(), canvas.icons);
  showBoard();
  showActions();
  showLog();
  if (before && latest.log.length > before.log.length) board.animate(latest.log.at(-1).moves);
  if (place !== undefined) board.focus(place) || focusFirst();
  else if (inActions || (inAfter && !latest.is_over)) focusFirst();
  setUsualTip(latest.next || say("Point at anything on the board, or touch it, for an explanation."));
  if (isNews) {
    board.reveal();
    evaluate();
  }
}

function focusFirst() {
  const first = $("actions").querySelector("button") ?? ($("after").hidden ? null : $("after").querySelector("button:not([hidden])"));
  if (first) first.focus({ preventScroll: true });
  else board.focus(board.at) || $("take-back").focus({ preventScroll: true });
}

// A series or a campaign: its score, and what the players can say before a game.
function showMatch() {
  $("match").hidden = !state.match;
  $("next").hidden = !state.match;
  $("rematch").hidden = Boolean(state.match);
  if (!state.match) return;
  $("match-title").textContent = state.match.title;
  $("standing").replaceChildren(...state.match.lines.map((line) => element("li", line)));
  const { name, called } = state.match;
  if (state.is_kept) $("kept").textContent = say("Each game is saved to a file once it is over.");
  else {
    $("kept").replaceChildren(
      element("a", say("Save this {match}", { match: called }), { href: "/api/match", download: `${name}.json` }),
      ` ${say("to continue it another day:")} tkm play --browser --match ${name} --save ${name}.json`,
    );
  }
  $("steps").replaceChildren(...state.steps.map(({ name, label, tip }) => {
    const button = element("button", label, { type: "button", title: tip, "data-step": name });
    button.addEventListener("click", () => change("/api/say", { step: name }));
    return button;
  }));
}

// A lesson or a puzzle: what there is to find and, after a try, what comes next.
function showExercise() {
  const { exercise } = state;
  const isJudged = exercise && exercise.judgement !== "open";
  $("tools").hidden = Boolean(exercise);
  // What comes next stands in the panel of the task, below the boards only after a game.
  if (exercise) $("task").append($("after"));
  else $("study").after($("after"));
  for (const button of $("after").children) {
    if (button.id.startsWith("exercise-")) button.hidden = !exercise;
    else if (exercise) button.hidden = true;
    else if (!["next", "rematch", "review", "level"].includes(button.id)) button.hidden = false;
  }
  if (!exercise) return;
  $("advise").hidden = true;
  $("over").hidden = true;
  $("now").hidden = false;
  $("after").hidden = false;
  $("actions").hidden = isJudged;
  $("now").className = exercise.judgement;
  $("situation").textContent = exercise.title;
  if (exercise.grade) $("situation").append(element("small", ` ${exercise.grade}`, { class: "faint" }));
  $("last").textContent = $("last").title = exercise.text;
  const rating = rate(exercise);
  if (rating) $("situation").append(element("small", ` · ${say("your rating {rating}", { rating })}`, { class: "faint" }));
  const following = noteExercise(exercise);
  $("exercise-next").hidden = following === null;
  $("exercise-next").textContent = exercise.judgement === "solved" ? following : say("Skip");
  $("exercise-again").hidden = !state.log.some((entry) => !entry.is_quiet) || exercise.judgement === "solved";
  const isDone = exercise.judgement === "solved" && following === null;
  $("exercise-leave").textContent = leftGame() ? say("Back to your game") : isDone ? say("Play a first game") : say("Leave");
}

function showEnd() {
  $("over").hidden = $("after").hidden = !state.is_over;
  $("actions").hidden = state.is_over;
  $("now").className = "";
  $("now").hidden = state.is_over;
  if (!state.is_over) return;
  const turns = state.log.length ? new Set(state.log.map((entry) => entry.turn)).size : 0;
  const result = mine() && state.winner ? (state.winner === mine() ? say("You won") : say("You lost")) : null;
  $("result").textContent = result ?? (state.winner ? say("{player} wins", { player: state.called[state.winner] }) : say("No winner"));
  offerLevel(state, result && state.winner === mine());
  $("why").textContent = `${state.ending} ${say(["The game took {count} turn.", "The game took {count} turns."], { count: turns })}`;
}

const lastNews = () => state.log.findLast((entry) => !entry.is_quiet);
const isInTurn = (entry) => entry?.turn === state.turn && entry.player === state.to_act;

// The last action or, until anything is done in this turn, the whole turn before.
function lastInWords() {
  const last = lastNews();
  if (!last) return `${say("The game begins.")} ${state.goal}`;
  const turn = state.log.filter((entry) => entry.turn === last.turn && entry.player === last.player && !entry.is_quiet);
  const recent = isInTurn(last) ? [last] : turn;
  return `${upper(state.called[last.player])}: ${recent.map(inWords).join(" · ")}`;
}

const inWords = (entry) => (entry.label ? [entry.label, entry.text].filter(Boolean).join(": ") : entry.text || entry.called);
const labelOf = (choice) => choice.label || choice.name;
const meaning = (choice) => choice.help.replace(`${choice.label}: `, "");

// Cards: the ways in which the selected card can be played.

const ofCard = (name) => state.choices.filter((choice) => choice.card === name);
const ways = () => [...new Set(ofCard(picked).map((choice) => choice.group))];

function pickTheOnlyCard() {
  const cards = new Set(state.choices.map((choice) => choice.card));
  picked = cards.size && !cards.has(null) && cards.size === 1 ? [...cards][0] : null;
  variant = 0;
}

function pick(name) {
  if (picked === name) variant = (variant + 1) % ways().length;
  else [picked, variant] = [name, 0];
  showBoard();
  showActions();
}

// What can be done at a place now.
function at(name) {
  const here = state.choices.filter((choice) => choice.place === name);
  if (picked === null) return here;
  const [way] = [ways()[variant]];
  const withCard = here.filter((choice) => choice.card === picked && choice.group === way);
  return withCard.length ? withCard : here.filter((choice) => choice.card === null);
}

function does(name) {
  const found = at(name).map((choice) => (choice.card ? choice.help : labelOf(choice)));
  if (ofCard(name).length) found.unshift(name !== picked ? say("select this card") : ways().length > 1 ? say("turn this card around") : say("this card is selected"));
  return found.join(", ");
}

function choose(name) {
  const choices = at(name);
  if (ofCard(name).length && !choices.some((choice) => choice.card !== null)) return pick(name);
  if (choices.length === 1) return play(choices[0]);
  if (choices.length) askWhich(name, choices);
}

function askWhich(name, choices) {
  $("choice-title").textContent = state.boards.flatMap((one) => one.rows.flat()).find((cell) => cell.name === name)?.label ?? name;
  $("choice-buttons").replaceChildren(...choices.map((choice) => {
    const button = actionButton(choice);
    button.append(element("small", meaning(choice)));
    return button;
  }));
  $("choice").showModal();
}

function point(name) {
  const choices = name === null ? [] : at(name);
  board.preview(choices[0]?.preview ?? "");
}

// A card is being dragged, and then dropped on a place.
function drop(card, place) {
  if (place === null) {
    if (picked !== card) pick(card);
    return;
  }
  if (place !== card) choose(place);
}

// Show what is looked at or, with null, the game again.
function showLooked(looked) {
  for (const id of ["actions", "after", "tip", "thoughts"]) $(id).classList.toggle("away", Boolean(looked));
  $("study").hidden = !looked;
  if (looked) return board.show({ parts: looked.parts, boards: looked.boards });
  for (const id of ["best", "records-here"]) $(id).hidden = true;
  if (state) showBoard();
}

function openStudy() {
  pause(true);
  showWatch(state);
  study(state, showLooked, notify);
}

function showBoard() {
  if (isStudying()) return;
  board.show({
    parts: { ...state.parts, ...hint },
    hinted: Boolean(hint),
    boards: state.boards,
    does,
    picked,
    faint: !hint && !state.is_over && isInTurn(lastNews()), // players know what they have just done
  });
}

function actionButton(choice, number = 0) {
  const button = element("button", labelOf(choice), { type: "button", "data-action": choice.name });
  if (number && number <= 9) button.append(element("kbd", number));
  button.addEventListener("click", () => play(choice));
  if (choice.preview) {
    for (const name of ["pointerenter", "focus"]) button.addEventListener(name, () => board.preview(choice.preview));
    for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => board.preview(""));
  }
  return explained(button, () => [labelOf(choice), meaning(choice)].filter(Boolean).join(" · "));
}

// Actions that ask for confirmation stand apart, without a number.
const usual = () => state.choices.filter((choice) => !choice.question);

// Long groups of ways to lay cards, if there are many: one of them is shown at a time, that of the selected card.
function folds() {
  const sizes = new Map();
  for (const { card, group } of usual()) if (card) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const long = [...sizes.keys()].filter((group) => sizes.get(group) > 3);
  return usual().length > 12 && long.length > 1 ? long : [];
}

function isShown({ group }) {
  const folded = folds();
  return !folded.includes(group) || group === ((picked && ways()[variant]) ?? unfolded ?? folded[0]);
}

// The actions whose buttons are shown.
const offered = () => usual().filter(isShown);

// Show a group that is folded, and select its card.
function unfold(group) {
  picked = usual().find((choice) => choice.group === group).card;
  variant = ways().indexOf(group);
  unfolded = group;
  showBoard();
  showActions();
  $("actions").querySelector(".folds [aria-pressed=true]").focus({ preventScroll: true });
}

function showFolds(shown) {
  const all = element("div", "", { role: "group", "aria-label": say("Ways to play"), class: "buttons folds" });
  for (const group of folds()) {
    const button = element("button", group.split(": ")[0], { type: "button", "aria-pressed": String(shown.has(group)) }); // its eras are on the card
    button.addEventListener("click", () => unfold(group));
    all.append(explained(button, () => group));
  }
  return all;
}

function showActions() {
  const talk = [...state.choices.filter((choice) => choice.question), ...state.earlier];
  $("talk").replaceChildren(...talk.map((choice) => {
    const button = actionButton(choice);
    button.firstChild.data = upper(labelOf(choice));
    return button;
  }));
  const groups = new Map();
  for (const [index, choice] of offered().entries()) {
    if (!groups.has(choice.group)) groups.set(choice.group, []);
    groups.get(choice.group).push([choice, index + 1]);
  }
  const folded = folds();
  const made = [...groups].map(([name, members]) => {
    const group = element("div", "", { role: "group", "aria-label": name });
    const buttons = element("div", "", { class: "buttons" });
    const helps = new Set(members.map(([choice]) => choice.help));
    for (const [choice, number] of members) {
      const button = actionButton(choice, number);
      // Where the actions of a group do different things, each button says what it does.
      if (helps.size > 1 && helps.size === members.length) {
        button.classList.add("described");
        button.append(element("small", meaning(choice)));
      }
      buttons.append(button);
    }
    if (!folded.includes(name)) group.append(element("h2", name));
    group.append(buttons);
    return group;
  });
  $("actions").replaceChildren(...(folded.length ? [showFolds(groups)] : []), ...made);
}

function showLog() {
  const items = [];
  let turn = null;
  for (const entry of state.log) {
    if (`${entry.turn} ${entry.player}` !== turn) {
      turn = `${entry.turn} ${entry.player}`;
      items.push(element("li", `${entry.turn} · ${state.called[entry.player]}`, { class: "turn" }));
    }
    const item = element("li", entry.label || entry.called);
    if (entry.text) item.append(element("span", `: ${entry.text}`));
    items.push(item);
  }
  $("log").replaceChildren(...items);
  $("story").hidden = !lastNews();
  $("log").scrollTop = $("log").scrollHeight;
}

// The values of positions.

async function evaluate() {
  const isOn = state.can_evaluate && $("evaluates").checked;
  $("bar").hidden = !state.can_evaluate;
  $("bar").classList.toggle("off", !isOn);
  if (!isOn || state.waits_for_agent || isEvaluating) return;
  const { version } = state;
  isEvaluating = true;
  const value = await ask("/api/evaluation", {}).catch(() => null);
  isEvaluating = false;
  if (state.version !== version) await evaluate();
  else if (value) showBar(value, sides().indexOf(own()));
}

async function analyse() {
  const { version } = state;
  try {
    await review(canvas, state.boards, Object.values(state.called), () => state.version === version);
  } catch (error) {
    notify(error instanceof Refused ? error.message : SILENCE);
  }
}

async function advise() {
  const { version } = state;
  $("advise").disabled = true;
  $("hint").replaceChildren(element("p", say("thinking…")));
  $("advice").hidden = false;
  try {
    const [best] = await awaited(ask("/api/advice", {}));
    if (state.version !== version) return;
    if (!best) {
      $("hint").replaceChildren(element("p", say("There is no move to suggest.")));
      return;
    }
    hint = best.picture.marks;
    showBoard();
    const play = element("button", say("Play it"), { type: "button" });
    play.addEventListener("click", () => playAll(best.turns[0]));
    $("hint").replaceChildren(element("strong", best.picture.short), element("p", best.why), element("p", `${best.picture.words}. (${best.worth})`, { class: "faint" }), play);
  } catch (error) {
    $("advice").hidden = true;
    notify(error.message);
  } finally {
    $("advise").disabled = state.choices.length === 0;
  }
}

// Play the actions of a turn, one after the other, until one is refused.
async function playAll(actions) {
  for (const action of actions) {
    const { version } = state;
    await change("/api/play", { action });
    if (state.version === version) return;
  }
}

// The rules in play, or all of them, and what the marks mean.
async function explainGame(whole = false) {
  if (!$("about").open) $("about").showModal();
  const { rules, sections, is_whole: isWhole, marks } = await ask(`/api/help${whole ? "?whole" : ""}`).catch(() => ({ rules: [SILENCE], sections: [], is_whole: true, marks: [] }));
  $("rules").replaceChildren(...rules.map((rule) => element("li", rule)));
  $("sections").replaceChildren(...sections.flatMap((section, number) => {
    const isFirst = section.group && section.group !== sections[number - 1]?.group;
    return [...(isFirst ? [element("h3", section.group)] : []), rulesSection(section)];
  }));
  $("whole").hidden = isWhole;
  if (whole) $("sections").querySelector("summary")?.focus();
  $("marks").replaceChildren(...marks.map(({ label, tip, icon }) => {
    const item = element("li");
    item.append(symbol(icon), element("strong", label), ` ${tip}`);
    return item;
  }));
}

// A part of the rules; its pictures are drawn when it is opened.
function rulesSection({ title, text, pictures }) {
  const section = element("details");
  section.append(element("summary", title), ...text.map((paragraph) => element("p", paragraph)));
  section.addEventListener("toggle", () => section.append(...pictures.map(({ words, parts }) => {
    const figure = element("figure");
    figure.append(picture(canvas, parts, state.boards), element("figcaption", words));
    return figure;
  })), { once: true });
  return section;
}

// Whether this game may be left: it is kept, there is nothing to keep, or the person says so.
async function mayLeave() {
  if (state.seat) return isUntouched(state) || state.is_over || confirm(say("Begin another game, for both of you? This one would be left."));
  return isUntouched(state) || state.is_over || Boolean(state.exercise) || !(await keeping()).problem || confirm(say("Leave this game? It cannot be kept."));
}

async function startExercise({ set, number }) {
  if (!(await mayLeave())) return;
  await leave(state);
  await beginWith("/api/exercise", { set, number });
}

// Begin the current exercise again, or the exercise `step` places after it.
const moveOn = (step) => startExercise({ ...state.exercise, number: state.exercise.number + step });

const resume = (id) => beginWith("/api/continue", { id });

async function leaveExercise() {
  if (leftGame()) await resume(leftGame());
  if (state.exercise) await beginWith("/api/new", {});
}

// Games that are not over are kept, and offered where a new one begins.
async function newGame(position) {
  if (!state.seat) await listKept(resume);
  await setUp(state.called, position);
}

const open = (file) => !state.seat && openFile(file, async (asked) => (await mayLeave()) && beginWith("/api/open", asked), notify);

// A new game.

async function begin(event) {
  event.preventDefault();
  if (await mayLeave()) await beginWith("/api/new", chosen(), refuse);
}

async function beginWith(path, asked, tell = ({ message }) => notify(message)) {
  beginning = true;
  changes += 1;
  try {
    show(await awaited(ask(`${path}?${view()}`, asked)));
  } catch (error) {
    tell(error instanceof Refused ? error : { message: SILENCE });
    return;
  } finally {
    beginning = false;
  }
  notify("");
  $("course").hidden = true;
  $("setup").close();
  focusFirst();
  goOn();
}

// A game that is under way is kept, and left for a link only if the person says so.
const mayFollow = (latest) => isUntouched(latest) || latest.is_over || confirm(say("Follow this link? Your game can be continued later."));

// The game that the address asks for, at its start.
async function switched(latest) {
  const game = gameAsked();
  if (!game || game === latest.game) return latest;
  if (mayFollow(latest)) return ask(`/api/switch?${view()}`, { game }).catch(() => latest);
  noteAddress();
  return latest;
}

// Begin what the address asks for, once.
async function followAddress() {
  if (!isNewAddress() || state.seat) return;
  noteAddress();
  try {
    const asked = await askedByAddress();
    if (asked && mayFollow(state)) await beginWith(asked.path, asked.body);
  } catch {
    notify(say("This link is damaged."));
  }
}

async function giveUp() {
  try {
    if (await resign(state)) await refresh();
  } catch (error) {
    notify(error instanceof Refused ? error.message : silence());
  }
}

async function copyLink() {
  const link = await linkTo(state);
  try {
    await navigator.clipboard.writeText(link);
    $("linked").textContent = say("Copied.");
  } catch {
    prompt(say("Copy this link:"), link); // browsers forbid it where the page came without encryption
  }
}

// Keys and buttons.

// Adds the colours of the drawing to those that the page defines itself.
function setTheme(theme) {
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.removeAttribute("style");
  if (!canvas) return;
  const itsOwn = getComputedStyle(root);
  for (const [name, colour] of Object.entries(canvas.themes[theme])) {
    if (!itsOwn.getPropertyValue(`--${name}`)) root.style.setProperty(`--${name}`, colour);
  }
}

function pauseOrGoOn() {
  pause();
  show(state);
  goOn();
}

const step = () => waits(state) && change("/api/agent");

const KEYS = {
  p: () => state.is_watched && pauseOrGoOn(),
  s: () => step(),
  Escape: () => { $("options").open = false; },
  u: () => state.can_undo && change("/api/undo"),
  b: () => state.can_take_back && change("/api/take-back"),
  "?": () => explainGame(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (studyKey(event.key)) return;
  KEYS[event.key]?.();
  const choice = offered()[Number(event.key) - 1];
  if (/^[1-9]$/.test(event.key) && choice && !isStudying()) play(choice);
}

// Replace this game, and its drawing, by another.
async function switchGame() {
  const game = $("games").value;
  $("games").value = canvas.game;
  if (!(await mayLeave())) return;
  $("main").hidden = true;
  $("starting").hidden = false;
  $("starting").textContent = say("One moment: setting up the other game.");
  await ask("/api/switch", { game }).catch((error) => notify(error.message));
  location.assign(`?game=${game}`); // where no server answers, the address says which game
}

function wire() {
  $("games").append(...Object.entries(canvas.games).map(([name, title]) => new Option(title, name, name === canvas.game, name === canvas.game)));
  $("games").addEventListener("change", switchGame);
  $("undo").addEventListener("click", () => change("/api/undo"));
  $("take-back").addEventListener("click", () => change("/api/take-back"));
  $("advise").addEventListener("click", advise);
  $("review").addEventListener("click", analyse);
  $("study-open").addEventListener("click", () => (isStudying() ? leaveStudy() : openStudy()));
  $("study-close").addEventListener("click", leaveStudy);
  $("pause").addEventListener("click", pauseOrGoOn);
  $("step").addEventListener("click", step);
  $("level").addEventListener("click", () => beginWith("/api/rematch", { opponent: $("level").dataset.player }));
  wireStudy();
  $("help").addEventListener("click", () => explainGame());
  $("whole").addEventListener("click", () => explainGame(true));
  $("learn").addEventListener("click", () => showLessons(startExercise));
  $("lessons-close").addEventListener("click", () => $("lessons").close());
  $("exercise-next").addEventListener("click", () => moveOn(1));
  $("exercise-again").addEventListener("click", () => moveOn(0));
  $("exercise-leave").addEventListener("click", leaveExercise);
  $("resume-close").addEventListener("click", () => { $("resume").hidden = true; });
  $("link").addEventListener("click", copyLink);
  wireFriend();
  $("resign").addEventListener("click", giveUp);
  window.addEventListener("hashchange", followAddress);
  $("open").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", async () => {
    const [file] = $("file").files;
    if (file) await open(file);
    $("file").value = ""; // so that the same file can be chosen again
  });
  $("records-cancel").addEventListener("click", () => $("records").close());
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      if (name === "drop") open(event.dataTransfer.files[0]);
    });
  }
  $("rematch").addEventListener("click", () => beginWith("/api/rematch", {}));
  $("next").addEventListener("click", () => beginWith("/api/next", {}));
  $("edit").addEventListener("click", () => edit(canvas, state, newGame));
  for (const id of ["new", "again"]) $(id).addEventListener("click", () => newGame());
  $("cancel").addEventListener("click", () => $("setup").close());
  $("setup").querySelector("form").addEventListener("submit", begin);
  $("theme").addEventListener("click", () => {
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    localStorage.setItem("theme", document.documentElement.dataset.theme);
  });
  for (const [id, then] of [["hints", refresh], ["evaluates", evaluate]]) {
    $(id).addEventListener("change", () => {
      localStorage.setItem(id, $(id).checked);
      then();
    });
  }
  for (const code of languages) {
    const name = new Intl.DisplayNames(code, { type: "language" }).of(code);
    const option = new Option(upper(name), code, code === language, code === language);
    option.lang = code;
    $("language").append(option);
  }
  $("language").addEventListener("change", () => {
    localStorage.setItem("language", $("language").value);
    location.reload();
  });
  $("pace").addEventListener("change", () => localStorage.setItem("pace", $("pace").value));
  for (const dialog of document.querySelectorAll("dialog")) {
    // A click beside a dialog closes it.
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
  document.addEventListener("click", ({ target }) => {
    if (!$("options").contains(target)) $("options").open = false;
  });
  document.addEventListener("keydown", onKey);
}

setWords();
setTheme(kept("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
$("hints").checked = kept("hints", "true") === "true";
$("evaluates").checked = kept("evaluates", "false") === "true";
$("pace").value = kept("pace", "500");
function explainStart(reason) {
  $("starting").hidden = false;
  $("starting").textContent = reason;
}

// What else could be played or learnt here.
async function offerOthers() {
  const latest = await listKept(resume);
  if (isUntouched(state)) offer(latest, resume);
  offerLessons(startExercise, !isUntouched(state) || Boolean(location.search + location.hash) || latest !== undefined);
}

// The host of a new game to which nobody has come yet sends links first.
async function greet() {
  const isComplete = await showWhoIsHere(state);
  if (state.seat.is_host && isUntouched(state) && !isComplete) showInvitation();
}

let first = null;
await whenReady(async () => {
  first = await ask(`/api/state?${view()}`);
  first = isNewAddress() && !first.seat ? await switched(first) : await recovered(first);
  canvas = board.canvas = await ask("/api/canvas");
}, explainStart);
setTheme(document.documentElement.dataset.theme);
defineGlyphs(canvas);
wire();
if (!first.seat) await loadLessons();
// Nothing can be pressed before there is a game.
$("starting").hidden = true;
$("exercises").hidden = $("main").hidden = false;
show(first);
await followAddress();
goOn();
if (state.seat) await greet();
else await offerOthers();
setTimeout(follow, pollPause());
setInterval(() => tick(state, since, () => refresh()), 250);
