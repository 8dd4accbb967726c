// A game over an invitation: who is here, the links for the others, and resigning.

import { $, upper } from "./dom.js";
import { SILENCE, Refused, ask } from "./server.js";
import { say } from "./words.js";

export const LOST = say("The connection is lost. This page keeps trying, and the game is kept.");

// What this page lets nobody, nobody but the host, or no spectator do.
const FOR_NOBODY = ["edit", "learn", "open", "take-back", "link"];
const FOR_HOST = ["new", "again", "rematch", "next", "kept", "invite"];
const FOR_PLAYERS = ["undo", "hints-switch", "resign"];

// Where everybody sits at one screen, only what is about others is hidden.
export function showSeat({ seat }) {
  $("friend").hidden = !seat;
  if (!seat) return;
  $("games").disabled = true;
  $("resign").after($("talk"));
  const hidden = [...FOR_NOBODY, ...(seat.is_host ? [] : FOR_HOST), ...(seat.side ? [] : FOR_PLAYERS)];
  for (const id of hidden) $(id).hidden = true;
  $("resign").disabled = !seat.can_resign;
}

const presence = (isHere, player) => (isHere ? say("{player} is here.", { player }) : say("{player} is not on the page right now.", { player }));

// Show who is here. Returns whether the other player is; for spectators, whether both players are.
export async function showWhoIsHere({ seat, called, names }) {
  const { players, is_watched: isWatched } = await ask("/api/here");
  const others = Object.keys(players).filter((side) => side !== seat.side);
  const words = others.map((side) => upper(presence(players[side], seat.side ? names[side] : called[side])));
  if (isWatched && seat.side) words.push(say("Somebody is watching."));
  const said = words.join(" ");
  if ($("here").textContent !== said) $("here").textContent = said; // it is announced once
  return others.every((side) => players[side]);
}

// Give up the game. Returns whether the person meant it.
export async function resign({ session }) {
  if (!confirm(say("Resign this game?"))) return false;
  await ask("/api/resign", { session });
  return true;
}

async function fill(asking) {
  const { opponent, spectators, is_local: isLocal } = await asking;
  $("link-opponent").value = opponent;
  $("link-spectators").value = spectators;
  $("link-local").hidden = !isLocal;
}

function complain(error) {
  $("link-copied").textContent = error instanceof Refused ? error.message : SILENCE;
}

export function showInvitation() {
  $("link-copied").textContent = "";
  fill(ask("/api/links")).catch(complain);
  $("invitation").showModal();
}

async function copy(input) {
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    $("link-copied").textContent = say("Copied.");
  } catch {
    $("link-copied").textContent = say("The link is selected: copy it."); // browsers forbid it where the page came without encryption
  }
}

export function wireFriend() {
  $("invite").addEventListener("click", showInvitation);
  for (const who of ["opponent", "spectators"]) $(`copy-${who}`).addEventListener("click", () => copy($(`link-${who}`)));
  $("link-renew").addEventListener("click", async () => {
    if (!confirm(say("Make new links? The links that you have sent stop working."))) return;
    await fill(ask("/api/links", {})).catch(complain);
  });
  $("invitation-close").addEventListener("click", () => $("invitation").close());
}
