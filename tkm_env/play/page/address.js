// Links: the page's address can name settings, a position, a lesson or puzzle, or a game at one of its actions.

import { ask } from "./server.js";

const APPLIED = "applied"; // in the window's storage: the address that was followed last

const packed = async (text) => {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};

const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
};

// Whether the address names something that this window has not begun yet.
export const isNewAddress = () => Boolean(location.search + location.hash) && sessionStorage.getItem(APPLIED) !== location.href;

export const noteAddress = () => sessionStorage.setItem(APPLIED, location.href);

// The name of the game that the address asks for; null if it does not matter.
export const gameAsked = () => new URLSearchParams(location.search).get("game");

const READ = {
  number: Number,
  switch: (text) => text.toLowerCase() === "true",
};

// What to ask of the server: a path and a body, null for nothing. Keys that the game does not know are others' affair, and ignored.
export async function askedByAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("record")) {
    const record = JSON.parse(await unpacked(fragment.get("record")));
    return { path: "/api/open", body: { record, ...(fragment.has("ply") && { ply: Number(fragment.get("ply")) }) } };
  }
  const given = new URLSearchParams(location.search);
  if (given.has("set")) return { path: "/api/exercise", body: { set: given.get("set"), number: Number(given.get("number")) } };
  const settings = Object.values(await ask("/api/settings")).flat();
  const known = settings.filter(({ keyword }) => given.has(keyword));
  const body = Object.fromEntries(known.map(({ keyword, kind }) => [keyword, (READ[kind] ?? String)(given.get(keyword))]));
  return known.length ? { path: "/api/new", body } : null;
}

// A link to what the page shows: to the lesson or puzzle, else to the game after its last action or, where that would tell too much, to the
// kind of game.
export async function linkTo({ game, exercise, can_save: canSave }) {
  const link = new URL(location.pathname, location.href);
  link.searchParams.set("game", game);
  if (exercise) {
    link.searchParams.set("set", exercise.set);
    link.searchParams.set("number", exercise.number);
  } else if (canSave) {
    const record = await ask("/api/record");
    link.hash = new URLSearchParams({ record: await packed(JSON.stringify(record)), ply: record.actions.length });
  }
  return link.href;
}
