// Talking to the server.

export const SILENCE = "The server is not responding.";

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
  const response = await fetch(path, body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status === 204) return null;
  const content = await response.json();
  if (!response.ok) throw new Refused(content, response.status);
  return content;
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Return the answer once there is a game; until then, call `tell` with the reason why there is none yet.
export async function askWhenReady(path, tell) {
  for (;;) {
    try {
      return await ask(path);
    } catch (error) {
      if (error.kind !== "StartingError") throw error;
      tell(error.message);
      await wait(500);
    }
  }
}
