// Talking to the server.

import { language, say } from "./words.js";

export const SILENCE = say("The server is not responding.");

export class Refused extends Error {
  constructor(content, status) {
    super(content.message);
    this.kind = content.error;
    this.setting = content.setting;
    this.reason = content.reason;
    this.status = status;
  }
}

export async function ask(path, body) {
  const headers = { "Accept-Language": language };
  const response = await fetch(path, body === undefined ? { headers } : {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status === 204) return null;
  const content = await response.json();
  if (!response.ok) throw new Refused(content, response.status);
  return content;
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Ask, by a function, until there is a server with a game; until then, call `tell` with the reason why there is none yet.
export async function whenReady(attempt, tell) {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Refused && error.kind !== "StartingError") throw error;
      tell(error instanceof Refused ? say("One moment: {reason}.", { reason: error.message }) : SILENCE);
      await wait(500);
    }
  }
}
