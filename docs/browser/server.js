// Replaces the module that talks to a server: the package itself answers the requests, in a worker.

import { language, say } from "./words.js";

export const SILENCE = say("Python has stopped; load the page again.");

export class Refused extends Error {
  constructor(content, status) {
    super(content.message);
    this.kind = content.error;
    this.setting = content.setting;
    this.reason = content.reason;
    this.status = status;
  }
}

const worker = new Worker(new URL("worker.js", import.meta.url));
const waiting = new Map();
let requests = 0;

worker.onmessage = ({ data: { number, answer, failure } }) => {
  const [done, failed] = waiting.get(number);
  waiting.delete(number);
  if (answer) done(answer);
  else failed(new Error(failure));
};

function request(path, content = null) {
  requests += 1;
  worker.postMessage({ number: requests, path, content, language });
  return new Promise((done, failed) => waiting.set(requests, [done, failed]));
}

export async function ask(path, body) {
  const [status, , text] = await request(path, body === undefined ? null : JSON.stringify(body));
  if (status === 204) return null;
  const content = JSON.parse(text);
  if (status >= 400) throw new Refused(content, status);
  return content;
}

// Ask, by a function, once Python has come; `tell` is called with the reason to wait, or with why there is no answer.
export async function whenReady(attempt, tell) {
  tell(say("One moment: Python is being loaded."));
  try {
    return await attempt();
  } catch (error) {
    tell(error.message.trim().split("\n").pop());
    throw error;
  }
}

// What the page only links to, the record and the replay, is made of the answer.
document.addEventListener("click", async (event) => {
  const link = event.target.closest('a[href^="/"]');
  if (!link) return;
  event.preventDefault();
  const [, type, text] = await request(link.getAttribute("href"));
  const made = document.createElement("a");
  made.href = URL.createObjectURL(new Blob([text], { type }));
  if (link.download) made.download = link.download;
  else made.target = "_blank";
  made.click();
});
